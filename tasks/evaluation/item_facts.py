"""What the items of one session say that can be found again, found out once per item however often it is replayed. Pure."""

import re
from collections.abc import Mapping
from functools import cached_property

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.facts.atoms import ENV, ERROR, HEX, IDENTIFIER, PATH, SHORTEST, URL, atoms
from tasks.facts.constraints import constraints
from tasks.facts.lines import lines, replaced, strings

KINDS = frozenset({PATH, IDENTIFIER, ENV, HEX, URL, ERROR})
"""Numbers are no evidence of a need; flags and words with hyphens are known anyway."""
_NOTHING: frozenset[str] = frozenset()
_NUMBER = re.compile(r"^ *\d+(?:→|\t)", re.MULTILINE)


def plain(item: Item) -> str:
    """The words of an item; of a call those of its arguments, nothing escaped."""
    return "\n".join(strings(item.text)) if item.kind == ItemKind.TOOL_CALL else item.text


def atoms_of(text: str) -> frozenset[str]:
    """Paths, names, hashes, addresses and errors of a text."""
    return frozenset(atom.text for atom in atoms(text, KINDS) if len(atom.text) >= SHORTEST)


def lines_of(text: str) -> frozenset[str]:
    """The lines of a text, with and without the number that a read puts before each: it may stand behind anything else."""
    return frozenset(lines(text)).union(lines(_NUMBER.sub("", text)))


def words(text: str) -> str:
    """A text with single spaces: how sentences are compared."""
    return " ".join(text.split())


def _stripped(text: str) -> frozenset[str]:
    return frozenset(line.strip() for line in text.split("\n"))


class Told:
    """The items of a session by id, each read once."""

    def __init__(self, items: Mapping[str, Item]) -> None:
        self.items = items
        self._plain: dict[str, str] = {}
        self._atoms: dict[str, frozenset[str]] = {}
        self._lines: dict[str, frozenset[str]] = {}
        self._whole: dict[str, frozenset[str]] = {}
        self._replaced: dict[str, frozenset[str]] = {}
        self._constraints: dict[str, tuple[str, ...]] = {}

    @cached_property
    def known(self) -> frozenset[str]:
        """What the system's words say anyway: nobody has to keep it."""
        return _NOTHING.union(*(self.atoms(item) for item in self.items.values() if item.kind == ItemKind.SYSTEM))

    @cached_property
    def succeeded(self) -> frozenset[str]:
        """`call_id`s of calls with a result and no error."""
        results = [item for item in self.items.values() if item.kind == ItemKind.TOOL_RESULT and item.call_id]
        return frozenset(one.call_id for one in results if one.call_id) - {
            one.call_id for one in results if "error" in one.flags and one.call_id
        }

    def plain(self, item: Item) -> str:
        """Of an item as it was logged; one that was changed or cleared is not in the session."""
        if self._is_changed(item):
            return plain(item)
        if item.item_id not in self._plain:
            self._plain[item.item_id] = plain(item)
        return self._plain[item.item_id]

    def atoms(self, item: Item) -> frozenset[str]:
        if self._is_changed(item):
            return atoms_of(plain(item))
        if item.item_id not in self._atoms:
            self._atoms[item.item_id] = atoms_of(self.plain(item))
        return self._atoms[item.item_id]

    def lines(self, item: Item) -> frozenset[str]:
        if self._is_changed(item):
            return lines_of(plain(item))
        if item.item_id not in self._lines:
            self._lines[item.item_id] = lines_of(self.plain(item))
        return self._lines[item.item_id]

    def whole(self, item: Item) -> frozenset[str]:
        """All lines, without the space around them."""
        if self._is_changed(item):
            return _stripped(plain(item))
        if item.item_id not in self._whole:
            self._whole[item.item_id] = _stripped(self.plain(item))
        return self._whole[item.item_id]

    def replaced(self, item: Item) -> frozenset[str]:
        """Lines that an edit which succeeded gave as what it replaces."""
        if item.kind != ItemKind.TOOL_CALL or item.call_id not in self.succeeded:
            return _NOTHING
        if item.item_id not in self._replaced:
            self._replaced[item.item_id] = frozenset(replaced(item.text))
        return self._replaced[item.item_id]

    def constraints(self, item: Item) -> tuple[str, ...]:
        """What a person demanded in this message, with single spaces."""
        if item.kind != ItemKind.USER_TEXT:
            return ()
        if item.item_id not in self._constraints:
            self._constraints[item.item_id] = tuple(words(one.text) for one in constraints([item]))
        return self._constraints[item.item_id]

    def _is_changed(self, item: Item) -> bool:
        told = self.items.get(item.item_id)
        return told is None or told.text is not item.text
