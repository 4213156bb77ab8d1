"""Taking chunks out of a context, in a given order, until enough is freed: what every policy that evicts pays alike. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tasks.compaction.cutting import Cutting
from tasks.compaction.gone_files import references
from tasks.compaction.orphans import Run, names_of
from tasks.compaction.run_marker import NOTHING, Note, Style

Order = Sequence[int]
"""Indexes into the spots of a cutting, what goes first before all else."""
CONTINUED_TOKENS = 4
"""Of the few words in the arguments of a call that another argument's marker speaks for."""
MOST_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class Terms:
    """What stands in place of a run, and its price."""

    style: Style = Style.SHORT
    marker_tokens: int | None = None
    """A fixed price of every run; None for what its marker costs."""
    index: int = 0
    """Names left of each two chunks of a run."""
    has_references: bool = False
    """Whether markers say which bytes of a file are gone, and whether it was edited since."""


@dataclass(slots=True)
class Eviction:
    """What is out so far."""

    cutting: Cutting
    terms: Terms = Terms()
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
        """What was too small to go alone goes with its neighbor, and so does what says nothing."""
        for near in (index - 1, index + 1):
            if near not in self.evicted and self._is_near(index, near) and self._may_join(near) and self._gain(near) >= 0:
                self._put(near)
                self._join(near)

    def _may_join(self, index: int) -> bool:
        chunk = self.cutting.spots[index].chunk
        return index in self._poor or not (chunk.atoms or chunk.lines)

    def _is_near(self, one: int, other: int) -> bool:
        spots = self.cutting.spots
        return 0 <= other < len(spots) and spots[one].position == spots[other].position

    def _gain(self, index: int) -> int:
        """What taking it out frees, beside what is out already."""
        spot = self.cutting.spots[index]
        item = self.cutting.items[spot.position]
        near = [other for other in (index - 1, index + 1) if other in self.evicted and self._is_near(index, other)]
        runs = 1 - len(near)
        if self.terms.marker_tokens is not None:
            return spot.chunk.tokens - runs * self.terms.marker_tokens
        segments = 1 - sum(self.cutting.spots[other].chunk.leaf == spot.chunk.leaf for other in near)
        return spot.chunk.tokens - runs * item.marker_tokens[self.terms.style] - (segments - runs) * CONTINUED_TOKENS


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
    """What is out in the end, and what else the marker of a run says."""

    runs: tuple[Run, ...]
    notes: dict[Run, Note]
    freed: int
    """Net of markers and notes."""
    style: Style


def evict(cutting: Cutting, order: Order, frees: int, terms: Terms) -> Evicted:
    """Until `frees` tokens are freed net of markers and of all that they say."""
    eviction = Eviction(cutting, terms)
    eviction.until(frees, order)
    notes, cost = _notes(eviction)
    for _ in range(MOST_ROUNDS):
        out = len(eviction.evicted)
        eviction.until(frees + cost, order)
        if len(eviction.evicted) == out:
            break
        notes, cost = _notes(eviction)
    return Evicted(tuple(runs_of(cutting, eviction.evicted)), notes, eviction.freed - cost, terms.style)


def _notes(eviction: Eviction) -> tuple[dict[Run, Note], int]:
    """What markers say beside their lines, and what that costs."""
    cutting, terms = eviction.cutting, eviction.terms
    if not terms.index and not terms.has_references:
        return {}, 0
    runs = list(runs_of(cutting, eviction.evicted))
    notes = references(cutting, runs) if terms.has_references else {}
    if terms.index:
        for run, names in names_of(cutting, eviction.evicted, runs, terms.index).items():
            notes[run] = replace(notes.get(run, NOTHING), names=names)
    return notes, sum(cutting.context.count(note.extra) for note in notes.values())
