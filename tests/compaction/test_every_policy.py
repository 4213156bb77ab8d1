"""What holds for every policy of the registry, whatever a session looks like."""

import copy
from dataclasses import replace
from typing import Any

import pytest
from contexts import Talk, words
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.compaction.plan import Budget, CompactionPlan, Context, Disposition, apply, is_compacted, outcome
from tasks.compaction.registry import POLICIES, by_name
from tasks.compaction.restore import compacted, restore
from tasks.domain.errors import UsageError
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind

LONG = "warp weft " * 80
TEXTS = st.sampled_from((
    "Weave the border.", "You must never cut the warp.", "ok", "", LONG, "織物 " * 60, "[pruned]", "[blob:abc123] rows",
    "[TRUNCATED: 9 bytes, 9 chars]", "[Summary]\nGoal: Weave", "FAILED looms/test_a.py::test_warp - assert 3 == 0\n" * 20,
))  # fmt: skip
TOOLS = st.sampled_from(("Read", "Edit", "Bash", "Grep", "TodoWrite", "Task"))
ARGUMENTS = {
    "Read": {"file_path": "looms/a.py"},
    "Edit": {"file_path": "looms/a.py", "old_string": LONG, "new_string": "weft = 2\n" * 30},
    "Bash": {"command": "make test"}, "Grep": {"pattern": "warp", "path": "looms"}, "Task": {"prompt": "Dye the yarn."},
    "TodoWrite": {"todos": [{"content": "Warp", "status": "completed"}, {"content": "Weave", "status": "pending"}]},
}  # fmt: skip
STEP = st.one_of(
    st.tuples(st.sampled_from(("user", "say", "think", "inject", "summary")), TEXTS),
    st.tuples(st.just("call"), st.tuples(TOOLS, st.one_of(TEXTS, st.none()))),
)


def talked(steps: list[tuple[str, Any]]) -> Talk:
    talk = Talk().user("Weave a hanging of three looms' width.")
    for what, said in steps:
        talk = talk.call(said[0], said[1], **ARGUMENTS[said[0]]) if what == "call" else getattr(talk, what)(said)
    return talk


TALKS = st.lists(STEP, max_size=40).map(talked)
every_policy = pytest.mark.parametrize("name", POLICIES)


def budget(name: str, context: Context) -> Budget:
    """Half of the context for those that free what they are asked to; all others have a measure of their own."""
    total = sum(context.tokens(at) for at in range(len(context.items)))
    return Budget(frees=total // 2) if POLICIES[name].takes_budget else Budget()


def planned(name: str, context: Context) -> CompactionPlan:
    return POLICIES[name]().plan(context, budget(name, context))


def small(context: Context) -> Context:
    """With triggers so low that every policy has something to do."""
    told = {
        "trigger_tokens": 60,
        "target_tokens": 30,
        "protected_turns": 1,
        "retained_turns": 1,
        "recent_count": 2,
        "protected_calls": 1,
    }
    return replace(context, settings=told)


def again(context: Context, view: tuple[Item, ...]) -> Context:
    """The compacted context as the next compaction finds it."""
    numbers = dict(zip((item.item_id for item in context.items), context.request_nos, strict=True))
    told: list[int] = []
    for item in view:
        told.append(numbers.get(item.item_id, told[-1] if told else 0))
    return replace(context, items=view, request_nos=tuple(told))


@every_policy
@given(talk=TALKS)
def test_A02_A19_B01_the_session_is_as_it_was(name: str, talk: Talk):
    before = copy.deepcopy(talk.items)
    context = small(talk.context())
    apply(planned(name, context), context.items)
    assert talk.items == before
    assert context.items == tuple(before)


@every_policy
@given(talk=TALKS)
def test_A04_the_same_context_gives_the_same_bytes(name: str, talk: Talk):
    context = small(talk.context())
    one, other = planned(name, context), planned(name, copy.deepcopy(context))
    assert one == other
    assert repr(apply(one, context.items)) == repr(apply(other, context.items))


@every_policy
@given(talk=TALKS)
def test_what_is_not_changed_is_the_very_same_and_in_the_same_order(name: str, talk: Talk):
    context = small(talk.context())
    view = apply(planned(name, context), context.items)
    places = {item.item_id: at for at, item in enumerate(context.items)}
    order = [places[item.item_id] for item in view if item.item_id in places]
    assert order == sorted(set(order))
    assert all(is_compacted(item) or item is context.items[places[item.item_id]] for item in view)


@every_policy
@given(talk=TALKS)
def test_no_result_is_left_without_its_call(name: str, talk: Talk):
    context = small(talk.context())
    view = apply(planned(name, context), context.items)
    called = {item.call_id for item in view if item.kind == ItemKind.TOOL_CALL}
    assert [item.call_id for item in view if item.kind == ItemKind.TOOL_RESULT and item.call_id not in called] == []


@every_policy
@given(talk=TALKS)
def test_nobody_speaks_for_a_person(name: str, talk: Talk):
    context = small(talk.context())
    view = apply(planned(name, context), context.items)
    typed = {item for item in context.items if item.kind == ItemKind.USER_TEXT}
    assert [item for item in view if item.kind == ItemKind.USER_TEXT and item not in typed] == []


@pytest.mark.parametrize("name", [name for name, policy in POLICIES.items() if not policy.takes_budget])
@given(talk=TALKS)
@settings(deadline=None)
def test_compacting_again_changes_nothing(name: str, talk: Talk):
    context = small(talk.context())
    once = apply(planned(name, context), context.items)
    twice = again(context, once)
    assert apply(planned(name, twice), twice.items) == once


@every_policy
@given(talk=TALKS)
def test_A05_all_that_no_summary_stands_for_comes_back(name: str, talk: Talk):
    context = small(talk.context())
    plan = planned(name, context)
    whole = {item.item_id: item for item in context.items}
    done = restore(compacted(plan, context.items), whole.get, words)
    summarized = {change.position for change in plan.changes if change.disposition == Disposition.SUMMARIZED}
    assert not done.is_incomplete
    assert [item for item in done.items if item.item_id in whole] == [
        item for at, item in enumerate(context.items) if at not in summarized
    ]
    assert len(done.items) == len(context.items) - len(summarized) + len(plan.inserts)


@every_policy
@given(talk=TALKS)
def test_no_policy_makes_a_context_larger(name: str, talk: Talk):
    context = small(talk.context())
    assert outcome(planned(name, context), context).freed >= 0


@every_policy
def test_an_empty_context_stays_empty(name: str):
    context = Context((), (), now=1, count=words)
    assert apply(planned(name, context), ()) == ()


@every_policy
def test_every_policy_says_what_it_keeps(name: str):
    policy = POLICIES[name]
    assert policy.__doc__ and policy.version >= 1
    assert by_name(name) is policy


@every_policy
def test_nothing_is_freed_that_was_not_measured(name: str):
    talk = Talk().user("Weave.").say("Yes.")
    context = small(talk.context())
    done = outcome(planned(name, context), context)
    assert done.tokens_after == sum(words(item.text) for item in done.view)


def test_an_unknown_policy_is_a_usage_error_with_the_known_ones():
    with pytest.raises(UsageError, match=r"no policy 'tier3'; give one of .*tier1"):
        by_name("tier3")
