"""Prefixes that were paid for again: how much, and the cause that the log shows, in sessions whose answer is known by hand."""

from dataclasses import replace

from windows import OVERHEAD, Story

from tasks.context.attribution import accounts
from tasks.context.cache import Cause, misses
from tasks.context.calibration import Learned
from tasks.context.window import Call
from tasks.domain.kinds import ItemKind


def told(story: Story) -> list[tuple[int, int, Cause]]:
    (found,) = accounts(story.session(), Learned([]))
    return [(miss.request_no, miss.tokens_repaid, miss.cause) for miss in misses(found)]


def test_a_cache_that_expired_is_paid_for_again():
    story = Story().ask().call().turns(3)
    story.use(200)
    story.call(seconds=301, read=0).turns(2)
    assert told(story) == [(5, story.calls[3].prompt_tokens, Cause.IDLE)]


def test_an_hour_is_the_lifetime_where_an_hour_was_paid_for():
    """Six minutes later nothing is read: that is no expiry. After an hour it is."""
    for seconds, cause in ((360, Cause.PREFIX_CHANGE), (3_601, Cause.IDLE)):
        story = Story().ask().call().turns(3)
        story.calls = [replace(call, cache_write_1h_tokens=call.cache_write_tokens) for call in story.calls]
        story.use(200)
        story.call(seconds=seconds, read=0)
        assert told(story) == [(5, story.calls[3].prompt_tokens, cause)]


def test_of_a_cache_written_for_an_hour_in_front_the_rest_alone_expires_after_five_minutes():
    story = Story().ask().call().turns(9, result=1_000)
    story.calls[0] = replace(story.calls[0], cache_write_1h_tokens=story.calls[0].cache_write_tokens)
    first, last = story.calls[0].prompt_tokens, story.calls[-1].prompt_tokens
    story.use(200)
    story.call(seconds=360, read=first)
    assert told(story) == [(11, last - first, Cause.IDLE)]


def test_another_model_reads_nothing_of_the_cache():
    story = Story().ask().call().turns(3)
    story.use(200)
    story.model = "claude-sonnet-4-5-20250929"
    story.call(read=0)
    assert told(story) == [(5, story.calls[3].prompt_tokens, Cause.MODEL_CHANGE)]


def test_a_compaction_repays_the_overhead_when_it_is_not_read():
    story = Story().ask().call().turns(3).compact(500).ask().call(read=0).turns(1)
    assert told(story) == [(5, OVERHEAD, Cause.COMPACTION)]
    story = Story().ask().call().turns(3).compact(500).ask().call(read=OVERHEAD).turns(1)
    assert told(story) == []


def test_a_rewind_repays_nothing_but_what_stood_before_it():
    story = Story().ask().call().turns(3)
    left = story.use(2_000)
    story.call()
    off = {left.position - 1, left.position}
    story.items = [replace(item, on_path=item.position not in off) for item in story.items]
    story.held = [item for item in story.held if item.position not in off]
    kept = story.calls[3].prompt_tokens
    story.ask(30).call(read=0)
    assert told(story) == [(6, kept, Cause.EDIT)]


def test_prompts_that_no_cache_ever_held_are_no_misses():
    story = Story().ask().call(read=0).turns(3)
    story.calls = [Call(c.request_id, c.no, c.prompt_tokens, 0, c.at, c.model) for c in story.calls]
    assert told(story) == []


def test_what_left_while_the_cache_expired_is_not_paid_for_again():
    """Thinking of 2,000 tokens leaves with the prompt after a pause: only what stood before it could have been read."""
    story = Story("claude-sonnet-4-5-20250929").ask().call().turns(3)
    stood = story.calls[-1].prompt_tokens
    thought = story.add(ItemKind.REASONING, 1_334)
    story.use(200)
    story.call()
    story.held.remove(thought)
    story.ask().call(seconds=301, read=0)
    assert told(story) == [(6, stood, Cause.IDLE)]


def thinking(story: Story, calls: int) -> None:
    for _ in range(calls):
        story.add(ItemKind.REASONING, 60)
        story.use(200)
        story.call()


def test_thinking_turned_off_and_on_pays_for_the_conversation_but_not_for_the_tools():
    story = Story().ask().call()
    thinking(story, 20)
    story.use(300)
    sent = story.calls[-1].prompt_tokens
    story.add(ItemKind.REASONING, 60)
    story.call(read=OVERHEAD)
    story.use(200)
    story.call()
    assert told(story) == [(22, sent - OVERHEAD, Cause.THINKING_CHANGE)]


def test_a_prefix_of_which_not_even_the_tools_are_read_has_changed():
    story = Story().ask().call().turns(3).ask().call(read=0).turns(2)
    assert told(story) == [(5, story.calls[3].prompt_tokens, Cause.PREFIX_CHANGE)]


def test_an_overhead_that_moves_is_the_cause_where_the_account_finds_it_moving():
    story = Story().ask().call().turns(60)
    sent = story.calls[-1].prompt_tokens
    for at in range(60):
        story.use(200)
        story.call(overhead=OVERHEAD + 9_000, read=None if at else 4_000)
    assert told(story) == [(62, sent - 4_000, Cause.OVERHEAD_CHANGE)]


def test_what_was_inferred_to_have_left_is_a_removal():
    story = Story().ask().call()
    for _ in range(13):
        story.use(10_000, tool_name="Read")
        story.call()
    gone = [item for item in story.held if item.kind == ItemKind.TOOL_RESULT][:9]
    story.held = [item for item in story.held if item not in gone]
    story.use(200, tool_name="Bash")
    story.call(read=4_000, hidden=9 * 12).turns(6)
    ((no, repaid, cause),) = told(story)
    assert (no, cause) == (15, Cause.REMOVAL)
    assert repaid == OVERHEAD + 26 + 113 - 4_000  # the first prompt and the call of the first read stand before what left


def test_more_than_twenty_blocks_at_once_are_more_than_the_provider_looks_back_over():
    story = Story().ask().call().turns(3)
    sent = story.calls[-1].prompt_tokens
    for _ in range(11):
        story.use(50)
    story.call(read=18_000)
    assert told(story) == [(5, sent - 18_000, Cause.LOOKBACK)]


def by_itself(story: Story) -> Story:
    """A provider that caches without being asked, and counts no writes."""
    story.calls = [replace(call, cache_write_tokens=None) for call in story.calls]
    return story


def test_a_cache_that_was_not_written_yet_lags_behind_by_a_call():
    story = Story("gpt-5.1-codex", agent="codex").ask().call().turns(3)
    read = story.calls[-1].cache_read_tokens
    story.use(4_000)
    story.call(read=read)
    before = story.calls[-1].prompt_tokens
    story.use(50)
    story.call(read=read)
    assert told(by_itself(story))[-1] == (6, before - (read or 0), Cause.LAG)


def test_a_cache_that_promises_nothing_lost_a_prompt_that_only_grew():
    story = Story("gpt-5.1-codex", agent="codex").ask().call(overhead=4_000).turns(0)
    for read in (None, None, 1_024, None):
        story.use(2_000)
        story.call(overhead=4_000, read=read)
    assert [(no, cause) for no, _, cause in told(by_itself(story))] == [(4, Cause.PROVIDER)]


def test_a_miss_that_the_log_does_not_explain_stays_unknown():
    """The tools are read, and nothing else; nothing left, nobody waited."""
    story = Story().ask().call().turns(3)
    sent = story.calls[-1].prompt_tokens
    story.use(50)
    story.call(read=12_000)
    assert told(story) == [(5, sent - 12_000, Cause.UNKNOWN)]
