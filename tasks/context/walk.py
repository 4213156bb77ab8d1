"""One chain of calls and what each of them held, item by item. Pure."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate

from tasks.context.branches import Branches
from tasks.context.forms import Changes, Look, cleared, first_look
from tasks.context.standing import Call, Form, Standing, Stay
from tasks.context.thinking import Kept, kept
from tasks.domain.kinds import ItemKind

_BEFORE_ALL = datetime(1, 1, 1)  # noqa: DTZ001 - times of the lake are UTC without a zone


@dataclass(frozen=True, slots=True)
class _Run:
    """Calls that follow each other on one branch in one epoch. `first` and `end` are indexes into the chain."""

    first: int
    end: int
    branch: int
    epoch: int


def _callers(items: Iterable[Standing]) -> dict[int, int]:
    """Position of a result -> number of the first call that may hold it: not that which asked for it, though some logs tell a
    call's usage after its results."""
    made: dict[str, int] = {}
    enters: dict[int, int] = {}
    for item in items:
        if item.call_id and item.kind == ItemKind.TOOL_CALL and item.is_made:
            made[item.call_id] = item.no
        elif item.call_id in made and item.kind == ItemKind.TOOL_RESULT:
            enters[item.position] = max(item.enters, made[item.call_id] + 1)
    return enters


class Walk:
    """One chain and its items in order of position."""

    def __init__(self, calls: Sequence[Call], items: Sequence[Standing]) -> None:
        self.calls, self.items = calls, items
        self._numbers = [call.no for call in calls]
        self._asked_by = _callers(items)
        self._branches = Branches(calls, items)
        self._runs = self._runs_of_calls()
        self._turns = self._turn_of_calls()
        self._latest = list(accumulate((call.at or _BEFORE_ALL for call in calls), max))
        """By call, the latest time that was told up to it: a log may tell its calls out of order."""
        self._drops: tuple[int, list[int]] = (-1, [])
        self._left = self._rewound()
        self._changes = Changes(items)

    def stays(self, item: Standing) -> list[Stay]:
        """Where an item stood; nothing for one that no call of the chain held."""
        first, end = self._at(self._asked_by.get(item.position, item.enters)), len(self.calls) if item.is_sent else 0
        end = min(end, self._left.get(item.position, end))
        found: list[Stay] = []
        for run in self._runs[bisect_left(self._runs, first, key=lambda run: run.end - 1) :] if first < end else ():
            if run.first >= end:
                break
            a, b = max(first, run.first), self._thinking_ends(item, max(first, run.first), min(end, run.end))
            if a < b and self._branches.sees(run.branch, item) and self._survives(item, first, run):
                for stay in self._by_form(item, a, b, run):
                    found[-1:] = _joined(found[-1:], stay)
        return found

    def _survives(self, item: Standing, first: int, run: _Run) -> bool:
        """Whether it is held in an epoch. A compaction takes all but the system's words and what it preserved; its summary may
        be told in front of it."""
        if item.kind == ItemKind.SYSTEM:
            return True
        made, now = (self._branches.epoch(run.branch, epoch) for epoch in (item.epoch, run.epoch))
        if item.kind == ItemKind.COMPACTION_SUMMARY:
            return now <= max(made, min(made + 1, self._branches.epoch(run.branch, self.calls[first].epoch)))
        return now <= made + ("preserved" in item.flags)

    def _by_form(self, item: Standing, first: int, end: int, run: _Run) -> Iterable[Stay]:
        """The forms that it stands in one after the other."""
        now = first_look(item)
        for cut, then in self._looks(item, first, end, run):
            if first < cut and now.form is not None:
                yield Stay(now.item, first, cut - 1, now.form, run.epoch, inferred=then.inferred)
            first, now = max(first, cut), then
        if first < end and now.form is not None:
            yield Stay(now.item, first, end - 1, now.form, run.epoch, inferred=now.inferred)

    def _looks(self, item: Standing, first: int, end: int, run: _Run) -> list[tuple[int, Look]]:
        """What it looks like from which call on, in order; cleared it stays."""
        found = [
            (max(self._at(notice.no), first), look)
            for notice, look in self._changes.of(item)
            if self._branches.sees(run.branch, notice)
        ]
        if item.cleared_at is not None:
            found.append((max(bisect_left(self._latest, item.cleared_at), first), cleared(item)))
        elif "pruned" in item.flags:
            later = (at for at in range(first, len(self.calls)) if self._turns[at] > item.turn)
            found.append((next(later, len(self.calls)), replace(cleared(item), inferred=True)))
        ordered = sorted((one for one in found if one[0] < end), key=lambda one: (one[0], one[1].form is not Form.PREVIEW))
        last = next((no for no, (_, look) in enumerate(ordered) if look.form is not Form.PREVIEW), len(ordered))
        return ordered[: last + 1]

    def _at(self, number: int) -> int:
        """Index of the first call with this number or a later one."""
        return bisect_left(self._numbers, number)

    def _runs_of_calls(self) -> list[_Run]:
        runs: list[_Run] = []
        for at, (call, branch) in enumerate(zip(self.calls, self._branches.of_calls, strict=True)):
            if runs and (runs[-1].branch, runs[-1].epoch) == (branch, call.epoch):
                runs[-1] = replace(runs[-1], end=at + 1)
            else:
                runs.append(_Run(at, at + 1, branch, call.epoch))
        return runs

    def _turn_of_calls(self) -> list[int]:
        """By what each call saw."""
        turns = [0] * len(self.calls)
        for branch in set(self._branches.of_calls):
            mine = [0] * len(self.calls)
            for item in self.items:
                at = self._at(item.no)
                if not item.is_made and at < len(mine) and self._branches.sees(branch, item):
                    mine[at] = max(mine[at], item.turn)
            for at, turn in enumerate(accumulate(mine, max)):
                if self._branches.of_calls[at] == branch:
                    turns[at] = turn
        return turns

    def _thinking_ends(self, item: Standing, first: int, end: int) -> int:
        """Index of the first call that no longer holds a piece of thinking: that of the next prompt, where it is dropped."""
        if item.kind != ItemKind.REASONING:
            return end
        if self._drops[0] != item.turn:  # items come in order, so each turn is looked at about once
            self._drops = item.turn, [at for at, turn in enumerate(self._turns) if self._forgets(at, turn > item.turn)]
        drops = self._drops[1]
        at = bisect_left(drops, first)
        return min(end, drops[at]) if at < len(drops) else end

    def _forgets(self, at: int, is_later: bool) -> bool:
        """Whether a call does not get thinking of its own or, if it is later, of an earlier turn."""
        how = kept(self.calls[at].model)
        return how is Kept.NEVER or (how is Kept.TURN and is_later)

    def _rewound(self) -> dict[int, int]:
        """Position of an item off the path, on no known branch -> index of the first call after the return to the path."""
        left: dict[int, int] = {}
        back = len(self.calls)
        for item in reversed(self.items):
            if item.on_path:
                back = self._at(item.no)
            elif item.branch is None:
                left[item.position] = back
        return left


def _joined(last: Sequence[Stay], stay: Stay) -> list[Stay]:
    """A stay that goes on where the last one ended, in the same form and epoch, is the same stay."""
    if not last or (last[0].last + 1, last[0].form, last[0].epoch, last[0].inferred) != (
        stay.first, stay.form, stay.epoch, stay.inferred,
    ):  # fmt: skip
        return [*last, stay]
    return [replace(last[0], last=stay.last)]
