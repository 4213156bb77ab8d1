"""The chain of Qwen Code's records: which are on the branch that the session ended on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tasks.domain.seen import SeenItem, SeenRecord
from tasks.readers.branches import Node


@dataclass(slots=True)
class Link:
    """A record. Pieces of one message share its id and stand or fall together."""

    no: int
    id: str
    parent: Any
    may_be_leaf: bool
    """System records follow the conversation and are no end of it; a rewind is one."""
    row: SeenRecord
    items: list[SeenItem] = field(default_factory=list)


def path(links: Sequence[Link]) -> set[str]:
    """Ids on the way from the last message to the root, and of what still follows it. Where the chain is broken, what stands
    before goes on."""
    last = {link.id: link for link in links}
    leaf = next((link for link in reversed(links) if link.may_be_leaf), links[-1] if links else None)
    found, at = set[str](), leaf
    while at is not None:
        found.add(at.id)
        at = _above(at, links, last, found)
    for link in links[leaf.no + 1 :] if leaf is not None else ():
        if link.parent in found if isinstance(link.parent, str) else False:
            found.add(link.id)
    return found


def _above(link: Link, links: Sequence[Link], last: dict[str, Link], found: set[str]) -> Link | None:
    if link.parent is None:
        return None
    above = last.get(link.parent) if isinstance(link.parent, str) else None
    if above is not None and above.id not in found:
        return above
    _flag(link.row, "dangling_parent" if above is None else "self_parent" if above.id == link.id else "parent_cycle")
    return next((one for one in reversed(links[: link.no]) if one.id not in found), None)


def _flag(row: SeenRecord, flag: str) -> None:
    if flag not in row.flags:
        row.flags += (flag,)


def tree(links: Sequence[Link], on_path: set[str]) -> tuple[list[Node], set[int]]:
    """The messages as a tree, all pieces of one together, and which of its nodes are on the path."""
    numbers: dict[str, int] = {}
    for link in links:
        numbers.setdefault(link.id, len(numbers))
    items: list[list[SeenItem]] = [[] for _ in numbers]
    parents: list[int | None] = [None] * len(numbers)
    for link in links:
        no = numbers[link.id]
        items[no] += link.items
        parents[no] = numbers.get(link.parent) if isinstance(link.parent, str) else None
    return [Node(parent, said) for parent, said in zip(parents, items, strict=True)], {numbers[one] for one in on_path}
