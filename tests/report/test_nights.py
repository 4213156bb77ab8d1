"""What is kept of each night, and what one added to the one before."""

from datetime import datetime
from decimal import Decimal

from tasks.report import nights
from tasks.report.nights import Night


def a_night(day: int, snapshot: int, tokens: int, cost: str | None = "1.5") -> Night:
    """Of March 2026, at two."""
    return Night(datetime(2026, 3, day, 2), snapshot, prompt_tokens=tokens, cost_usd=None if cost is None else Decimal(cost))


def test_lines_come_back_as_the_nights_they_tell() -> None:
    known = [a_night(1, 2, 100), a_night(2, 4, 150, None)]
    assert nights.read(nights.told(known)) == known


def test_a_torn_line_costs_its_night_alone() -> None:
    lines = nights.told([a_night(1, 2, 100), a_night(2, 4, 150)])
    torn = lines[:-20]
    assert nights.read(torn) == [a_night(1, 2, 100)]
    assert nights.read(torn + b"\n" + nights.told([a_night(3, 6, 160)])) == [a_night(1, 2, 100), a_night(3, 6, 160)]


def test_lines_that_are_no_nights_are_passed_over() -> None:
    odd = b'[]\n"x"\n{}\n{"at": "soon", "snapshot": 1}\n{"at": "2026-03-01T02:00:00", "snapshot": "x"}\n\xff\xfe\n\n'
    assert nights.read(odd) == []


def test_a_field_that_a_later_version_adds_is_zero_before() -> None:
    assert nights.read(b'{"at": "2026-03-01T02:00:00", "snapshot": 2, "of_tomorrow": 5}') == [Night(datetime(2026, 3, 1, 2), 2)]


def test_telling_a_snapshot_again_replaces_its_line() -> None:
    known = nights.with_tonight([a_night(1, 2, 100)], a_night(2, 4, 150))
    assert nights.with_tonight(known, a_night(2, 4, 155)) == [a_night(1, 2, 100), a_night(2, 4, 155)]


def test_a_lake_built_again_counts_from_one_and_its_nights_come_last() -> None:
    known = nights.with_tonight([a_night(1, 2, 100), a_night(2, 4, 150)], a_night(5, 2, 151))
    assert [night.prompt_tokens for night in known] == [100, 150, 151]


def test_a_night_is_set_beside_the_one_before() -> None:
    change = nights.changes([a_night(1, 2, 100, "1.5"), a_night(2, 4, 150, "1.75")])
    assert [(one["prompt_tokens"], one["cost_usd"], one["before"].day) for one in change] == [(50, Decimal("0.25"), 1)]


def test_a_snapshot_of_maintenance_is_no_night_of_its_own() -> None:
    """It has the newest run of the snapshot before."""
    change = nights.changes([a_night(1, 2, 100), a_night(2, 4, 150), a_night(2, 5, 150)])
    assert [one["prompt_tokens"] for one in change] == [50]


def test_a_cost_that_was_unknown_has_no_difference() -> None:
    assert [one["cost_usd"] for one in nights.changes([a_night(1, 2, 100, None), a_night(2, 4, 150)])] == [None]


def test_the_first_night_is_beside_none() -> None:
    assert nights.changes([a_night(1, 2, 100)]) == []
