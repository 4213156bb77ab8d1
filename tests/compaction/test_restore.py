"""Compacted contexts come back to full text. Tokens are words."""

import copy
from collections.abc import Callable, Iterable

import pytest
from contexts import Talk, words
from hypothesis import given
from hypothesis import strategies as st

from tasks.compaction.foreign import contents_of, placeholders, restore_document
from tasks.compaction.plan import Budget, Change, CompactionPlan, Context, Disposition
from tasks.compaction.policy import Policy
from tasks.compaction.prune import Prune
from tasks.compaction.restore import Compacted, Gone, compacted, restore
from tasks.compaction.tier1 import Tier1
from tasks.compaction.tier2 import Tier2
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind

LONG = "warp weft " * 60


def session(results: int = 13, talk: Talk | None = None) -> Talk:
    """Thinking before each read."""
    talk = talk or Talk().user("Weave the border.").think("Where to begin?")
    for number in range(results):
        talk.think(f"Thought {number}.").call("Read", f"{number} {LONG}", file_path=f"looms/{number}.py")
    return talk.say("Woven.")


def tier1(context: Context) -> Compacted:
    return compacted(Tier1().plan(context, Budget()), context.items)


def of(items: Iterable[Item]) -> Callable[[str], Item | None]:
    return {item.item_id: item for item in items}.get


def test_A60_in_a_larger_window_all_results_and_all_thinking_come_back():
    context = session().context()
    done = restore(tier1(context), of(context.items), words, window=128_000)
    assert done.items == context.items
    assert (done.missing, done.left, done.is_incomplete) == ((), (), False)


def test_A60_the_newest_come_back_first_until_the_window_is_full():
    context = session().context()
    small = tier1(context)
    held = sum(words(item.text) for item in small.view)
    # The newest thing that changed is the thinking of the last reads, 2 words each, ten of them after the old results.
    done = restore(small, of(context.items), words, window=held + 10 * 2 + 121 - (5 + 1 + 41))
    whole = [item.text.startswith("2 ") for item in done.items if item.text.startswith("2 ")]
    assert whole == [True]
    assert done.restored[:10] == tuple(f"t:{2 + 3 * number}" for number in range(12, 2, -1))
    assert done.restored[10:] == ("t:10",)
    assert done.left == ("t:8", "t:7", "t:5", "t:4", "t:2", "t:1")
    assert done.tokens == held + 10 * 2 + 121 - 47


def test_A60_what_did_not_fit_comes_back_another_time():
    context = session().context()
    small = tier1(context)
    half = restore(small, of(context.items), words, window=sum(words(item.text) for item in small.view) + 40)
    names = {item.item_id for item in half.items}
    index = {item.item_id: at for at, item in enumerate(half.items)}
    still = tuple(
        Gone(one.item_id, _place(one, small, index, len(half.items))) for one in small.gone if one.item_id not in names
    )
    assert restore(Compacted(half.items, still), of(context.items), words).items == context.items


def _place(gone: Gone, small: Compacted, index: dict[str, int], end: int) -> int:
    return index[small.view[gone.before].item_id] if gone.before < len(small.view) else end


@pytest.mark.parametrize("output", ["[TRUNCATED: 900 bytes, 200 chars]", "[TRUNCATED: because the disk was full", "[pruned]"])
def test_A61_an_output_that_truly_looks_like_a_placeholder_survives(output: str):
    talk = session()
    talk.call("Read", output, file_path="log.txt")
    context = talk.context()
    small = tier1(context)
    asked: list[str] = []
    done = restore(small, lambda name: asked.append(name) or of(context.items)(name), words)
    assert done.items == context.items
    assert context.items[-1].text == output
    assert context.items[-1].item_id not in asked


def test_A61_an_old_output_that_looks_like_one_is_replaced_and_comes_back_like_any_other():
    talk = Talk().user("Weave.").call("Read", "[TRUNCATED: 5 bytes, 5 chars]\n" + LONG, file_path="log.txt")
    context = session(10, talk).context()
    small = tier1(context)
    assert small.view[2].text != context.items[2].text
    assert restore(small, of(context.items), words).items == context.items


def test_A62_the_original_is_found_by_the_items_own_id():
    context = session().context()
    small = tier1(context)
    first = next(item for item in small.view if item.kind == ItemKind.TOOL_RESULT)
    done = restore(small, of(context.items), words)
    assert next(item for item in done.items if item.kind == ItemKind.TOOL_RESULT) is of(context.items)(first.item_id)


def test_A63_what_has_no_original_stays_and_the_rest_comes_back_and_it_is_told():
    context = session().context()
    small = tier1(context)
    lost = next(item for item in small.view if item.kind == ItemKind.TOOL_RESULT)
    done = restore(small, of(item for item in context.items if item.item_id != lost.item_id), words)
    assert (done.missing, done.is_incomplete) == ((lost.item_id,), True)
    assert [item for item in done.items if item not in context.items] == [lost]
    assert len(done.items) == len(context.items)


def test_A64_without_any_original_nothing_comes_back_and_nothing_fails():
    small = tier1(session().context())
    done = restore(small, lambda _: None, words)
    assert done.items == small.view
    assert done.is_incomplete


def test_A65_summaries_are_not_expanded():
    talk = session()
    talk.user("Go on. " + LONG).say("word " * 200).user("Good.")
    context = talk.context(settings={"trigger_tokens": 200, "target_tokens": 10_000})
    small = compacted(Tier2().plan(context, Budget()), context.items)
    done = restore(small, of(context.items), words)
    assert [item for item in done.items if item.kind == ItemKind.COMPACTION_SUMMARY] == [small.view[1]]
    assert len(done.items) == len(small.view)


@pytest.mark.parametrize("policy", [Tier1, Prune])
def test_A66_restoring_gives_back_the_session_thinking_included(policy: type[Policy]):
    talk = session()
    for turn in range(5):
        talk.user(f"Row {turn}.").think("Hm.").call("Bash", LONG, command="make")
    context = talk.context()
    small = compacted(policy().plan(context, Budget()), context.items)
    assert small.view != context.items
    assert restore(small, of(context.items), words).items == context.items


STEPS = st.lists(
    st.tuples(st.sampled_from(("user", "think", "say", "call")), st.sampled_from(("a", LONG, "[pruned]", "織 " * 90)))
)


@given(steps=STEPS, recent=st.integers(0, 3))
def test_A66_whatever_was_said_and_done(steps: list[tuple[str, str]], recent: int):
    talk = Talk()
    for what, text in steps:
        talk = talk.call("Bash", text, command="make") if what == "call" else getattr(talk, what)(text)
    context = talk.context(settings={"recent_count": recent})
    assert restore(tier1(context), of(context.items), words).items == context.items


def test_a_call_that_is_gone_comes_back_with_its_result_or_not_at_all():
    context = Talk().user("Weave.").call("Read", "warp weft warp", file_path="a.py").say("Done.").context()
    user, call, result, said = context.items
    small = Compacted((user, said), (Gone(call.item_id, 1, call.call_id), Gone(result.item_id, 1, result.call_id)))
    assert restore(small, of(context.items), words, window=2 + 3).items == (user, said)
    assert restore(small, of(context.items), words, window=2 + 4).items == context.items


@pytest.mark.parametrize("disposition", [Disposition.PLACEHOLDER, Disposition.REFERENCE, Disposition.SPLIT])
def test_whatever_stands_for_an_item_of_its_own_is_restored(disposition: Disposition):
    context = Talk().user("Weave.").call("Read", LONG, file_path="a.py").context()
    plan = CompactionPlan("other", 1, (Change(2, disposition, "a.py @ 9f2c1ae", ""),))
    assert restore(compacted(plan, context.items), of(context.items), words).items == context.items


# Documents of CodeCoder


def document(*results: object) -> dict:
    messages: list[dict] = [{"role": "user", "items": [{"type": "text", "text": "[TRUNCATED: my words]"}], "id": 1}]
    for number, content in enumerate(results):
        item = {"type": "tool_result", "content": content}
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "items": [item], "id": number + 2})
    return {"schema_version": 5, "session_id": "cc-session-20261106-7be41d", "messages": messages}


SHORT = "[TRUNCATED: 900 bytes, 200 chars]\nlooms/a.py\nwarp"


def test_A61_in_a_foreign_document_the_beginning_of_a_result_is_the_only_sign():
    parts = [{"type": "text", "text": "fine"}, {"type": "text", "text": SHORT}]
    assert placeholders(document("whole", SHORT, " [TRUNCATED: 1", parts, None)) == ["call_1", "call_3"]


def test_A62_a_foreign_result_is_replaced_as_a_whole_by_that_of_its_call():
    full = document("one", [{"type": "text", "text": "two"}], "three")
    given = document(SHORT, [{"type": "text", "text": SHORT}], "three")
    before = copy.deepcopy(given)
    done = restore_document(given, contents_of(full).get, words)
    assert (done.document, done.restored) == (full, ("call_1", "call_0"))
    assert given == before


def test_A63_a_foreign_result_without_original_stays_and_that_is_told():
    given = document(SHORT, SHORT)
    done = restore_document(given, {"call_0": "one"}.get, words)
    assert (done.document, done.missing, done.is_incomplete) == (document("one", SHORT), ("call_1",), True)


def test_A64_placeholders_of_a_compacted_record_are_no_originals():
    assert contents_of(document("one", SHORT)) == {"call_0": "one"}


def test_A60_a_foreign_document_fills_its_window_from_the_newest_result():
    full = document("warp " * 20, "weft " * 20, "x")
    given = document(SHORT, SHORT, "x")
    # 3 words of the person, twice 7 of placeholders, 1: 18, and 13 more for each result.
    done = restore_document(given, contents_of(full).get, words, window=18 + 13)
    assert (done.restored, done.left) == (("call_1",), ("call_0",))
    assert done.document == document(SHORT, "weft " * 20, "x")


@pytest.mark.parametrize("odd", [{}, {"messages": None}, {"messages": [None, {"items": [None, 3]}, {"items": {}}]}])
def test_odd_documents_have_no_placeholders(odd: dict):
    assert placeholders(odd) == []
    assert restore_document(odd, {}.get, words).document == odd
