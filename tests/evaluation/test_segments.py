"""Where policies are tried, and how far the future reaches."""

from contexts import Talk
from replays import LARGE, moments_of, wove

from tasks.evaluation.segments import CALLS_AHEAD, Trigger, counted, future, grid, logged, passing, segments


def read(talk: Talk, times: int) -> Talk:
    """Results of 1,100 tokens; a call has one word."""
    for number in range(times):
        talk.call("Read", LARGE, file_path=f"loom{number}")
    return talk


def test_a_point_is_the_first_call_whose_items_have_so_many_tokens():
    """A read and its call have 1,101 tokens, the prompt has one: 19 of them are beyond 20,000, 23 beyond 25,000."""
    talk = wove(read(Talk().user("Weave."), 24), 12)
    found = grid(moments_of(talk.items))
    sizes = counted(moments_of(talk.items))
    assert [(point.no, point.at_tokens) for point in found] == [(20, 20_000), (24, 25_000)]
    assert [sizes[point.at] for point in found] == [1 + 19 * 1_101, 1 + 23 * 1_101]


def test_a_call_that_passes_several_sizes_is_one_point():
    talk = wove(Talk().user("Weave.").call("Read", "weft " * 41_000, file_path="loom"), 12)
    assert [(point.no, point.at_tokens) for point in grid(moments_of(talk.items))] == [(2, 40_000)]


def test_thinking_is_not_counted():
    talk = wove(Talk().user("Weave.").think("weft " * 30_000).say("Well."), 12)
    assert grid(moments_of(talk.items)) == []


def test_ten_calls_have_to_follow():
    big = Talk().user("Weave.").call("Read", "weft " * 21_000, file_path="loom")
    assert len(grid(moments_of(wove(big, CALLS_AHEAD).items))) == 1
    big = Talk().user("Weave.").call("Read", "weft " * 21_000, file_path="loom")
    assert grid(moments_of(wove(big, CALLS_AHEAD - 1).items)) == []


def compacted() -> tuple[Talk, int]:
    """One read, twelve calls, a compaction, eleven calls."""
    talk = wove(Talk().user("Weave.").call("Read", "weft " * 21_000, file_path="loom"), 12)
    at = len(talk.items)
    return wove(talk.summary("We wove.").user("Go on."), 11), at


def test_a_compaction_ends_the_future():
    talk, at = compacted()
    found = moments_of(talk.items, at)
    assert [len(segment) for segment in segments(found)] == [13, 11]
    (point,) = grid(found)
    assert point.horizon == 12
    assert "t:25" in future(found, point)
    assert all(int(one.removeprefix("t:")) < at for one in future(found, point))


def test_what_the_agent_compacted_itself_is_a_point_with_what_it_left():
    talk, at = compacted()
    ((point, stood, kept),) = logged(moments_of(talk.items, at))
    assert (point.trigger, point.no, point.horizon) == (Trigger.LOGGED, 14, 11)
    assert [stay.item.item_id for stay in kept] == [f"t:{at}"]
    assert stood[0].item.item_id == "t:0"


def test_the_size_of_a_prompt_is_asked_for_by_what_the_provider_counted():
    talk = wove(Talk().user("Weave."), 12)
    found = moments_of(talk.items)
    assert passing(found, 2, Trigger.ASKED) is None
    asked = passing(found, 1, Trigger.ASKED)
    assert asked is not None
    assert (asked.no, asked.trigger, asked.at_tokens) == (1, Trigger.ASKED, 1)
