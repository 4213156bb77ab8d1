"""Which items a call saw, by the branch of the session that it was made on. Pure.

A call on the path sees the path. A call on a branch that was left sees that branch, and what it goes on from, up to there;
of two branches left at the same place neither sees the other. Where the log does not tell branches apart, all that was left
is seen until the return to the path.
"""

import math
from collections.abc import Sequence

from tasks.context.standing import Call, Standing

PATH = -1
"""Stands for the active branch; every other one is named by the position of its first item."""


class Branches:
    """The branches of one chain."""

    def __init__(self, calls: Sequence[Call], items: Sequence[Standing]) -> None:
        self._limits: dict[int, dict[int, float]] = {PATH: {PATH: math.inf}}
        """By branch: of each branch that is seen from it, up to which position."""
        above = {item.branch: item for item in items if not item.on_path and item.branch is not None}
        for branch in sorted(above):
            self._limits[branch] = {**self._seen_above(above[branch]), branch: math.inf}
        self.of_calls = self._of_calls(calls, items) if above else [PATH] * len(calls)
        self._begins: dict[int, Standing] = {}
        """By epoch, the first item in it: a compaction counts where that is seen."""
        for item in items if above else ():
            self._begins.setdefault(item.epoch, item)

    def sees(self, branch: int, item: Standing) -> bool:
        """Whether a call on this branch may have had it in its window."""
        if not item.on_path and item.branch is None:
            return True
        limit = self._limits[branch].get(branch_of(item))
        return limit is not None and item.position <= limit

    def epoch(self, branch: int, epoch: int) -> int:
        """How many of the compactions up to this epoch a call on the branch had behind it."""
        if len(self._limits) == 1:
            return epoch
        return sum(one not in self._begins or self.sees(branch, self._begins[one]) for one in range(1, epoch + 1))

    def _seen_above(self, item: Standing) -> dict[int, float]:
        end, under = item.branch_after, PATH if item.branch_under is None else item.branch_under
        if end is None or under not in self._limits:
            return {}
        return {one: min(limit, end) for one, limit in self._limits[under].items()}

    def _of_calls(self, calls: Sequence[Call], items: Sequence[Standing]) -> list[int]:
        """A call is on the branch of what it made; of one that made nothing, on that of what came in before it."""
        made: dict[int, int] = {}
        came: dict[int, int] = {}
        for item in items:
            if item.on_path or item.branch is not None:
                (made if item.is_made else came)[item.no] = branch_of(item)
        found, last = [], PATH
        for call in calls:
            last = made.get(call.no, came.get(call.no, last))
            found.append(last)
        return found


def branch_of(item: Standing) -> int:
    """The branch that an item stands on."""
    return PATH if item.on_path or item.branch is None else item.branch
