"""Taking chunks out of a context, in a given order, until enough is freed: what every policy that evicts pays alike. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tasks.compaction.cutting import Cutting
from tasks.compaction.orphans import Run, names_of

Order = Sequence[int]
"""Indexes into the spots of a cutting, what goes first before all else."""
CONTINUED_TOKENS = 4
"""Of the few words in the arguments of a call that another argument's marker speaks for."""
MOST_ROUNDS = 6


@dataclass(slots=True)
class Eviction:
    """What is out so far. `marker_tokens` is a fixed price of every run; None for what its marker costs."""

    cutting: Cutting
    marker_tokens: int | None = None
    evicted: set[int] = field(default_factory=set)
    freed: int = 0
    """Net of the markers."""
    _poor: set[int] = field(default_factory=set)
    """Chunks whose marker would cost more than they do, while what is next to them stays."""

    def until(self, frees: int, order: Order) -> None:
        """Goes on in this order until so much is freed, or nothing is left."""
        for index in order:
            if self.freed >= frees:
                return
            if index in self.evicted:
                continue
            if self._gain(index) > 0:
                self._put(index)
                self._join(index)
            else:
                self._poor.add(index)

    def _put(self, index: int) -> None:
        self.freed += self._gain(index)
        self.evicted.add(index)

    def _join(self, index: int) -> None:
        """What was too small to go alone goes with its neighbor."""
        for near in (index - 1, index + 1):
            if near in self._poor and near not in self.evicted and self._is_near(index, near) and self._gain(near) > 0:
                self._put(near)
                self._join(near)

    def _is_near(self, one: int, other: int) -> bool:
        spots = self.cutting.spots
        return 0 <= other < len(spots) and spots[one].position == spots[other].position

    def _gain(self, index: int) -> int:
        """What taking it out frees, beside what is out already."""
        spot = self.cutting.spots[index]
        item = self.cutting.items[spot.position]
        near = [other for other in (index - 1, index + 1) if other in self.evicted and self._is_near(index, other)]
        runs = 1 - len(near)
        if self.marker_tokens is not None:
            return spot.chunk.tokens - runs * self.marker_tokens
        segments = 1 - sum(self.cutting.spots[other].chunk.leaf == spot.chunk.leaf for other in near)
        return spot.chunk.tokens - runs * item.marker_tokens - (segments - runs) * CONTINUED_TOKENS


def runs_of(cutting: Cutting, evicted: set[int]) -> Iterator[Run]:
    """Neighbors of one item that are out, in the order of the context."""
    run: list[int] = []
    for index in sorted(evicted):
        if run and (index != run[-1] + 1 or cutting.spots[index].position != cutting.spots[run[-1]].position):
            yield tuple(run)
            run = []
        run.append(index)
    if run:
        yield tuple(run)


@dataclass(frozen=True, slots=True)
class Evicted:
    """What is out in the end, and the names that each run leaves behind."""

    runs: tuple[Run, ...]
    names: dict[Run, tuple[str, ...]]
    freed: int


def evict(cutting: Cutting, order: Order, frees: int, *, marker_tokens: int | None = None, index: int = 0) -> Evicted:
    """Until `frees` tokens are freed net of markers and of the index: `index` names for each two chunks of a run, if any."""
    eviction = Eviction(cutting, marker_tokens)
    eviction.until(frees, order)
    names: dict[Run, tuple[str, ...]] = {}
    cost = 0
    for _ in range(MOST_ROUNDS if index else 0):
        names = names_of(cutting, eviction.evicted, list(runs_of(cutting, eviction.evicted)), index)
        cost = sum(cutting.context.count(": " + ", ".join(told)) for told in names.values())
        if eviction.freed - cost >= frees:
            break
        out = len(eviction.evicted)
        eviction.until(frees + cost, order)
        if len(eviction.evicted) == out:
            break
    return Evicted(tuple(runs_of(cutting, eviction.evicted)), names, eviction.freed - cost)
