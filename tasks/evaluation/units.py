"""What a control can evict: whole items, or blocks of lines of them. Pure.

A block ends after 24 lines, or after 8 where a line is blank or a definition begins. Its tokens are its share of its item's, by
length, so that blocks of an item have together what the item has.
"""

import re
from dataclasses import dataclass

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.evaluation.told import Told, atoms_of
from tasks.facts.lines import lines

LARGE_RESULT, LARGE_CALL = 120, 60
"""Tokens from which an item is taken apart."""
MOST_LINES, ENOUGH_LINES = 24, 8
_DEFINITION = re.compile(
    r"(?:func|type|class|def|interface|struct|enum|const|var|export|pub|fn|impl|async def|describe|it|test)\b"
)
_NUMBERED = re.compile(r" *\d+(?:→|\t)")


@dataclass(frozen=True, slots=True)
class Block:
    """A run of lines of an item, with what it says."""

    share: float
    """Of its item's tokens."""
    atoms: frozenset[str]
    lines: frozenset[str]


class Blocks:
    """The blocks of a session's items, made once per item."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._of: dict[str, tuple[Block, ...]] = {}

    def of(self, item: Item, tokens: int) -> tuple[Block, ...]:
        """One at least."""
        found = self._of.get(item.item_id)
        if found is None or "cleared" in item.flags:
            found = self._of[item.item_id] = self._made(item, tokens)
        return found

    def _made(self, item: Item, tokens: int) -> tuple[Block, ...]:
        large = LARGE_CALL if item.kind == ItemKind.TOOL_CALL else LARGE_RESULT
        texts = blocks(self._told.plain(item)) if tokens > large else []
        if len(texts) < 2:
            return (Block(1.0, self._told.atoms(item), self._told.lines(item)),)
        total = sum(map(len, texts))
        return tuple(Block(len(text) / total, atoms_of(text), frozenset(lines(text))) for text in texts)


def blocks(text: str) -> list[str]:
    """A text, cut between lines."""
    found: list[list[str]] = [[]]
    for line in text.split("\n"):
        size = len(found[-1])
        if size >= MOST_LINES or (size >= ENOUGH_LINES and _may_begin(line)):
            found.append([])
        found[-1].append(line)
    return ["\n".join(block) for block in found]


def _may_begin(line: str) -> bool:
    line = _NUMBERED.sub("", line, count=1)
    return not line.strip() or _DEFINITION.match(line) is not None


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
    """An item, and no block of one."""


def rank_of(item: Item) -> int:
    """Results and calls go first, the words of people last."""
    if item.kind in (ItemKind.TOOL_RESULT, ItemKind.TOOL_CALL, ItemKind.IMAGE):
        return 0
    return 2 if item.kind in (ItemKind.USER_TEXT, ItemKind.SYSTEM) else 1
