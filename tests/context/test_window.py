"""Which calls held which items, in sessions whose answer is known by hand."""

from dataclasses import replace
from datetime import timedelta

import pytest
from windows import START, Story

from tasks.context.thinking import Kept, kept
from tasks.context.window import Call, Form, Session, Standing, Stay, chains, steps
from tasks.domain.kinds import ItemKind


def stays(story: Story) -> list[Stay]:
    (chain,) = chains(story.session())
    return list(chain.stays)


def runs(story: Story, item: Standing) -> list[tuple[int, int, Form]]:
    """First and last call number of each stay of an item."""
    return [(stay.first + 1, stay.last + 1, stay.form) for stay in stays(story) if stay.item.position == item.position]


def test_a_read_is_carried_from_the_call_after_it_to_the_last():
    story = Story().ask().call()
    read = story.use(5_000)
    story.call().turns(59)
    assert runs(story, read) == [(2, 61, Form.FULL)]


def test_an_answer_is_in_the_window_from_the_next_call_on():
    story = Story().ask().call()
    words = story.add(ItemKind.ASSISTANT_TEXT, 40)
    story.ask().call()
    assert runs(story, words) == [(2, 2, Form.FULL)]


def test_what_no_call_saw_has_no_stay():
    story = Story().ask().call()
    words = story.add(ItemKind.ASSISTANT_TEXT, 40)
    assert runs(story, words) == []


def test_a_rewind_takes_the_left_branch_out_of_the_window():
    story = Story().ask().call()
    left = [story.add(ItemKind.ASSISTANT_TEXT, 300), story.ask(25).items[-1]]
    story.call()
    left.append(story.add(ItemKind.ASSISTANT_TEXT, 80))
    off = {item.position for item in left}
    story.items = [replace(item, on_path=item.position not in off) for item in story.items]
    story.held = [item for item in story.held if item.position not in off]
    story.ask(30).call().turns(2)
    assert [runs(story, item) for item in left] == [[(2, 2, Form.FULL)], [(2, 2, Form.FULL)], []]


def test_a_compaction_leaves_summary_and_preserved_tail():
    story = Story().ask().call().turns(3)
    tail = story.use(700)
    story.call().compact(900, tail)
    story.ask().call().turns(1)
    summary = next(item for item in story.items if item.kind == ItemKind.COMPACTION_SUMMARY)
    assert runs(story, story.items[0]) == [(1, 5, Form.FULL)]
    assert runs(story, tail) == [(5, 5, Form.FULL), (6, 7, Form.FULL)]
    assert runs(story, summary) == [(6, 7, Form.SUMMARY)]
    assert {stay.epoch for stay in stays(story) if stay.item.position == tail.position} == {0, 1}


def test_a_preserved_tail_does_not_outlive_the_next_compaction():
    story = Story().ask().call()
    tail = story.use(700)
    story.call().compact(900, tail).ask().call().compact(500).ask().call()
    assert runs(story, tail) == [(2, 2, Form.FULL), (3, 3, Form.FULL)]


def test_a_microcompaction_clears_the_results_that_it_names():
    story = Story().ask().call()
    old, new = story.use(4_000), story.use(300)
    story.call()
    story.items.append(Standing("n", len(story.items), 3, 0, "notice", 0, turn=1, is_sent=False, clears=(old.call_id or "",)))
    story.turns(2)
    assert runs(story, story.items[-5]) == []
    assert runs(story, old) == [(2, 2, Form.FULL), (3, 4, Form.CLEARED)]
    assert runs(story, new) == [(2, 4, Form.FULL)]


@pytest.mark.parametrize(("model", "last"), [("claude-sonnet-4-5-20250929", 2), ("claude-opus-4-5-20251101", 3)])
def test_thinking_stays_for_the_turn_or_for_good_as_the_model_does(model: str, last: int):
    story = Story(model).ask().call()
    thought = story.add(ItemKind.REASONING, 100)
    story.use(50)
    story.call().ask().call()
    assert runs(story, thought) == [(2, last, Form.FULL)]


@pytest.mark.parametrize(
    ("model", "keeps"),
    [
        ("claude-opus-4-5-20251101", True), ("claude-opus-4-1-20250805", False), ("claude-opus-4-20250514", False),
        ("claude-sonnet-4-6", True), ("claude-sonnet-4-5-20250929", False), ("claude-haiku-4-5", False),
        ("claude-opus-5", True), ("anthropic.claude-opus-4-6-v1:0", True), ("claude-3-7-sonnet-20250219", False),
        ("gpt-5.1-codex-max", False), (None, False), ("moonshot-ai/kimi-k2.7-code", True),
    ],
)  # fmt: skip
def test_which_models_keep_thinking_of_earlier_turns(model: str | None, keeps: bool):
    assert kept(model) is (Kept.ALWAYS if keeps else Kept.TURN)


def test_thinking_of_gemini_is_never_sent_back():
    story = Story("gemini-2.5-pro").ask().call()
    thought = story.add(ItemKind.REASONING, 100)
    story.use(50)
    story.call()
    assert kept("google/gemini-3-pro") is Kept.NEVER
    assert runs(story, thought) == []


def test_a_result_is_cleared_from_the_time_that_the_log_tells():
    """Calls follow each other by 10 seconds; the fourth is the first after the clearing."""
    story = Story().ask().call()
    old = story.use(4_000)
    story.call().turns(3)
    story.items[old.position] = replace(old, cleared_at=START + timedelta(seconds=35), flags=frozenset({"pruned"}))
    assert runs(story, old) == [(2, 3, Form.FULL), (4, 5, Form.CLEARED)]
    assert not any(stay.inferred for stay in stays(story))


def test_a_result_that_was_cleared_at_no_known_time_is_taken_to_have_stood_for_its_turn():
    story = Story().ask().call()
    old = story.use(4_000, flags=frozenset({"pruned"}))
    story.call().turns(1).ask().call()
    assert runs(story, old) == [(2, 3, Form.FULL), (4, 4, Form.CLEARED)]
    assert [stay.inferred for stay in stays(story) if stay.item.position == old.position] == [True, True]


def test_a_replacement_told_later_takes_the_place_of_the_result_from_then_on():
    story = Story().ask().call()
    old = story.use(4_000)
    story.call()
    words = Standing("n", len(story.items), 3, 0, "notice", 90, turn=1, is_sent=False, replaces=old.call_id)
    story.items.append(words)
    story.call()
    assert runs(story, old) == [(2, 2, Form.FULL), (3, 3, Form.PREVIEW)]
    assert [stay.item.tokens for stay in stays(story) if stay.item.position == old.position] == [4_000, 90]


def test_pictures_that_came_with_a_cleared_result_go_with_it():
    story = Story().ask().call()
    result = story.use(40)
    picture = Standing("p", len(story.items), 2, 0, "image", 9, turn=1, call_id=result.call_id)
    notice = Standing("n", len(story.items) + 1, 3, 0, "notice", 0, turn=1, is_sent=False, clears=(result.call_id or "",))
    story.items += [picture, notice]
    story.call().call()
    assert runs(story, picture) == [(2, 2, Form.FULL)]


def test_a_compaction_on_a_branch_that_was_left_takes_nothing_from_the_path():
    """Positions: 0 the stem, 1 the branch's prompt, 2 its summary, 3 the prompt of the path. Calls 1 and 4 are on the path."""
    stem = Standing("stem", 0, 1, 0, "user_text", 9, turn=1)
    left = Standing("left", 1, 2, 0, "user_text", 9, turn=2, on_path=False, branch=1, branch_after=0)
    summary = replace(left, item_id="summary", position=2, no=3, epoch=1, kind="compaction_summary")
    last = replace(stem, item_id="last", position=3, no=4, epoch=1, turn=3)
    calls = (Call("a", 1, 10, 0), Call("b", 2, 20, 0), Call("c", 3, 15, 1), Call("d", 4, 20, 1))
    (chain,) = chains(Session("s", "claude-code", None, calls, (stem, left, summary, last)))
    held = [[stay.item.item_id for stay in chain.stays if stay.first <= at <= stay.last] for at in range(4)]
    assert held == [["stem"], ["stem", "left"], ["summary"], ["stem", "last"]]


def test_what_gemini_thought_is_in_no_later_window():
    story = Story("gemini-2.5-flash", agent="gemini-cli").ask().call()
    thought, said = story.add(ItemKind.REASONING, 100), story.add(ItemKind.ASSISTANT_TEXT, 30)
    story.use(50)
    story.call()
    assert (runs(story, thought), runs(story, said)) == ([], [(2, 2, Form.FULL)])


def test_a_result_is_not_in_the_window_of_the_call_that_asked_for_it():
    """Some logs tell a call's usage after its results, so that they seem to come in with it."""
    story = Story().ask().call()
    result = story.use(500)
    story.items[-1] = replace(result, no=1)
    story.call()
    assert runs(story, result) == [(2, 2, Form.FULL)]


def test_words_of_the_system_stay_through_every_compaction():
    story = Story().ask()
    system = Standing("s", -1, 1, 0, "system", 900)
    story.items.insert(0, system)
    story.call().compact(100).ask().call().compact(100).ask().call()
    assert runs(story, system) == [(1, 1, Form.FULL), (2, 2, Form.FULL), (3, 3, Form.FULL)]


def test_a_side_question_sees_the_conversation_and_leaves_nothing_in_it():
    def said(position: int, no: int, *, side: bool) -> Standing:
        return Standing(f"i{position}", position, no, 0, "user_text", 10, turn=1, is_sidechain=side)

    calls = (Call("a", 1, 100, 0), Call("b", 2, 120, 0, is_sidechain=True), Call("c", 3, 110, 0))
    items = (said(0, 1, side=False), said(1, 2, side=True), said(2, 3, side=False))
    main, side = chains(Session("s", "claude-code", None, calls, items))
    assert [(stay.item.position, stay.first, stay.last) for stay in main.stays] == [(0, 0, 1), (2, 1, 1)]
    assert [(stay.item.position, stay.first, stay.last) for stay in side.stays] == [(0, 0, 0), (1, 0, 0)]


def test_steps_are_what_came_and_what_went():
    story = Story("claude-sonnet-4-5").ask().call()
    thought = story.add(ItemKind.REASONING, 100)
    story.use(50)
    story.call().ask().call()
    (chain,) = chains(story.session())
    came_and_went = [({s.item.kind for s in step.entering}, [s.item for s in step.leaving]) for step in steps(chain)]
    assert came_and_went == [
        ({"user_text"}, []), ({"reasoning", "tool_call", "tool_result"}, []), ({"user_text"}, [thought]),
    ]  # fmt: skip
