"""`item_level`: for each item one question, whether the next turn depends on its exact text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tasks.compaction import marker
from tasks.compaction.blocks import TURNS, block, groups
from tasks.compaction.cut import whole_before
from tasks.compaction.options import whole
from tasks.compaction.originals import originals
from tasks.compaction.pinned import Pinned, pinned, section
from tasks.compaction.plan import (
    MARK,
    Budget,
    Change,
    CompactionPlan,
    Context,
    Disposition,
    Insert,
    is_compacted,
    unless_larger,
)  # fmt: skip
from tasks.compaction.policy import Policy
from tasks.compaction.references import changes as references
from tasks.compaction.testsplit import Split, splits
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind, ToolCategory

CALLS = 6
"""The newest, with all that came of them, stay as they are."""
_REWORDED = (Disposition.REFERENCE, Disposition.SPLIT, Disposition.SUMMARIZED)


@dataclass(slots=True)
class _Made:
    """What is decided so far."""

    changes: dict[int, Change] = field(default_factory=dict)
    renewed: dict[int, Change] = field(default_factory=dict)
    """What an earlier compaction made, and what is known of it today."""
    inserts: list[Insert] = field(default_factory=list)
    runs: list[Split] = field(default_factory=list)
    notes: tuple[str, ...] = ()


class ItemLevel(Policy):
    """Reads before the newest `protected_calls` (6) calls become references to a revision, with a mark where the file changed
    since; of a test run of any age the failures stay word for word and the rest goes to a file; edits and reasoning before
    those calls become a block for each `block_turns` (30) turns. The plan, what people said and all else stay. A marker says
    what went and where it can be read."""

    name = "item_level"

    def plan(self, context: Context, budget: Budget) -> CompactionPlan:
        calls, context = whole(context.settings, "protected_calls", CALLS), _as_its_own(context)
        tail = next((at for at in range(len(context.items)) if context.age(at) <= calls), len(context.items))
        tail = whole_before(context.items, tail)
        fixed = pinned(context.items)
        read = {change.position: change for change in references(context, tail)}
        made = _Made({at: change for at, change in read.items() if not is_compacted(context.items[at])})
        made.renewed = {at: change for at, change in read.items() if at not in made.changes}
        made.runs = [one for one in splits(context) if one.change.position not in made.changes]
        made.changes |= {one.change.position: one.change for one in made.runs}
        _summarize(context, made, fixed, tail)
        if not made.changes:
            return self.decided(notes=("nothing to do: no old read, test run or edit that would be shorter",))
        _close(context, made, tail)
        kept = {at: _kept(at, item, fixed, tail) for at, item in enumerate(context.items)}
        changes = tuple((kept | made.renewed | made.changes).values())
        files, notes = tuple(one.artifact for one in made.runs), (*_about(context, made), *made.notes)
        plan = self.decided(changes=changes, inserts=tuple(made.inserts), artifacts=files, notes=notes)
        return unless_larger(plan, context)


def _as_its_own(context: Context) -> Context:
    """The context of a sub-agent, as it is to itself: no side of anything."""
    if not all(item.is_sidechain for item in context.items):
        return context
    return replace(context, items=tuple(replace(item, is_sidechain=False) for item in context.items))


def _summarize(context: Context, made: _Made, fixed: Pinned, tail: int) -> None:
    for positions in groups(context.items, _history(context.items, made, fixed, tail), _turns(context)):
        text = block(context, positions)
        if context.count(text) >= sum(context.tokens(at) for at in positions):
            continue
        reason = "edits and reasoning: their state is said in a block"
        made.changes |= {at: Change(at, Disposition.SUMMARIZED, None, reason) for at in positions}
        made.inserts.append(
            Insert(
                whole_before(context.items, positions[0]), ItemKind.COMPACTION_SUMMARY, text, reason, sources=tuple(positions)
            )
        )


def _turns(context: Context) -> int:
    return whole(context.settings, "block_turns", TURNS)


def _history(items: Sequence[Item], made: _Made, fixed: Pinned, tail: int) -> list[int]:
    """Positions before the tail that a block can stand for: a call only with all that came of it."""
    by_call: dict[str, list[int]] = {}
    for at, item in enumerate(items):
        if item.call_id:
            by_call.setdefault(item.call_id, []).append(at)
    found: list[int] = []
    for at, item in enumerate(items[:tail]):
        if item.is_sidechain or is_compacted(item) or at in made.changes or at in fixed.plan:
            continue
        if item.kind in (ItemKind.REASONING, ItemKind.ASSISTANT_TEXT):
            found.append(at)
        elif item.kind == ItemKind.TOOL_CALL and (item.tool_category == ToolCategory.EDIT or at in fixed.superseded):
            whole_call = by_call.get(item.call_id or "", [])
            if len(whole_call) > 1 and all(at <= one < tail and not is_compacted(items[one]) for one in whole_call):
                found += whole_call
    return sorted(set(found) - made.changes.keys())


def _close(context: Context, made: _Made, tail: int) -> None:
    """The section that is carried forward, in place of an older one, and behind it the marker."""
    evicted = sorted(made.changes)
    told = _marker(context, made, evicted, tail)
    text = marker.within(told, context.log_path, context.count)
    made.notes = (f"originals: {told.originals}",)
    for at, item in enumerate(context.items):
        if MARK + Disposition.PINNED in item.flags:
            made.renewed[at] = Change(at, Disposition.SUMMARIZED, None, "said anew further down")
    carried, why = section(context.items), "rules and open steps, word for word"
    made.inserts.append(Insert(tail, ItemKind.NOTICE, carried, why, disposition=Disposition.PINNED))
    made.inserts.append(Insert(tail, ItemKind.NOTICE, text, "what this compaction removed", sources=tuple(evicted)))


def _marker(context: Context, made: _Made, evicted: Sequence[int], tail: int) -> marker.Marker:
    before = sum(context.tokens(at) for at in evicted)
    after = _after(context, made, _REWORDED)
    turns = [context.items[at].turn or 0 for at in evicted if at < tail] or [context.items[at].turn or 0 for at in evicted]
    read = sum(change.disposition == Disposition.REFERENCE for change in made.changes.values())
    runs = tuple((one.number, one.artifact.path) for one in made.runs)
    edits = _before(context, made, Disposition.SUMMARIZED)
    told = (
        *((marker.reads(read),) if read else ()),
        *((marker.run_output(runs),) if runs else ()),
        *((marker.history(edits),) if edits else ()),
    )
    return marker.Marker(context.turn, before - after, after, (min(turns), max(turns)), told, originals(context, evicted))


def _before(context: Context, made: _Made, disposition: Disposition) -> int:
    return sum(context.tokens(at) for at, change in made.changes.items() if change.disposition == disposition)


def _after(context: Context, made: _Made, dispositions: Iterable[Disposition]) -> int:
    """Tokens of what stands for the items of these dispositions."""
    stand = sum(context.count(change.text or "") for change in made.changes.values() if change.disposition in dispositions)
    said = sum(context.count(one.text) for one in made.inserts if one.kind == ItemKind.COMPACTION_SUMMARY)
    return stand + (said if Disposition.SUMMARIZED in dispositions else 0)


def _about(context: Context, made: _Made) -> tuple[str, ...]:
    names = {Disposition.REFERENCE: "reads", Disposition.SPLIT: "test runs", Disposition.SUMMARIZED: "edits and reasoning"}
    return tuple(
        f"{name}: {before:,} tokens, {_after(context, made, (one,)):,} stay"
        for one, name in names.items()
        if (before := _before(context, made, one))
    )


def _kept(at: int, item: Item, fixed: Pinned, tail: int) -> Change:
    """Why an item stays."""
    if at in fixed.plan:
        return Change(at, Disposition.PINNED, None, "the plan, which its own tool alone rewrites")
    if item.kind == ItemKind.USER_TEXT:
        reason = "what a person said binds by its words"
    elif at >= tail:
        reason = "the agent is working on it"
    elif is_compacted(item):
        reason = "made by an earlier compaction"
    else:
        reason = "nothing says that it can be had again"
    return Change(at, Disposition.VERBATIM, None, reason)
