"""Charts show what their rows say, name what their colors mean, and can be read by those who do not see them."""

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tasks.context.cache import Cause
from tasks.report import bars, charts, columns, drawing, growth, trends
from tasks.report.bars import Bar
from tasks.report.causes import CAUSES
from tasks.report.columns import Column

HOSTILE = "</text><script>alert(1)</script>\x1b[31m\u202egnp.exe\n&amp;\"'"


def a_part(kind: str, sent: int, said: int | None = None, **cost: Any) -> dict[str, Any]:
    """A row of `cost_by_kind`."""
    money = dict.fromkeys(("cost_usd", "cost_cache_read_usd", "cost_cache_write_usd", "cost_uncached_usd"))
    return {"kind": kind, "token_requests": sent, "content_tokens": said, **money, **cost}


def a_call(no: int, tokens: int, **more: Any) -> dict[str, Any]:
    """A row of `growth_of_largest_sessions`."""
    plain = {"context_limit": None, "compactions_after": 0, "miss_cause": None, "tokens_repaid": None}
    return {"session_id": "s", "call_no": no, "prompt_tokens": tokens, **plain, **more}


def layer(spec: Mapping[str, Any], at: int) -> list[dict[str, Any]]:
    """The rows that a layer draws."""
    rows: list[dict[str, Any]] = spec["layer"][at]["data"]["values"]
    return rows


def test_a_bar_is_laid_of_its_pieces_in_order() -> None:
    spec = bars.spec([Bar("warp", {"new": 10, "again": 30}, "40")], {"new": "red", "again": "blue"}, is_wide=True)
    assert layer(spec, 0) == [
        {"place": 0, "piece": "new", "from": 0, "to": 10},
        {"place": 0, "piece": "again", "from": 10, "to": 40},
    ]


def test_bars_of_one_name_stay_apart() -> None:
    spec = bars.spec([Bar("warp", {"a": 1}, "1"), Bar("warp", {"a": 2}, "2")], {"a": "red"}, is_wide=False)
    assert [row["place"] for row in layer(spec, 0)] == [0, 1]


def test_less_than_nothing_has_no_length() -> None:
    spec = bars.spec([Bar("rest", {"residual": -5}, "-5")], {"residual": "red"}, is_wide=True)
    assert layer(spec, 0) == []


@pytest.mark.parametrize("is_wide", [True, False])
def test_a_long_name_stays_in_its_column(is_wide: bool) -> None:
    spec = bars.spec([Bar("w" * 300, {"a": 1}, "1")], {"a": "red"}, is_wide)
    assert len(layer(spec, 1)[0]["text"]) * bars.LETTER <= spec["padding"]["left"]


@pytest.mark.parametrize("is_wide", [True, False])
def test_a_picture_is_as_wide_as_it_says(is_wide: bool) -> None:
    spec = bars.spec([Bar("warp", {"a": 1}, "1 token")], {"a": "red"}, is_wide)
    whole = spec["width"] + spec["padding"]["left"] + spec["padding"]["right"]
    assert whole == (drawing.WIDE if is_wide else drawing.NARROW)
    picture = drawing.draw(lambda wide: bars.spec([Bar("warp", {"a": 1}, "1 token")], {"a": "red"}, wide), "d")
    assert f'width="{whole}"' in picture


def test_a_column_hangs_down_below_zero() -> None:
    spec = columns.spec([Column("2026-03-02", {"a": -5})], {"a": "red"}, is_wide=True)
    assert layer(spec, 0) == [{"place": 0, "piece": "a", "from": 0, "to": -5}]


@pytest.mark.parametrize(("count", "named"), [(1, [0]), (2, [0, 1]), (60, [0, 10, 20, 30, 39, 49, 59])])
def test_a_few_columns_are_named_from_the_first_to_the_last(count: int, named: list[int]) -> None:
    spec = columns.spec([Column(f"day {at}", {"a": 1}) for at in range(count)], {"a": "red"}, is_wide=True)
    assert [row["place"] for row in layer(spec, 1)] == named


def test_text_of_a_log_is_drawn_as_text() -> None:
    rows = [{"tool_name": HOSTILE, "tool_category": "read", "token_requests": 9, "content_tokens": 1, "cost_usd": None}]
    chart = charts.tools(rows)
    assert chart
    assert "<script" not in chart.picture
    assert not set(chart.picture) & set("\x1b\u202e")
    assert "&lt;/text&gt;&lt;script&gt;" in chart.picture


def test_a_model_of_odd_name_keeps_its_color() -> None:
    chart = trends.models([{"day": date(2026, 3, 2), "model": "loom\x1b", "cost_usd": Decimal(1)}])
    assert chart
    assert 'fill="var(--c1)"' in chart.picture


def test_same_rows_give_the_same_bytes() -> None:
    rows = [a_part("tool_result", 900, 100), a_part("overhead", 50)]
    assert charts.tokens_by_part(rows) == charts.tokens_by_part(rows)


def test_a_picture_needs_nothing_from_elsewhere() -> None:
    """Colors are those of the page, and nothing in it is a link, a style, a script or a number that must be the only one."""
    chart = charts.tokens_by_part([a_part("tool_result", 900, 100), a_part("overhead", 50)])
    assert chart
    assert not re.search(r"href|url\(|<style|<script|<image|<foreignObject|\bid=", str(chart.picture))
    assert not re.search(r"#[0-9a-fA-F]{3,6}\b", str(chart.picture))
    assert "var(--c1)" in chart.picture


def test_what_was_sent_again_is_all_but_the_first_time() -> None:
    chart = charts.tokens_by_part([a_part("tool_result", 900, 100)])
    assert chart
    assert [words for _, words in chart.keys] == ["the first time", "again, with later calls"]
    assert 'aria-label="Prompt tokens by what they are: tool results 900 · 100.0 %' in chart.picture


def test_results_are_carried_until_their_last_use_and_after_it() -> None:
    row = {"tool_name": "Read", "tool_category": "read", "token_requests": 1000, "token_requests_after_last_use": 250}
    chart = charts.unused([row])
    assert chart
    assert [words for _, words in chart.keys] == ["until the last use", "after it"]
    assert "Read 25.0 % after it" in chart.picture


def test_every_cause_of_a_miss_has_words() -> None:
    assert {cause.value for cause in Cause} <= CAUSES.keys()


def test_a_legend_names_only_what_is_drawn() -> None:
    paid = {"cost_usd": Decimal(3), "cost_cache_read_usd": Decimal(1), "cost_cache_write_usd": Decimal(2)}
    chart = charts.money_by_part([a_part("tool_result", 900, 100, **paid)])
    assert chart
    assert [words for _, words in chart.keys] == ["read from the cache", "written to the cache"]


def test_money_that_no_account_has_is_no_chart() -> None:
    assert charts.money_by_part([a_part("tool_result", 9, 1), a_part("no_window", 9, cost_usd=Decimal(1))]) is None


def test_models_that_cost_least_share_a_color() -> None:
    rows = [
        {"day": date(2026, 3, 2), "model": f"loom-{price}", "cost_usd": Decimal(price)} for price in range(1, 10)
    ] + [{"day": date(2026, 3, 2), "model": "free", "cost_usd": None}]  # fmt: skip
    chart = trends.models(rows)
    assert chart
    assert [words for _, words in chart.keys] == ["loom-9", "loom-8", "loom-7", "loom-6", "loom-5", "loom-4", "other models"]


def test_four_hundred_nights_show_the_last_that_fit() -> None:
    first = datetime(2026, 1, 1, 2)
    rows = [{"at": first + timedelta(days=day), "prompt_tokens": 5, "cost_usd": None} for day in range(400)]
    chart = trends.nights(rows, "prompt_tokens")
    assert chart
    assert "from 2026-12-07 to 2027-02-04" in chart.picture
    assert trends.nights(rows, "cost_usd") is None


def test_a_line_of_growth_marks_compactions_misses_and_a_near_limit() -> None:
    calls = [
        a_call(1, 500, context_limit=1000),
        a_call(2, 900, compactions_after=2),
        a_call(3, 200, miss_cause="idle", tokens_repaid=80),
    ]
    one = growth.Growth(calls)
    spec = growth.spec(one)
    assert layer(spec, 1) == [{"call_no": 2.5}]
    assert layer(spec, 3) == [{"call_no": 3, "prompt_tokens": 200}]
    assert layer(spec, 4) == [{"prompt_tokens": 1000}]
    assert one.description == (
        "Prompt tokens of 3 calls, 500 at the first, 200 at the last; the most are 900 of 1.00k that fit. "
        "2 compactions, 1 prefix paid for again."
    )


def test_a_far_limit_does_not_press_the_line_flat() -> None:
    spec = growth.spec(growth.Growth([a_call(1, 100, context_limit=1_000_000), a_call(2, 300)]))
    assert layer(spec, 4) == []


def test_a_long_line_keeps_its_ends_and_both_sides_of_a_compaction() -> None:
    calls = [a_call(no, no, compactions_after=int(no == 1001)) for no in range(1, 5001)]
    drawn = [row["call_no"] for row in layer(growth.spec(growth.Growth(calls)), 0)]
    assert {1, 1001, 1002, 5000} <= {*drawn}
    assert len(drawn) <= growth.MOST_POINTS + 3


def test_sessions_are_drawn_in_the_order_of_the_answer() -> None:
    rows = [{**a_call(1, 9), "session_id": name} for name in ("b", "a", "b")]
    assert [len(one.rows) for one in growth.by_session(rows)] == [2, 1]
