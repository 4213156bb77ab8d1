"""Sessions to replay in tests: a talk, with what the window knows of it. Tokens are words, as in tests/contexts.py."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contexts import Talk, words

from tasks.compaction.plan import Budget, Change, CompactionPlan, Context, Disposition
from tasks.compaction.policy import Policy
from tasks.compaction.window import Moments, context, moments
from tasks.context.window import Call, Session, Standing
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.evaluation.future import MADE, Use, uses
from tasks.evaluation.item_facts import Told
from tasks.evaluation.replay import Recorded
from tasks.evaluation.segments import Point

LARGE = "weft " * 1_100
"""A result of 1,100 tokens that says nothing."""


def standing(item: Item, *, epoch: int = 0, on_path: bool = True) -> Standing:
    return Standing(
        item.item_id, item.seq, item.request_no or 1, epoch, item.kind, item.tokens or 0, turn=item.turn or 0,
        is_made=item.kind in MADE, call_id=item.call_id, on_path=on_path, flags=frozenset(item.flags),
    )  # fmt: skip


def moments_of(items: Sequence[Item], compacted_before: int | None = None) -> Moments:
    """`compacted_before` is the position of a summary that starts the second epoch."""
    after = len(items) if compacted_before is None else compacted_before
    placed = [standing(item, epoch=int(at >= after)) for at, item in enumerate(items)]
    epochs = {item.no: item.epoch for item in placed if item.is_made}
    calls = tuple(Call(f"r{no}", no, 1, epoch) for no, epoch in sorted(epochs.items()))
    return moments(Session("loom:1", "claude-code", None, calls, tuple(placed)))


def recorded(talk: Talk, name: str = "loom:1", **more: Any) -> Recorded:
    found = moments_of(talk.items, **more)
    by_id = {item.item_id: item for item in talk.items}

    def see(point: Point, policy: str) -> Context:
        moment = found.every[point.at]
        return context(moment, found.held(moment), by_id, words, {})

    return Recorded(name, name, "claude-code", found, by_id, see)


def wove(talk: Talk, calls: int) -> Talk:
    """So many calls that say nothing."""
    for _ in range(calls):
        talk.call("Bash", "ok", command="weave")
    return talk


def needed(before: Talk, after: Talk) -> list[Use]:
    """`after` goes on where `before` stops."""
    items = [*before.items, *after.items]
    return uses(before.items, after.items, before.no, Told({item.item_id: item for item in items}))


def then(before: Talk) -> Talk:
    """What comes next, as a talk of its own items."""
    return _Later(turn=before.turn, no=before.no, first=len(before.items))


class _Later(Talk):
    def __init__(self, turn: int, no: int, first: int) -> None:
        super().__init__(turn=turn, no=no)
        self.first = first

    def _add(self, kind: ItemKind, text: str, **facts: Any) -> Talk:
        super()._add(kind, text, **facts)
        last = self.items[-1]
        number = self.first + len(self.items) - 1
        self.items[-1] = replace(last, item_id=f"t:{number}", seq=number, call_id=last.call_id and f"l{last.call_id}")
        return self


READ = "     1→def weave(warp):\n     2→    return warp + weft_of(warp)\n"
OLD = "    return warp + weft_of(warp)"


def edit(talk: Talk, *, error: bool = False) -> Talk:
    return talk.call("Edit", "ok", error=error, file_path="a.py", old_string=OLD, new_string="    return warp")


class Removes(Policy):
    """Takes some positions out, and leaves a text in their place where one is given."""

    name = "removes"

    def __init__(self, *positions: int, leaves: str | None = None) -> None:
        self.positions, self.leaves = positions, leaves

    def plan(self, context: Context, budget: Budget) -> CompactionPlan:
        there = [at for at in self.positions if at < len(context.items)]
        kind = Disposition.REMOVED if self.leaves is None else Disposition.PLACEHOLDER
        return self.decided(changes=tuple(Change(at, kind, self.leaves, "asked") for at in there))
