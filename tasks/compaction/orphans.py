"""Names that would be gone from a context altogether, left beside the marker of what held them. Pure."""

from collections import Counter
from collections.abc import Sequence

from tasks.compaction.cutting import Cutting

Run = tuple[int, ...]
"""Indexes of chunks that are next to each other in one item, and out."""
MOST_CHUNKS = 4
DEFINES = 3
"""How much more a chunk that defines something says for a name in it."""


def names_of(cutting: Cutting, evicted: set[int], runs: Sequence[Run], most: int) -> dict[Run, tuple[str, ...]]:
    """The newest runs first: the names that no text says any more, and no newer run lists. `most` for each two chunks."""
    said = _said(cutting, evicted)
    found: dict[Run, tuple[str, ...]] = {}
    for run in reversed(runs):
        weights: Counter[str] = Counter()
        for index in run:
            chunk = cutting.spots[index].chunk
            weights.update(dict.fromkeys(chunk.names - said, 1 + DEFINES * chunk.defines))
        room = int(most * min(MOST_CHUNKS, max(1, len(run) / 2)))
        told = tuple(sorted(weights, key=lambda name: (-weights[name], name))[:room])
        if told:
            found[run] = told
            said.update(told)
    return found


def _said(cutting: Cutting, evicted: set[int]) -> set[str]:
    """Atoms of all that stays."""
    said: set[str] = set()
    for position, one in enumerate(cutting.items):
        chunks = [(index, cutting.spots[index].chunk) for index in cutting.of_item.get(position, ())]
        said |= one.cut.atoms.difference(*(chunk.atoms for _, chunk in chunks))
        said.update(*(chunk.atoms for index, chunk in chunks if index not in evicted))
    return said
