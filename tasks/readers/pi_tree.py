"""The tree of pi's entries: which are on the path from the last one to the root, and what a compaction left of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tasks.domain.seen import SeenCompaction, SeenItem, SeenRecord
from tasks.readers import branches
from tasks.readers.values import whole


@dataclass(slots=True)
class Entry:
    """A line below the header."""

    no: int
    id: str | None
    parent: Any
    """Id of another entry, None at the root."""
    has_parent: bool
    """Version 1 has none: an entry follows the one before it."""
    row: SeenRecord
    items: list[SeenItem] = field(default_factory=list)
    compaction: SeenCompaction | None = None
    first_kept: Any = None
    """Of a compaction: id of an entry, or in version 1 a number that counts the header."""


class Tree:
    """All entries of one file."""

    def __init__(self, session_id: str, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self._places: dict[str, int] = {session_id: -1}
        self.is_broken = False
        for entry in entries:
            for item in entry.items:
                # OpenClaw lets a result hang from its call.
                if item.call_id and item.kind == "tool_call":
                    self._places.setdefault(item.call_id, entry.no)
        self._places |= {entry.id: entry.no for entry in entries if entry.id}

    def path(self) -> list[Entry]:
        """From the root to the last entry. Where the chain is broken, what stands before goes on."""
        found, seen, at = list[Entry](), set[int](), len(self.entries) - 1
        while at >= 0:
            entry = self.entries[at]
            found.append(entry)
            seen.add(at)
            at = self._above(entry)
            if at in seen:
                self._break(entry, "self_parent" if at == entry.no else "parent_cycle")
                at = next((no for no in range(entry.no - 1, -1, -1) if no not in seen), -1)
        return found[::-1]

    def nodes(self) -> list[branches.Node]:
        """All entries as a tree."""
        found = []
        for entry in self.entries:
            place = self._place_above(entry)
            place = entry.no - 1 if place is None else place
            found.append(branches.Node(place if place >= 0 else None, entry.items))
        return found

    def _above(self, entry: Entry) -> int:
        place = self._place_above(entry)
        if place is None:
            self._break(entry, "dangling_parent")
            return entry.no - 1
        return place

    def _place_above(self, entry: Entry) -> int | None:
        """-1 above the root; None where the parent is not there."""
        if not entry.has_parent:
            return entry.no - 1
        if entry.parent is None:
            return -1
        return self._places.get(entry.parent) if isinstance(entry.parent, str) else None

    def _break(self, entry: Entry, flag: str) -> None:
        self.is_broken = True
        if flag not in entry.row.flags:
            entry.row.flags += (flag,)


def settle(path: Sequence[Entry], entries: Sequence[Entry]) -> None:
    """Says of all items whether they are on the path, and of those there whether a compaction kept them."""
    on_path = {entry.no for entry in path}
    for entry in entries:
        for item in entry.items:
            item.on_path = entry.no in on_path
    window = list[Entry]()
    for place, entry in enumerate(path):
        if entry.compaction is None:
            window.append(entry)
            continue
        kept = _kept(path[:place], entry)
        stay = {one.no for one in kept}
        gone = [item for one in window if one.no not in stay for item in one.items if item.in_context]
        entry.compaction.items_removed = len(gone)
        window = [entry, *kept]
        for item in (item for one in kept for item in one.items):
            item.flags += () if "preserved" in item.flags else ("preserved",)


def _kept(before: Sequence[Entry], compaction: Entry) -> list[Entry]:
    """What goes on from before a compaction; earlier summaries never do."""
    first = compaction.first_kept
    if isinstance(first, str):
        start = next((place for place, entry in enumerate(before) if entry.id == first), len(before))
        found = before[start:]
    else:
        number = whole(first)[0]
        found = [entry for entry in before if number is not None and entry.no + 1 >= number]
    return [entry for entry in found if entry.compaction is None]
