"""What reading again would cost."""

from contexts import Talk

from tasks.evaluation.refetch import Refetch, Refetching


def refetching(holders: dict[int, set[int]], tokens: list[int]) -> Refetching:
    """Items 0 and 1 are reads, 2 is of a shell."""
    talk = Talk()
    for tool in ("Read", "Read", "Bash"):
        talk.call(tool, "weft", file_path="a")
    return Refetching([talk.items[at] for at in (1, 3, 5)], tokens, holders)


def test_M7_the_fewest_reads_are_taken_by_what_they_bring_a_token():
    """Item 1 costs 160 and brings two, item 0 costs 100 and brings one: 1 first, then 0 for the third."""
    found = refetching({7: {0}, 8: {1}, 9: {0, 1}}, [40, 100, 10])
    assert found.of(frozenset({8, 9})) == Refetch(1, 160, 0)
    assert found.of(frozenset({7, 8, 9})) == Refetch(2, 260, 0)


def test_M7_of_a_large_item_two_thousand_tokens_are_read():
    assert refetching({7: {0}}, [9_000, 1, 1]).of(frozenset({7})) == Refetch(1, 2_060, 0)


def test_M7_what_only_a_command_said_is_gone():
    assert refetching({7: {2}, 8: {0, 2}}, [40, 40, 40]).of(frozenset({7, 8})) == Refetch(1, 100, 1)
