"""What left without a record: believed only by a rule, and only where the cache and the size of what is missing agree."""

from dataclasses import replace

import pytest
from windows import OVERHEAD, Story, true_tokens

from tasks.context.attribution import Account, accounts
from tasks.context.calibration import Learned
from tasks.context.window import Form, Standing
from tasks.domain.kinds import ItemKind


def account(story: Story) -> Account:
    (found,) = accounts(story.session(), Learned([]))
    return found


def rules(found: Account) -> list[tuple[str, int]]:
    return [(removal.rule, found.lines[removal.at].request_no) for removal in found.removals]


def reading(results: int, tokens: int, *, tool: str = "Read") -> Story:
    """Reads that add up."""
    story = Story().ask().call()
    for _ in range(results):
        story.use(tokens, tool_name=tool)
        story.call()
    return story


def cleared(story: Story, *gone: Standing) -> None:
    """Leaves a few words in place of results; the provider counts twelve tokens for them."""
    left = {item.position for item in gone}
    story.held = [item for item in story.held if item.position not in left]


def results(story: Story) -> list[Standing]:
    return [item for item in story.held if item.kind == ItemKind.TOOL_RESULT]


def test_results_that_do_not_fit_into_40000_tokens_are_cleared_once_the_prompt_is_near_its_limit():
    """Thirteen results of 10,000 tokens: four fit into what is kept, nine are cleared, and stand there with a few words."""
    story = reading(13, 10_000)
    assert story.calls[-1].prompt_tokens > 135_000
    cleared(story, *results(story)[:9])
    story.use(200, tool_name="Bash")
    story.call(read=OVERHEAD, hidden=9 * 12).turns(6)
    found = account(story)
    assert rules(found) == [("results_over_budget", 15)]
    assert len(found.removals[0].gone) == 9
    first = found.removals[0].gone[0].item.position
    forms = {(one.stay.form, one.stay.inferred) for one in found.sojourns if one.stay.item.position == first}
    assert forms == {(Form.FULL, True), (Form.CLEARED, True)}


def test_a_rule_that_does_not_explain_what_is_missing_is_not_believed():
    """Of the same thirteen results only two are gone: no rule says that."""
    story = reading(13, 10_000)
    cleared(story, *results(story)[4:6])
    story.use(200)
    story.call(read=OVERHEAD).turns(6)
    found = account(story)
    assert rules(found) == []
    assert not any(one.stay.inferred for one in found.sojourns)
    assert found.lines[-1].residual_tokens < -15_000


def test_results_are_not_cleared_from_a_small_prompt():
    story = reading(6, 10_000)
    cleared(story, *results(story)[:2])
    story.use(200)
    story.call(read=OVERHEAD).turns(6)
    assert rules(account(story)) == []


def test_results_of_other_tools_are_not_cleared():
    story = reading(13, 10_000, tool="Task")
    cleared(story, *results(story)[:9])
    story.use(200)
    story.call(read=OVERHEAD, hidden=9 * 12).turns(6)
    assert ("results_over_budget", 15) not in rules(account(story))


def test_a_call_that_read_all_of_the_prompt_before_it_has_lost_nothing():
    """Thinking of 2,000 tokens would explain the step, but the cache held on to the end."""
    story = Story().ask().call()
    for _ in range(20):
        story.add(ItemKind.REASONING, 100)
        story.use(100)
        story.call()
    before = story.calls[-1].prompt_tokens
    story.ask().call(seconds=4_000, read=before, hidden=-3_000)
    for _ in range(6):
        story.use(100)
        story.call(hidden=-3_000)
    assert rules(account(story)) == []


def test_a_prefix_that_is_not_read_a_moment_after_it_was_cached_is_another_overhead():
    story = Story().ask().call().turns(45)
    for at in range(10):
        story.use(200)
        story.call(read=None if at else 0, overhead=OVERHEAD - 8_000)
    found = account(story)
    assert rules(found) == []
    assert [(part.cause, part.overhead) for part in found.segments] == [
        ("start", OVERHEAD),
        ("prefix_change", OVERHEAD - 8_000),
    ]


def test_no_overhead_falls_to_nothing():
    """After a pause 19,000 of 20,000 tokens are missing, and all old results are 2,100: what left stays a residual."""
    story = Story().ask().call().turns(45, result=20)
    for at in range(10):
        story.use(200)
        story.call(seconds=10 if at else 4_000, read=None if at else 0, overhead=OVERHEAD - 19_000)
    found = account(story)
    assert [part.overhead for part in found.segments] == [OVERHEAD]
    assert found.lines[-1].residual_tokens == -19_000


def test_results_beside_the_line_of_parents_are_lost_when_the_log_is_read_again():
    """Twelve times three files are read at once: after a pause, each time the last of the results alone is there."""
    story = Story().ask().call()
    lost: set[int] = set()
    for _ in range(12):
        calls = [story.add(ItemKind.TOOL_CALL, 30, call_id=f"c{story.turn}-{len(story.items)}") for _ in range(3)]
        answers = [story.add(ItemKind.TOOL_RESULT, 900, call_id=call.call_id) for call in calls]
        lost |= {item.position for item in (*calls[:2], *answers[:2])}
        story.call()
    story.held = [item for item in story.held if item.position not in lost]
    story.ask().call(seconds=4_000, read=0).turns(6)
    found = account(story)
    assert rules(found) == [("parallel_results", 14)]
    assert {stay.item.position for stay in found.removals[0].gone} == lost
    assert {line.residual_tokens for line in found.lines} == {0}


def test_a_conversation_begun_anew_keeps_what_came_with_its_prompt():
    story = Story().ask().call().turns(20, result=1_000)
    old = {item.position for item in story.items}
    story.use(50)
    old |= {item.position for item in story.items}
    story.ask(800)
    story.held = [item for item in story.held if item.position not in old]
    story.call(read=OVERHEAD).turns(6)
    found = account(story)
    assert rules(found) == [("begun_anew", 22)]
    assert {line.residual_tokens for line in found.lines} == {0}


@pytest.fixture
def compacted() -> Story:
    """A sub-agent whose log says nothing of its compaction: a summary of 6,000 tokens stands there, and no item."""
    story = reading(16, 9_000)
    story.items = [replace(item, flags=frozenset({"from_progress"})) for item in story.items]
    story.use(5_000)
    story.held = []
    for at in range(8):
        story.call(read=OVERHEAD if not at else None, hidden=6_000)
        story.use(300)
    return story


def test_a_compaction_that_the_log_does_not_tell_takes_all_and_leaves_what_cannot_be_explained(compacted: Story):
    found = account(compacted)
    assert rules(found) == [("compacted", 18)]
    assert {line.overhead_tokens for line in found.lines} == {OVERHEAD}
    assert {line.residual_tokens for line in found.lines[:17]} == {0}
    assert {line.residual_tokens for line in found.lines[17:]} == {6_000}


def test_what_is_inferred_is_at_most_one_step_in_a_hundred():
    story = reading(13, 10_000)
    for _ in range(2):
        gone = [item for item in results(story) if item.tokens == 10_000][:9]
        cleared(story, *gone)
        story.use(200, tool_name="Bash")
        story.call(read=OVERHEAD, hidden=9 * 12).turns(6)
        for _ in range(9):
            story.use(10_000, tool_name="Read")
            story.call()
    assert len(account(story).removals) == 1


def test_what_a_cleared_result_still_costs_is_counted():
    story = reading(13, 10_000)
    gone = results(story)[:9]
    cleared(story, *gone)
    story.use(200, tool_name="Bash")
    story.call(read=OVERHEAD, hidden=10 * 12).turns(6)
    found = account(story)
    first = [one for one in found.sojourns if one.stay.item.position == gone[0].position]
    assert [(one.tokens, one.calls) for one in first] == [(true_tokens(gone[0]), 13), (12, 7)]
