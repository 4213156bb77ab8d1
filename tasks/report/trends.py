"""The charts of the nightly page that go over time: days, what models cost by day, nights. Rows -> a chart."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from tasks.report import words
from tasks.report.answers import Rows
from tasks.report.charts import BLUE, GRAY, GREEN, NAVY, OLIVE, ORANGE, PURPLE, Chart
from tasks.report.columns import DOLLARS, TOKENS, Column, spec
from tasks.report.drawing import draw

SHOWN = 60
"""Days, and nights: more are no columns any more."""
BUCKETS = {
    "cache_read_tokens": (BLUE, "read from the cache"),
    "cache_write_tokens": (ORANGE, "written to the cache"),
    "input_uncached_tokens": (NAVY, "not cached"),
}
"""Disjoint parts of a prompt, from the bottom up."""
MODEL_COLORS = (BLUE, ORANGE, NAVY, GREEN, PURPLE, OLIVE)
OTHERS = "other models"


def days(rows: Rows) -> Chart | None:
    """Prompt tokens by day, in their buckets."""
    columns = [Column(words.day(row["day"]), {name: row[name] for name in BUCKETS}) for row in rows[-SHOWN:]]
    return _of("Prompt tokens by day", columns, BUCKETS)


def models(rows: Rows) -> Chart | None:
    """Dollars by day and model; the models that cost least share one color."""
    cost: dict[str, float] = defaultdict(float)
    by_day: dict[Any, dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row["day"] is not None and row["cost_usd"]:
            cost[row["model"]] += float(row["cost_usd"])
            by_day[row["day"]][row["model"]] = float(row["cost_usd"])
    dear = sorted(cost, key=lambda model: (-cost[model], model))[: len(MODEL_COLORS)]
    keys = {model: (color, model) for model, color in zip(dear, MODEL_COLORS, strict=False)} | {OTHERS: (GRAY, OTHERS)}
    columns = [Column(words.day(day), _pieces(by_day[day], dear)) for day in sorted(by_day)[-SHOWN:]]
    return _of("Cost by day", columns, keys, is_money=True)


def nights(rows: Rows, what: str) -> Chart | None:
    """What each night added, of `prompt_tokens` or of `cost_usd`."""
    columns = [Column(words.day(row["at"]), {what: float(row[what] or 0)}) for row in rows[-SHOWN:]]
    return _of("What each night added", columns, {what: (BLUE, "")}, is_money=what == "cost_usd")


def _pieces(day: Mapping[str, float], dear: Sequence[str]) -> dict[str, float]:
    others = sum(cost for model, cost in day.items() if model not in dear)
    return {**{model: day[model] for model in dear if model in day}, **({OTHERS: others} if others else {})}


def _of(what: str, columns: Sequence[Column], keys: Mapping[str, tuple[str, str]], *, is_money: bool = False) -> Chart | None:
    if not any(any(column.pieces.values()) for column in columns):
        return None
    tell = words.money if is_money else words.compact
    most = max(columns, key=lambda column: sum(column.pieces.values()))
    description = (
        f"{what}, from {columns[0].name} to {columns[-1].name}; "
        f"the most, {tell(sum(most.pieces.values()))}, on {most.name}. All numbers are in the table below."
    )
    colors = {piece: color for piece, (color, _) in keys.items()}
    numbers = DOLLARS if is_money else TOKENS
    found = {piece for column in columns for piece, height in column.pieces.items() if height}
    shown = [key for piece, key in keys.items() if piece in found and key[1]]
    return Chart(draw(lambda is_wide: spec(columns, colors, is_wide, numbers), description), shown)
