"""Branches that a session left: what stands on each, and what it goes on from. Shared by readers of trees and of lists.

All on one branch have the branch's first item as `branch`, so that two branches from the same place are told apart, and a
branch from a branch too. A call on a branch saw that branch, and what it goes on from up to there.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from tasks.domain.seen import SeenItem


@dataclass(frozen=True, slots=True)
class Node:
    """A record of a tree, as far as its branches need it."""

    parent: int | None
    """Number of the record that it hangs from, if that is in the log."""
    items: Sequence[SeenItem] = field(default_factory=tuple)


Line = Callable[[Sequence[int]], Collection[int]]
"""Of the nodes of a subtree, in order: those that its last one goes on from, and what belongs to them."""


def leave(gone: Sequence[SeenItem], before: SeenItem | None) -> None:
    """Takes back what a log in one line takes back together. What had been left before stays on its own branch.

    `before`: the last thing before the last of them that is not taken back; it may stand between them.
    """
    fresh = [item for item in gone if item.branch is None]
    for item in fresh:
        item.on_path = False
        item.branch, item.branch_after = fresh[0].item_id, before.item_id if before else None


def mark(nodes: Sequence[Node], on_path: Collection[int], line: Line | None = None) -> None:
    """Names the branches of a tree: what hangs from the path and is not on it, and what hangs from that in turn."""
    left = [no for no in range(len(nodes)) if no not in on_path]
    while left:
        rest: list[int] = []
        for root, group in _subtrees(nodes, left).items():
            found = {root, *(line(group) if line else _last_line(nodes, group))}
            _name([item for no in group if no in found for item in nodes[no].items], _above(nodes, root))
            rest += [no for no in group if no not in found]
        left = rest


def _subtrees(nodes: Sequence[Node], left: Sequence[int]) -> dict[int, list[int]]:
    """Nodes by the one that their parents lead to without leaving `left`."""
    inside, root_of, found = set(left), dict[int, int](), dict[int, list[int]]()
    for start in left:
        trail, at = [start], nodes[start].parent
        while at is not None and at in inside and at not in root_of and at not in trail:
            trail.append(at)
            at = nodes[at].parent
        root = root_of.get(at, trail[-1]) if at is not None else trail[-1]
        root_of.update(dict.fromkeys(trail, root))
        found.setdefault(root, []).append(start)
    return found


def _last_line(nodes: Sequence[Node], group: Sequence[int]) -> set[int]:
    inside, found, at = set(group), set[int](), group[-1]
    while at in inside and at not in found:
        found.add(at)
        above = nodes[at].parent
        at = -1 if above is None else above
    return found


def _above(nodes: Sequence[Node], root: int) -> SeenItem | None:
    """The last item that the branch goes on from."""
    seen, at = {root}, nodes[root].parent
    while at is not None and at not in seen:
        if nodes[at].items:
            return nodes[at].items[-1]
        seen.add(at)
        at = nodes[at].parent
    return None


def _name(items: Sequence[SeenItem], before: SeenItem | None) -> None:
    for item in items:
        item.branch, item.branch_after = items[0].item_id, before.item_id if before else None
