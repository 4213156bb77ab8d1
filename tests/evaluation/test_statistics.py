"""What may be claimed of rows, by hand."""

from typing import Any

import pytest

from tasks.evaluation.statistics import Line, Rate, table

ZEROS = (
    "refetch_calls", "refetch_tokens", "regret_unrecoverable", "weighted_uses", "weighted_regret", "hard_uses", "hard_regret",
    "invalidated_tokens", "index_credit", "open_steps", "line_uses", "line_regret",
)  # fmt: skip


def row(lineage: int, policy: str = "shuttle", beside: str | None = None, **more: Any) -> dict[str, Any]:
    told = dict.fromkeys(ZEROS, 0.0)
    return {
        **told, "lineage_id": f"loom:{lineage}", "policy": policy, "is_control": policy != "shuttle", "beside": beside,
        "budget": None, "trigger": "grid", "acts": True, "tokens_before": 1_000, "tokens_after": 600, "uses": 10,
        "atom_regret": 2.0, "constraints": 4, "constraint_survival": 0.5, "plan_fidelity": None, **more,
    }  # fmt: skip


def line(rows: list[dict[str, Any]]) -> Line:
    return next(one for one in table(rows) if one.policy == "shuttle")


def test_rates_are_lost_of_needed_over_all_points():
    found = line([row(1, uses=10, atom_regret=1.0), row(2, uses=30, atom_regret=9.0, tokens_before=3_000, tokens_after=1_400)])
    assert (found.rates["atoms"].value, found.points, found.lineages) == (0.25, 2, 2)
    assert found.freed == 0.5
    assert found.constraint_survival == 0.5


def test_points_where_it_freed_nothing_are_tried_and_not_counted():
    found = line([row(1), row(1, acts=False, tokens_after=1_000, atom_regret=0.0)])
    assert (found.points, found.tried, found.rates["atoms"].value) == (1, 2, 0.2)


def test_where_all_lineages_agree_the_interval_is_the_value():
    rows = [each for at in range(12) for each in (row(at), row(at, "oldest", "shuttle", atom_regret=3.0))]
    found = line(rows)
    assert found.rates["atoms"] == Rate(0.2, (0.2, 0.2))
    less = found.beside["oldest"]["atoms"]
    assert less.value == pytest.approx(-0.1)
    assert less.interval == pytest.approx((-0.1, -0.1))


@pytest.mark.parametrize(("lineages", "is_claimed"), [(11, False), (12, True)])
def test_below_twelve_lineages_nothing_is_claimed(lineages: int, is_claimed: bool):
    assert (line([row(at) for at in range(lineages)]).rates["atoms"].interval is not None) == is_claimed


@pytest.mark.parametrize(("lineages", "is_claimed"), [(19, False), (20, True)])
def test_below_twenty_lineages_nothing_is_claimed_of_lines(lineages: int, is_claimed: bool):
    rows = [row(at, line_uses=5, line_regret=1.0) for at in range(lineages)]
    assert (line(rows).rates["lines"].interval is not None) == is_claimed


def test_below_fifty_uses_nothing_is_claimed_however_many_the_lineages():
    assert line([row(at, uses=1, atom_regret=0.0) for at in range(49)]).rates["atoms"].interval is None


def test_points_of_one_lineage_are_drawn_together():
    """Six lose all and six nothing: drawn one by one they spread."""
    rows = [row(at, atom_regret=10.0 if at < 6 else 0.0) for at in range(12)]
    low, high = line(rows).rates["atoms"].interval or (0, 0)
    assert low < 0.3
    assert high > 0.7


def test_a_difference_is_drawn_on_the_same_lineages_on_both_sides():
    """Rates spread from 0 to 0.9, the difference is a tenth in each."""
    rows = [
        each
        for at in range(12)
        for each in (row(at, atom_regret=at % 10), row(at, "oldest", "shuttle", atom_regret=at % 10 + 1.0))
    ]
    found = line(rows)
    low, high = found.beside["oldest"]["atoms"].interval or (0, 0)
    assert (low, high) == pytest.approx((-0.1, -0.1))
    wide = found.rates["atoms"].interval or (0, 0)
    assert wide[1] - wide[0] > 0.1


def test_a_position_is_between_random_and_the_oracle():
    rows = [row(1), row(1, "random", "shuttle", atom_regret=5.0), row(1, "oracle", "shuttle", atom_regret=1.0)]
    assert line(rows).position["atoms"] == pytest.approx(0.75)
    assert line(rows).oracle["atoms"] == 0.1


def test_the_same_rows_in_another_order_give_the_same_table():
    rows = [row(at, atom_regret=float(at % 7)) for at in range(20)]
    assert table(rows) == table(reversed(rows))
