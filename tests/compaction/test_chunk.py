"""`chunk` and the policies that evict as it does. Tokens are words."""

import hashlib
import json
import re
from typing import Any

import pytest
from contexts import Talk, words
from hypothesis import given
from hypothesis import strategies as st

from tasks.compaction.chunk import Chunk
from tasks.compaction.chunk_letter import ChunkLetter
from tasks.compaction.cutting import Cuts
from tasks.compaction.evict import Terms, evict
from tasks.compaction.evicting import Evicting
from tasks.compaction.oldest import Oldest
from tasks.compaction.oracle import Oracle
from tasks.compaction.passive_fifo import PassiveFifo
from tasks.compaction.plan import Budget, Context, Disposition, apply, outcome
from tasks.compaction.random_chunks import RandomChunks
from tasks.compaction.random_items import RandomItems
from tasks.compaction.restore import compacted, restore
from tasks.domain.kinds import ItemKind

MARKER = re.compile(r"\[elided: (\S+) (.*?) ?lines (\d+)-(\d+), ([\d,]+) tokens, ref (\d+)\]")
EVICTING = [Chunk, ChunkLetter, Oldest, RandomItems, RandomChunks, Oracle]
every_one = pytest.mark.parametrize("policy", EVICTING)


def code(name: str, lines: int = 60) -> str:
    return "".join(f"the {name} thread {number} goes over and under\n" for number in range(lines))


def long_talk() -> Talk:
    talk = Talk().user("Weave the border, and never cut the warp.")
    for name in ("warp", "weft", "shed", "heddle"):
        talk.call("Read", code(name), file_path=f"looms/{name}.py")
        talk.call(
            "Edit", "ok", file_path=f"looms/{name}.py", old_string=code(f"old {name}", 10), new_string=code(f"new {name}", 10)
        )
        talk.call("Bash", code(f"make {name}", 20), command=f"make {name} " * 20).say(f"The {name} is done.")
    return talk


def total(context: Context) -> int:
    return sum(context.tokens(at) for at in range(len(context.items)))


@every_one
@given(share=st.integers(1, 100))
def test_it_frees_what_is_asked_within_one_chunk_or_all_that_can_go(policy: type[Evicting], share: int):
    context = long_talk().context()
    frees = total(context) * share // 100
    plan = policy().plan(context, Budget(frees=frees))
    done = outcome(plan, context)
    # What is too small to go alone goes with its neighbors, and a marker is paid for by its longest form.
    largest = max(spot.chunk.tokens for spot in Cuts().of(context).spots) + 4 * 9
    assert done.freed >= frees or plan.notes[0].endswith("nothing more can go")
    assert done.freed - frees <= largest


@every_one
def test_what_people_and_the_agent_said_stays_when_all_else_goes(policy: type[Evicting]):
    context = long_talk().context()
    view = apply(policy().plan(context, Budget(frees=10**9)), context.items)
    said = (ItemKind.USER_TEXT, ItemKind.ASSISTANT_TEXT)
    assert [item for item in view if item.kind in said] == [item for item in context.items if item.kind in said]
    assert len(view) == len(context.items)


@every_one
def test_calls_are_still_calls(policy: type[Evicting]):
    context = long_talk().context()
    plan = policy().plan(context, Budget(frees=10**9))
    for item, before in zip(apply(plan, context.items), context.items, strict=True):
        if item.kind == ItemKind.TOOL_CALL:
            left, whole = json.loads(item.text), json.loads(before.text)
            assert left.keys() <= whole.keys()
            assert left.get("file_path") == whole.get("file_path")


@every_one
def test_all_comes_back(policy: type[Evicting]):
    context = long_talk().context()
    plan = policy().plan(context, Budget(frees=10**9))
    whole = {item.item_id: item for item in context.items}
    assert restore(compacted(plan, context.items), whole.get, words).items == context.items


def lines_of(item: Any, first: int, last: int) -> list[str]:
    """Lines of the text of an item, or of the texts in a call one after the other."""
    if item.kind == ItemKind.TOOL_CALL:
        arguments = json.loads(item.text)
        texts = [arguments[name] for name in sorted(arguments)]
        return [line for text in texts for line in text.split("\n")][first - 1 : last]
    return item.text.split("\n")[first - 1 : last]


@pytest.mark.parametrize("frees", [100, 400, 1_000, 1_900])
def test_a_marker_says_where_what_is_gone_can_be_read(frees: int):
    context = long_talk().context()
    plan = ChunkLetter().plan(context, Budget(frees=frees))
    by_ref = {item.seq: item for item in context.items}
    found = 0
    for change in plan.changes:
        before = context.items[change.position]
        for tool, _, first, last, tokens, ref in MARKER.findall(change.text or ""):
            assert by_ref[int(ref)] is before
            assert tool == before.tool_name
            gone = lines_of(before, int(first), int(last))
            left = change.text or ""
            kept = json.loads(left).values() if before.kind == ItemKind.TOOL_CALL else [left]
            assert not {line for line in gone if line.strip()} & {line for text in kept for line in str(text).split("\n")}
            if before.kind == ItemKind.TOOL_RESULT:
                assert int(tokens.replace(",", "")) == sum(map(words, gone))
            found += 1
    assert found


def test_a_result_keeps_its_other_chunks_word_for_word():
    talk = (
        Talk()
        .user("Where is specialWarp?")
        .call("Read", code("warp", 24) + code("specialWarp", 24) + code("weft", 24), file_path="a.py")
    )
    for _ in range(3):
        talk.call("Bash", "ok", command="ls")
    context = talk.context()
    # 24 lines of 8 words are a chunk of 192; what was asked for is worth more than the first and the last.
    plan = ChunkLetter().plan(context, Budget(frees=300))
    (change,) = plan.changes
    assert change.disposition == Disposition.SPLIT
    assert change.text == (
        "[elided: Read a.py lines 1-24, 192 tokens, ref 2]\n" + code("specialWarp", 24)
        + "[elided: Read a.py lines 49-72, 192 tokens, ref 2]"
    )  # fmt: skip
    assert change.reason == "2 of 3 chunks are out"


def test_neighbors_share_one_marker():
    talk = Talk().user("Weave.").call("Read", code("warp", 72), file_path="a.py")
    context = talk.context()
    (change,) = ChunkLetter().plan(context, Budget(frees=500)).changes
    assert change.text == "[elided: Read a.py lines 1-72, 576 tokens, ref 2]"
    assert change.disposition == Disposition.PLACEHOLDER


def test_an_edit_keeps_its_head_and_one_marker_speaks_for_both_parts():
    talk = Talk().user("Weave.").call("Edit", "ok", file_path="a.py", old_string=code("a", 10), new_string=code("b", 10))
    (change,) = ChunkLetter().plan(talk.context(), Budget(frees=10**9)).changes
    left = json.loads(change.text or "")
    # Line 1 is the path, 2 to 12 the new part with what follows its last line feed, 13 to 22 the old one. A line feed parts no
    # words in JSON: of 80 words in each part 71 are left, the last of the one is the first of the other, and one is the path's.
    assert left.keys() == {"file_path", "new_string", "old_string"}
    assert left["new_string"] == "[elided: Edit a.py lines 2-22, 140 tokens, ref 1]"
    assert (left["old_string"], left["file_path"]) == ("[elided]", "a.py")


def test_a_path_within_the_sessions_folder_is_said_from_there():
    talk = Talk().user("Weave.").call("Read", code("warp"), file_path="/home/weaver/looms/a.py")
    (change,) = ChunkLetter().plan(talk.context(cwd="/home/weaver"), Budget(frees=100)).changes
    assert (change.text or "").startswith("[elided: Read looms/a.py lines 1-")


def test_what_costs_no_more_than_its_marker_stays():
    talk = Talk().user("Weave.").call("Read", "warp weft shed", file_path="a.py").call("Bash", code("warp", 5), command="x")
    plan = ChunkLetter().plan(talk.context(), Budget(frees=10**9))
    assert [change.position for change in plan.changes] == [4]


def test_an_empty_line_goes_with_its_neighbor():
    talk = (
        Talk()
        .user("Weave.")
        .call("Read", code("warp", 24) + "\n", file_path="a.py")
        .call("Read", code("weft"), file_path="b.py")
    )
    (change,) = Oldest().plan(talk.context(), Budget(frees=100)).changes
    assert change.text == "[elided: lines 1-25, ref 2]"


def test_names_that_would_be_gone_altogether_are_left_beside_the_marker():
    talk = (
        Talk()
        .user("Weave with heddleLift.")
        .call("Read", code("heddleLift warpCount weftWidth shedAngle pickCount", 72), file_path="a.py")
    )
    context = talk.context(settings={"index": 2})
    (change,) = ChunkLetter().plan(context, Budget(frees=800)).changes
    # Three chunks: 2 x min(4, 3 / 2) names, by the alphabet since none defines anything; heddleLift is said by the user.
    assert (change.text or "").endswith("ref 2: pickCount, shedAngle, warpCount]")


@every_one
def test_the_index_is_paid_from_the_same_budget(policy: type[Evicting]):
    talk = long_talk()
    for number in range(6):
        talk.call("Read", code(f"nameNumber{number} otherName{number}", 30), file_path=f"looms/{number}.py")
    context = talk.context(settings={"index": 2})
    done = outcome(policy().plan(context, Budget(frees=1_500)), context)
    assert done.freed >= 1_500


def test_nominal_markers_cost_what_they_are_said_to():
    cutting = Cuts().of(long_talk().context())
    order = Chunk().order(cutting)
    out = evict(cutting, order, 600, Terms(marker_tokens=12))
    assert out.freed == sum(cutting.spots[index].chunk.tokens for run in out.runs for index in run) - 12 * len(out.runs)


def test_remembered_items_give_the_same_plan():
    talk, cuts = long_talk(), Cuts()
    for frees in (200, 800):
        for end in (6, 12, len(talk.items)):
            part = Talk(talk.items[:end], no=(talk.items[end - 1].request_no or 0) + 1).context()
            assert Chunk(cuts).plan(part, Budget(frees=frees)) == Chunk().plan(part, Budget(frees=frees))


def test_without_a_budget_it_comes_down_to_its_target_once_its_trigger_is_passed():
    context = long_talk().context(settings={"trigger_tokens": 1_000, "target_tokens": 700})
    assert outcome(Chunk().plan(context, Budget()), context).tokens_after <= 700
    assert Chunk().plan(long_talk().context(settings={"trigger_tokens": 10_000}), Budget()).changes == ()
    fits = outcome(Chunk().plan(context, Budget(window=900)), context)
    assert 700 < fits.tokens_after <= 900


def test_A01_what_is_pushed_out_is_the_first_demand_which_others_keep():
    context = long_talk().context()
    budget = Budget(frees=total(context) // 2)
    pushed = apply(PassiveFifo().plan(context, budget), context.items)
    kept = apply(Chunk().plan(context, budget), context.items)
    assert context.items[0] not in pushed
    assert context.items[0] in kept
    places = [context.items.index(item) for item in pushed]
    assert places == list(range(places[0], len(context.items)))


def test_the_oracle_keeps_what_will_be_used():
    context = long_talk().context()
    wanted = frozenset({"the shed thread 3 goes over and under", "the warp thread 50 goes over and under"})
    for policy in (Oracle(future_uses=wanted), Oracle()):
        told = long_talk().context(settings={} if policy.future_uses else {"future_uses": wanted})
        view = apply(policy.plan(told, Budget(frees=total(context) * 3 // 4)), told.items)
        shown = {line for item in view for line in item.text.split("\n")}
        assert wanted <= shown


@pytest.mark.parametrize("policy", [RandomItems, RandomChunks])
def test_another_seed_is_another_lot(policy: type[Evicting]):
    plans = [policy().plan(long_talk().context(settings={"seed": seed}), Budget(frees=900)) for seed in (0, 0, 1)]
    assert plans[0] == plans[1] != plans[2]


def test_oldest_takes_results_before_calls():
    context = long_talk().context()
    results = sum(context.tokens(at) for at, item in enumerate(context.items) if item.kind == ItemKind.TOOL_RESULT)
    few = Oldest().plan(context, Budget(frees=results // 2))
    assert {context.items[change.position].kind for change in few.changes} == {ItemKind.TOOL_RESULT}
    positions = [change.position for change in few.changes if change.text]
    assert positions == [
        at for at in range(positions[-1] + 1) if context.items[at].kind == ItemKind.TOOL_RESULT and context.tokens(at) > 9
    ]


def test_a_short_marker_leaves_what_the_call_says_to_the_call():
    talk = Talk().user("Weave.").call("Bash", code("warp", 48) + code("weft", 24), command="make cloth")
    (change,) = Oldest().plan(talk.context(), Budget(frees=300)).changes
    assert change.text == "[elided: lines 1-48, ref 2]\n" + code("weft", 24)


def test_of_a_file_that_is_gone_its_hash_stays_and_whether_it_was_edited_since():
    talk = Talk().user("Weave.")
    for name in ("warp", "weft", "weft"):
        talk.call("Read", code(name, 24), file_path=f"{name}.py")
    talk.user("Go on.").call("Edit", "ok", file_path="warp.py", old_string="x", new_string="y")
    talk.call("Edit", "no such text", error=True, file_path="weft.py", old_string="x", new_string="y")
    changes = Chunk().plan(talk.context(), Budget(frees=10**9)).changes
    digest = {name: hashlib.sha256(code(name, 24).encode()).hexdigest()[:8] for name in ("warp", "weft")}
    assert [change.text for change in changes] == [
        f"[elided: lines 1-24 @ {digest['warp']} (read turn 1), ref 2, STALE: edited turn 2]",
        "[elided: lines 1-24, ref 4]",
        f"[elided: lines 1-24 @ {digest['weft']} (read turn 1), ref 6]",
    ]


def test_a_file_that_is_gone_in_part_is_stale_all_the_same():
    talk = Talk().user("Weave.").call("Read", code("warp", 24) + code("specialWarp", 24), file_path="a.py")
    talk.call("Edit", "ok", file_path="a.py", old_string="x", new_string="y").user("Where is specialWarp?")
    (change,) = Chunk().plan(talk.context(), Budget(frees=100)).changes
    assert change.text == "[elided: lines 1-24, ref 2, STALE: edited turn 1]\n" + code("specialWarp", 24)
    (plain,) = Chunk().plan(talk.context(settings={"references": 0}), Budget(frees=100)).changes
    assert (plain.text or "").startswith("[elided: lines 1-24, ref 2]\n")


def test_the_plan_stays_while_something_in_it_is_open():
    steps = [{"content": f"weave the border number {number} " * 4, "status": "pending"} for number in range(8)]
    done = [step | {"status": "completed"} for step in steps]
    for todos, is_kept in ((steps, True), (done, False)):
        talk = Talk().user("Weave.").call("TodoWrite", "ok", todos=done).call("TodoWrite", "ok", todos=todos)
        changed = {change.position for change in Chunk().plan(talk.context(), Budget(frees=10**9)).changes}
        assert 1 in changed
        assert (3 not in changed) == is_kept
        assert 3 in {change.position for change in ChunkLetter().plan(talk.context(), Budget(frees=10**9)).changes}


def test_how_the_last_run_of_each_test_failed_stays():
    failure = "FAILED looms/test_warp.py::test_shed - AssertionError: expected 3 rows, got 0\n"
    failed = code("passed", 24) + failure + code("also", 23)
    talk = Talk().user("Test.").call("Bash", failed, command="pytest looms").call("Bash", failed, command="pytest looms")
    talk.call("Bash", failed, command="cat log.txt")
    view = apply(Chunk().plan(talk.context(), Budget(frees=10**9)), talk.items)
    assert [failure in item.text for item in view if item.kind == ItemKind.TOOL_RESULT] == [False, True, False]
    # The passing names before it are gone.
    assert "passed" not in view[4].text


def test_too_little_is_not_worth_a_compaction():
    context = long_talk().context(settings={"least_tokens": 500})
    plan = Chunk().plan(context, Budget(frees=499))
    assert (plan.changes, plan.notes) == ((), ("499 tokens are not worth a compaction: least_tokens is 500",))
    assert Chunk().plan(context, Budget(frees=500)).changes


def test_what_can_be_read_again_goes_before_what_was_printed_once():
    talk = Talk().user("Weave.").call("Read", code("warp", 20), file_path="x").call("WebFetch", code("weft", 20), url="y")
    for _ in range(3):
        talk.call("Bash", "ok", command="ls")
    assert [change.position for change in Chunk().plan(talk.context(), Budget(frees=100)).changes] == [2]
