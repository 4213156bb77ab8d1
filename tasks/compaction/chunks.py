"""An item cut into the pieces that can go one by one: blocks of a result, old and new parts of an edit. Pure.

What nobody may take out (what people and the agent said, summaries, what the program injected, the head of an edit) is no
chunk.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from tasks.compaction.arguments import Leaf, dumped, escaped, leaves, long_arguments, parsed, with_texts
from tasks.compaction.plan import is_compacted
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind, ToolCategory
from tasks.facts.atoms import ENV, ERROR, HEX, IDENTIFIER, PATH, SHORTEST, URL, atoms
from tasks.facts.lines import lines, strings

ATOMS = frozenset({PATH, IDENTIFIER, ENV, HEX, URL, ERROR})
NAMES = frozenset({PATH, IDENTIFIER, ENV})
RESULT_TOKENS, WRITE_TOKENS, EDIT_TOKENS = 120, 120, 60
"""Items of no more tokens stay in one piece."""
MOST_LINES, FEWEST_LINES, WRITE_LINES = 24, 8, 16
_OLD = frozenset({"old_string", "old_str", "old_text", "oldText", "oldString", "old_content", "search"})
_NEW = frozenset({"new_string", "new_str", "new_text", "newText", "newString", "new_content", "replace", "replacement"})
_WRITTEN = frozenset({"content", "contents", "file_text", "fileText", "CodeContent", "insert_text", "text"})
_PATCH = "*** Update File: "
_NUMBER = re.compile(r" *(\d+)(?:→|\t)")
_WORD = r"(?:func|type|class|def|interface|struct|enum|const|var|export|pub|fn|impl|async def|describe|it|test)\b"
_DEFINES = re.compile(rf"^(?: *\d+(?:→|\t))?\s*{_WORD}", re.MULTILINE)
_DEFINES_HERE = re.compile(_WORD)
Block = tuple[int, int, int]
"""Start and end in a text, and the number of the first line from 1."""


class Part(StrEnum):
    """What of its item a chunk is."""

    WHOLE = "whole"
    """All that is long in a call, or a short result."""
    BLOCK = "block"
    OLD = "old"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of one text of an item."""

    part: Part
    leaf: Leaf
    start: int
    end: int
    """Characters of that text, `end` not among them."""
    lines_at: tuple[int, int]
    """First and last line, by the numbers that a read shows, else counted through the texts of the item from 1."""
    tokens: int
    atoms: frozenset[str]
    names: frozenset[str]
    """Those of the atoms that are paths or names."""
    lines: frozenset[str]
    defines: bool
    """Whether a line of it defines something."""


@dataclass(frozen=True, slots=True)
class Cut:
    """An item with its chunks; none where all of it stays whatever happens."""

    item: Item
    tokens: int
    kept_tokens: int
    """Of what stays even when all chunks are gone, markers aside."""
    atoms: frozenset[str]
    lines: frozenset[str]
    chunks: tuple[Chunk, ...] = ()
    source: ToolCategory | None = None
    """What a result is of: READ, SEARCH, SHELL; None for calls, and for all other results."""


@dataclass(frozen=True, slots=True)
class _Text:
    """A text of an item that is cut."""

    leaf: Leaf
    text: str
    part: Part
    first_line: int = 1
    most_lines: int | None = None
    """Of a chunk; None for all of it in one."""


@dataclass(frozen=True, slots=True)
class Cutter:
    """Cuts items. `count` gives the tokens of a text, `kinds` the atoms that are looked for."""

    count: Callable[[str], int]
    kinds: frozenset[str] = ATOMS

    def cut(self, item: Item, source: ToolCategory | None) -> Cut:
        """`source` is what a result is of."""
        tokens = self.count(item.text) if item.tokens is None else item.tokens
        chunks, kept = list[Chunk](), tokens
        if item.kind == ItemKind.TOOL_RESULT and not is_compacted(item):
            chunks, kept = self._result(item.text, tokens), 0
        elif item.kind == ItemKind.TOOL_CALL and not is_compacted(item):
            chunks, kept = self._call(item, tokens)
        text = "\n".join(strings(item.text)) if item.kind == ItemKind.TOOL_CALL else item.text
        every, _ = self._atoms(text)
        # A read may number its lines further down: what its chunks show is shown.
        shown = frozenset(lines(text)).union(*(chunk.lines for chunk in chunks))
        every = every.union(*(chunk.atoms for chunk in chunks))
        return Cut(item, tokens, kept, every, shown, tuple(_in_proportion(chunks, tokens - kept)), source)

    def _result(self, text: str, tokens: int) -> list[Chunk]:
        found = list(_blocks(text)) if tokens > RESULT_TOKENS else []
        if len(found) < 2:
            return [self._chunk(_Text((), text, Part.WHOLE), (0, len(text), 1), tokens)]
        whole = _Text((), text, Part.BLOCK)
        return [self._chunk(whole, block, self.count(text[block[0] : block[1]])) for block in found]

    def _call(self, item: Item, tokens: int) -> tuple[list[Chunk], int]:
        """The chunks, and what stays beside them."""
        arguments = parsed(item.text)
        texts = list(_texts(item, arguments, tokens))
        if not texts:
            return self._whole_call(item, arguments, tokens)
        chunks = [
            self._chunk(one, block, self.count(escaped(one.text[block[0] : block[1]])))
            for one in texts
            for block in (_every(one.text, one.most_lines) if one.most_lines else [(0, len(one.text), 1)])
        ]
        return chunks, self.count(dumped(with_texts(arguments, {one.leaf: "" for one in texts})))

    def _whole_call(self, item: Item, arguments: Any, tokens: int) -> tuple[list[Chunk], int]:
        """One chunk of all that is long; none where nothing is."""
        long = long_arguments(arguments, item.path)
        if not long:
            return [], tokens
        kept = self.count(dumped({name: value for name, value in arguments.items() if name not in long} | {long[0]: ""}))
        text = "\n".join(text for _, text in leaves({name: arguments[name] for name in long}))
        return [self._chunk(_Text((long[0],), text, Part.WHOLE), (0, len(text), 1), max(0, tokens - kept))], kept

    def _chunk(self, of: _Text, block: Block, tokens: int) -> Chunk:
        start, end, first = block
        piece, first = of.text[start:end], first + of.first_line - 1
        last = first + piece.rstrip("\n").count("\n")
        numbered = None if of.leaf else _NUMBER.match(piece)
        if numbered:
            first, last = int(numbered[1]), int(numbered[1]) + last - first
        every, names = self._atoms(piece)
        defines = _DEFINES.search(piece) is not None
        return Chunk(of.part, of.leaf, start, end, (first, last), tokens, every, names, frozenset(lines(piece)), defines)

    def _atoms(self, text: str) -> tuple[frozenset[str], frozenset[str]]:
        """All, and those that are names."""
        found = [atom for atom in atoms(text, self.kinds) if len(atom.text) >= SHORTEST]
        return frozenset(atom.text for atom in found), frozenset(atom.text for atom in found if atom.kind in NAMES)


def _in_proportion(chunks: list[Chunk], tokens: int) -> Iterator[Chunk]:
    """With tokens that add up: counted one by one, pieces of a text come to a little more than the text."""
    counted = sum(chunk.tokens for chunk in chunks)
    seen = given = 0
    for chunk in chunks:
        seen += chunk.tokens
        share = max(0, tokens) * seen // counted - given if counted else 0
        given += share
        yield chunk if share == chunk.tokens else replace(chunk, tokens=share)


def _blocks(text: str) -> Iterator[Block]:
    """Blocks of a result: one ends where a definition or an empty line begins the next, once it has some lines, and at the
    latest when it has many."""
    start = at = held = 0
    first = number = 1
    for line in _split(text):
        shown = _NUMBER.sub("", line, count=1) if _NUMBER.match(line) else line
        begins = not shown.strip() or _DEFINES_HERE.match(shown) is not None
        if held >= MOST_LINES or (held >= FEWEST_LINES and begins):
            yield start, at, first
            start, first, held = at, number, 0
        at += len(line)
        number += 1
        held += 1
    if held:
        yield start, at, first


def _split(text: str) -> list[str]:
    """Lines with their ends: a line ends with a line feed and nothing else."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _every(text: str, most: int) -> Iterator[Block]:
    """Blocks of so many lines."""
    split, at = _split(text), 0
    for first in range(0, len(split), most):
        end = at + sum(map(len, split[first : first + most]))
        yield at, end, first + 1
        at = end


def _texts(item: Item, arguments: Any, tokens: int) -> Iterator[_Text]:
    """The texts of a call that edits: what it replaces, what it puts there, what it writes."""
    if item.tool_category != ToolCategory.EDIT:
        return
    line = 1
    for leaf, text in leaves(arguments):
        name = next((part for part in reversed(leaf) if isinstance(part, str)), "")
        known = _kind_of(name, text, tokens)
        if known:
            yield _Text(leaf, text, known[0], line, known[1])
        line += text.count("\n") + 1


def _kind_of(name: str, text: str, tokens: int) -> tuple[Part, int | None] | None:
    """What part of an edit an argument is, and in blocks of how many lines it goes."""
    if not text:
        return None
    if name in _OLD and tokens > EDIT_TOKENS:
        return Part.OLD, None
    if name in _NEW and tokens > EDIT_TOKENS:
        return Part.NEW, None
    if (name in _WRITTEN or _PATCH in text) and tokens > WRITE_TOKENS:
        return Part.NEW, WRITE_LINES
    return None
