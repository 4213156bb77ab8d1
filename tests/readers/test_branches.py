"""Branches that were left are told apart, in trees and in logs that take things back."""

from tasks.domain.kinds import ItemKind
from tasks.domain.seen import SeenItem
from tasks.readers.branches import Node, leave, mark


def item(name: str) -> SeenItem:
    return SeenItem(name, "s", 1, 0, 1, 0, ItemKind.USER_TEXT, "user", name)


def named(items: list[SeenItem]) -> dict[str, tuple[str | None, str | None]]:
    return {one.item_id: (one.branch, one.branch_after) for one in items}


def test_branches_from_one_place_and_a_branch_of_a_branch_have_names_of_their_own():
    """0 - 1 is the path; 2 - 3 - 4 and 6 hang from 0, 5 hangs from 3."""
    items = [item(str(no)) for no in range(7)]
    nodes = [Node(parent, [one]) for parent, one in zip((None, 0, 0, 2, 3, 3, 0), items, strict=True)]
    mark(nodes, {0, 1})
    assert named(items) == {
        "0": (None, None), "1": (None, None), "2": ("2", "0"), "3": ("2", "0"), "4": ("4", "3"), "5": ("2", "0"),
        "6": ("6", "0"),
    }  # fmt: skip


def test_a_branch_goes_on_from_the_nearest_record_that_says_something():
    first, last = item("first"), item("last")
    mark([Node(None, [first]), Node(0), Node(1), Node(2, [last])], {0, 1})
    assert (last.branch, last.branch_after) == ("last", "first")


def test_a_branch_from_the_beginning_goes_on_from_nothing_and_a_circle_ends():
    start, one, other = item("start"), item("one"), item("other")
    mark([Node(None, [start]), Node(2, [one]), Node(1, [other])], set())
    assert start.branch_after is None
    assert {one.branch, other.branch} == {"one"}


def test_what_is_taken_back_twice_stays_on_the_branch_that_it_was_first_left_on():
    a, b, c = item("a"), item("b"), item("c")
    leave([b], a)
    leave([a, b, c], None)
    assert named([a, b, c]) == {"a": ("a", None), "b": ("b", "a"), "c": ("a", None)}
    assert not any(one.on_path for one in (a, b, c))
