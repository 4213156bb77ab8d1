"""What a control can evict at once: whole items, or the chunks that policies cut them into. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tasks.compaction.chunks import Chunk
from tasks.compaction.cutting import Cutting
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.evaluation.future import Use

_FIRST = frozenset({ItemKind.TOOL_RESULT, ItemKind.TOOL_CALL, ItemKind.IMAGE})
_LAST = frozenset({ItemKind.USER_TEXT, ItemKind.SYSTEM})
_REST = 1 << 16
"""Number of what no chunk of an item holds: no neighbor of any."""
Holds = Mapping[int, Collection[int]]
"""Position -> numbers of the uses that its item can serve."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What is evicted at once."""

    position: int
    """Of its item in the context."""
    number: int
    """Within its item."""
    tokens: int
    rank: int
    """0 for what any policy may evict, 1 for what is evicted only where that is not enough, 2 for the words of people."""
    holds: frozenset[int]
    """Numbers of the uses that it can serve."""
    is_whole: bool = False
    """An item, and no chunk of one."""


def rank_of(item: Item) -> int:
    """Results and calls go first, the words of people last."""
    if item.kind in _FIRST:
        return 0
    return 2 if item.kind in _LAST else 1


def items(every: Sequence[Item], tokens: Sequence[int], holds: Holds) -> list[Unit]:
    """A unit for each item."""
    return [
        Unit(at, 0, size, rank_of(item), frozenset(holds.get(at, ())), is_whole=True)
        for at, (item, size) in enumerate(zip(every, tokens, strict=True))
    ]


def chunks(cutting: Cutting, holds: Holds, uses: Sequence[Use]) -> list[Unit]:
    """A unit for each chunk, and one for what is left of its item, which goes only where the chunks are not enough."""
    found: list[Unit] = []
    for at, one in enumerate(cutting.items):
        held = set(holds.get(at, ()))
        rest, tokens = set(held), one.cut.tokens
        for number, chunk in enumerate(one.cut.chunks):
            mine = frozenset(use for use in held if _says(chunk, uses[use]))
            found.append(Unit(at, number, chunk.tokens, 0, mine, is_whole=len(one.cut.chunks) == 1))
            rest -= mine
            tokens -= chunk.tokens
        if tokens > 0 or rest:
            found.append(Unit(at, _REST, max(0, tokens), max(1, rank_of(one.cut.item)), frozenset(rest)))
    return found


def _says(chunk: Chunk, use: Use) -> bool:
    return use.what in (chunk.lines if use.is_line else chunk.atoms)
