"""The context a policy is given is what the window held at that call, and nothing later."""

from dataclasses import replace

from windows import OVERHEAD, Story

from tasks.compaction.window import CLEARED, moments
from tasks.compaction.window import context as context_of
from tasks.context.window import Session
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind


def session(story: Story) -> Session:
    return Session("loom:1", story.agent, None, tuple(story.calls), tuple(story.items))


def items(story: Story) -> dict[str, Item]:
    return {one.item_id: Item(one.item_id, "loom:1", one.position, one.kind, "warp", tokens=one.tokens) for one in story.items}


def held(story: Story, tokens: int) -> list[str]:
    found = moments(session(story))
    moment = found.first_with(tokens)
    assert moment is not None
    return [stay.item.item_id for stay in found.held(moment)]


def test_the_first_call_with_so_many_prompt_tokens_is_the_moment_and_what_it_made_is_not_in_it():
    story = Story().ask(20).call()
    story.use(5_000)
    story.call()
    story.use(7_000)
    story.call()
    assert [one.tokens for one in moments(session(story)).every[:3]] == [call.prompt_tokens for call in story.calls]
    assert held(story, OVERHEAD + 4_000) == ["i0", "i1", "i2"]
    assert held(story, 1) == ["i0"]
    assert moments(session(story)).first_with(10**6) is None
    assert moments(session(story)).largest() == story.calls[-1].prompt_tokens


def test_behind_the_end_stands_the_call_that_would_come_next():
    story = Story().ask(20).call()
    story.use(5_000)
    found = moments(session(story))
    assert (found.every[-1].no, found.every[-1].is_counted) == (2, False)
    assert [stay.item.item_id for stay in found.held(found.every[-1])] == ["i0", "i1", "i2"]


def test_where_no_call_counted_its_prompt_the_items_are_counted():
    story = Story().ask(20).call()
    story.use(5_000)
    story.call()
    story.use(7_000)
    story.calls.clear()
    assert [one.tokens for one in moments(session(story)).every] == [20, 20 + 30 + 5_000, 20 + 30 + 5_000 + 30 + 7_000]
    assert held(story, 5_050) == ["i0", "i1", "i2"]


def test_a_side_question_is_no_moment_of_the_conversation():
    story = Story().ask(20).call()
    story.use(5_000)
    story.call()
    story.calls.append(replace(story.calls[-1], no=3, prompt_tokens=90_000, is_sidechain=True))
    assert moments(session(story)).first_with(80_000) is None


def test_a_session_that_is_all_a_sub_agents_has_its_moments():
    story = Story().ask(20).call()
    side = Session(
        "loom:1/a", story.agent, None, tuple(replace(call, is_sidechain=True) for call in story.calls),
        tuple(replace(item, is_sidechain=True) for item in story.items),
    )  # fmt: skip
    assert [one.no for one in moments(side).every] == [1, 2]


def test_what_the_program_had_cleared_is_not_told_to_a_policy():
    story = Story().ask(20).call()
    result = story.use(5_000)
    story.call()
    story.add(ItemKind.NOTICE, 0, is_sent=False, clears=(result.call_id,))
    story.held.pop()
    story.call()
    found = moments(session(story))
    at = found.every[2]
    context = context_of(at, found.held(at), items(story), len, {}, cwd="/srv")
    assert [item.text for item in context.items] == ["warp", "warp", CLEARED]
    assert (context.now, context.cwd, context.turn, context.items[2].tokens) == (3, "/srv", 1, None)
