"""How much a chunk is worth keeping, by what stands in the context alone: the score that `chunk` evicts by. Pure.

Ten terms, each a fact of the chunk; the weights were found on other sessions and are the published ones.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import log1p

from tasks.compaction.chunks import Chunk, Cut, Part
from tasks.compaction.cutting import Cutting, Spot
from tasks.domain.kinds import ItemKind, ToolCategory

RECENT_CALLS = 5
"""What the agent says since is what it works on."""
PROTECTED_AGE = 2
"""Calls; what is no older goes after all else."""
REPEATED = 0.9
"""Share of the lines of a chunk that a later item shows again, from which on it is free."""
INHERITED = 0.3
"""Share of the lines of a free chunk whose last holder takes over its score."""
AGAIN = (ToolCategory.READ, ToolCategory.SEARCH, ToolCategory.EDIT)
"""Tools whose results can be had again."""
SAID = (ItemKind.ASSISTANT_TEXT, ItemKind.TOOL_CALL)


@dataclass(frozen=True, slots=True)
class Weights:
    """What a unit of each term adds to the worth of a chunk. All logarithms are natural, of one more than the number."""

    age: float = -0.8
    """Calls since the item."""
    mentioned: float = -0.1
    """Calls since the agent last said a name of it."""
    tokens: float = -0.5
    atoms: float = 0.4
    recent: float = 0.3
    """Atoms that the agent said in its last calls."""
    asked: float = 1.0
    """Atoms that the last message of the user has."""
    repeated: float = -1.0
    """Share of its lines that a later item shows."""
    new: float = 1.2
    """What an edit put into a file."""
    search: float = -2.7
    shell: float = -2.0
    read: float = -0.5
    once: float = 0.0
    """A result that no file and no search gives again: of the web, of a sub-agent."""


PUBLISHED = Weights()
RECOVERABLE = replace(PUBLISHED, shell=-1.0, once=0.5)
"""Files can be read again; what a command printed, a page said or a sub-agent found cannot, or not for the price of a read."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A chunk with its worth."""

    score: float
    repeated: float
    is_free: bool
    """Its lines stand somewhere later, or an edit replaced them."""
    age: int


def scored(cutting: Cutting, weights: Weights = PUBLISHED) -> list[Scored]:
    """Beside the spots of the cutting."""
    context = cutting.context
    recent = _recent(cutting)
    asked = _asked(cutting)
    last_said = _last_said(cutting)
    found: list[Scored] = []
    for spot in cutting.spots:
        age = max(0, context.now - cutting.made_by[spot.position])
        dup = repeated(cutting, spot)
        atoms = spot.chunk.atoms
        said = [no for at, no in map(last_said.__getitem__, atoms & last_said.keys()) if at > spot.position]
        score = (
            weights.age * log1p(age)
            + weights.mentioned * log1p(max(0, context.now - max(said)) if said else age)
            + weights.tokens * log1p(spot.chunk.tokens)
            + weights.atoms * log1p(len(atoms))
            + weights.recent * log1p(len(atoms & recent))
            + weights.asked * log1p(len(atoms & asked))
            + weights.repeated * dup
            + _by_source(cutting.items[spot.position].cut, spot.chunk, weights)
        )
        found.append(Scored(score, dup, dup >= REPEATED or spot.chunk.part == Part.OLD, age))
    return _inherited(cutting, found)


def order(spots: Sequence[Scored]) -> list[int]:
    """What goes first: what is not of the last calls, what is free, what is worth least, what is first."""
    return sorted(
        range(len(spots)),
        key=lambda index: (spots[index].age <= PROTECTED_AGE, not spots[index].is_free, spots[index].score, index),
    )


def repeated(cutting: Cutting, spot: Spot) -> float:
    """Share of the lines of a chunk that a later item shows again; 0 where it has no lines."""
    last, own = cutting.last_item_with, spot.chunk.lines
    return sum(last[line] > spot.position for line in own) / len(own) if own else 0.0


def _by_source(cut: Cut, chunk: Chunk, weights: Weights) -> float:
    if chunk.part == Part.NEW:
        return weights.new
    if cut.source is None:
        is_once = cut.item.kind == ItemKind.TOOL_RESULT and cut.item.tool_category not in AGAIN
        return weights.once if is_once else 0.0
    by_source = {ToolCategory.SEARCH: weights.search, ToolCategory.SHELL: weights.shell, ToolCategory.READ: weights.read}
    return by_source.get(cut.source, 0.0)


def _recent(cutting: Cutting) -> set[str]:
    """Atoms of what the agent said in its last calls."""
    context = cutting.context
    return _together(
        one.cut.atoms
        for position, one in enumerate(cutting.items)
        if one.cut.item.kind in SAID and context.request_nos[position] >= context.now - RECENT_CALLS
    )


def _asked(cutting: Cutting) -> set[str]:
    """Atoms of the last message that a person typed."""
    typed = (one.cut.atoms for one in reversed(cutting.items) if one.cut.item.kind == ItemKind.USER_TEXT)
    return set(next(typed, frozenset()))


def _last_said(cutting: Cutting) -> dict[str, tuple[int, int]]:
    """Atom -> (position, call) of the last item in which the agent said it."""
    last: dict[str, tuple[int, int]] = {}
    for position, one in enumerate(cutting.items):
        if one.cut.item.kind in SAID:
            last.update(dict.fromkeys(one.cut.atoms, (position, cutting.context.request_nos[position])))
    return last


def _inherited(cutting: Cutting, spots: list[Scored]) -> list[Scored]:
    """What stands for a chunk that goes for free is worth as much as that."""
    holder: dict[str, int] = {}
    for index, spot in enumerate(cutting.spots):
        holder.update(dict.fromkeys(spot.chunk.lines, index))
    scores = [one.score for one in spots]
    for index, one in enumerate(spots):
        if one.repeated < REPEATED:
            continue
        own = cutting.spots[index].chunk.lines
        held: dict[int, int] = {}
        for line in own:
            held[holder[line]] = held.get(holder[line], 0) + 1
        for heir, number in held.items():
            if heir != index and number >= INHERITED * len(own):
                scores[heir] = max(scores[heir], scores[index])
    return [Scored(score, one.repeated, one.is_free, one.age) for score, one in zip(scores, spots, strict=True)]


def _together(sets: Iterable[frozenset[str]]) -> set[str]:
    return set(chain.from_iterable(sets))
