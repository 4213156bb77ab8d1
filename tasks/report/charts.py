"""The charts of the nightly page that compare: what prompts were made of, tools, books, cache misses. Rows -> a chart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from tasks.report import words
from tasks.report.answers import Rows
from tasks.report.bars import Bar, spec
from tasks.report.drawing import PALETTE, draw
from tasks.report.kinds import NOT_ITEMS, name_of

Key = tuple[str, str]
"""(color, words)"""
BLUE, ORANGE, NAVY, GREEN, PURPLE, RED, OLIVE, GRAY = PALETTE
TOKENS = {"new": GREEN, "again": BLUE, "overhead": GRAY, "residual": RED, "no_window": OLIVE}
TOKENS_TOLD = {
    "new": "the first time",
    "again": "again, with later calls",
    "overhead": "overhead, with every call",
    "residual": "unexplained rest",
    "no_window": "calls without an account",
}
MONEY = {"read": BLUE, "write": ORANGE, "uncached": NAVY, "output": PURPLE, "whole": GRAY}
MONEY_TOLD = {
    "read": "read from the cache",
    "write": "written to the cache",
    "uncached": "not cached",
    "output": "answers",
    "whole": "overhead and rest",
}
MONEY_COLUMNS = {"read": "cache_read", "write": "cache_write", "uncached": "uncached"}
BOOKS = {"explained": GREEN, "overhead": GRAY, "residual": RED, "unaccounted": OLIVE}
BOOKS_TOLD = {
    "explained": "explained by what the log holds",
    "overhead": "overhead: system prompt, tools, rules",
    "residual": "unexplained rest",
    "unaccounted": "calls without an account",
}
USES = {"before": GREEN, "after": ORANGE}
USES_TOLD = {"before": "until the last use", "after": "after it"}
MOST_BARS = 10


@dataclass(frozen=True, slots=True)
class Chart:
    """Both pictures, and what their colors mean."""

    picture: Markup
    keys: Sequence[Key] = ()


def of_bars(
    bars: Sequence[Bar], colors: Mapping[str, str], told: Mapping[str, str], description: str, whole: float | None = None
) -> Chart | None:
    """A chart of lying bars; None where no bar has a length. Only pieces that occur are in the legend."""
    found = {piece for bar in bars for piece, length in bar.pieces.items() if length > 0}
    if not found:
        return None
    picture = draw(lambda is_wide: spec(bars, colors, is_wide, whole), description)
    return Chart(picture, [(colors[piece], words_) for piece, words_ in told.items() if piece in found])


def tokens_by_part(rows: Rows) -> Chart | None:
    """Of what all prompts were made, and how much of it was sent before."""
    sent = [row for row in rows if row["token_requests"] and row["token_requests"] > 0]
    whole = sum(row["token_requests"] for row in sent)
    bars = [
        _shared(
            name_of(row["kind"]),
            _tokens(row),
            words.compact(row["token_requests"]),
            row["token_requests"] / whole,
        )
        for row in largest(sent, "token_requests")
    ]
    return of_bars(bars, TOKENS, TOKENS_TOLD, _most("Prompt tokens by what they are", bars))


def money_by_part(rows: Rows) -> Chart | None:
    """What carrying each part cost, and how it was paid; None while no account has money."""
    if not any(row["cost_usd"] for row in rows if row["kind"] != "no_window"):
        return None
    paid = [row for row in rows if row["cost_usd"]]
    whole = sum(row["cost_usd"] for row in paid)
    bars = [
        _shared(name_of(row["kind"]), _money(row), words.money(row["cost_usd"]), float(row["cost_usd"] / whole))
        for row in largest(paid, "cost_usd")
    ]
    return of_bars(bars, MONEY, MONEY_TOLD, _most("Dollars by what they were paid for", bars))


def tools(rows: Rows) -> Chart | None:
    """Calls and results of each tool, in all prompts that carried them."""
    bars = [
        Bar(_tool(row), _tokens(row), _told(row), words.compact(row["token_requests"]))
        for row in largest(rows, "token_requests")
    ]
    return of_bars(bars, TOKENS, TOKENS_TOLD, _most("Prompt tokens by the tool they went through", bars))


def unused(rows: Rows) -> Chart | None:
    """Results by tool: how much of their carrying came after anybody last came back to them."""
    bars = [
        Bar(_tool(row), _uses(row), f"{words.percent(row['token_requests_after_last_use'] / row['token_requests'])} after it")
        for row in largest(rows, "token_requests")
    ]
    return of_bars(bars, USES, USES_TOLD, _most("Tokens of results in prompts, before and after their last use", bars))


def _uses(row: Mapping[str, Any]) -> dict[str, float]:
    after = row["token_requests_after_last_use"]
    return {"before": row["token_requests"] - after, "after": after}


def _tool(row: Mapping[str, Any]) -> str:
    """One name may be of several categories: a shell that runs tests, and one that does not."""
    name, category = row["tool_name"], row["tool_category"]
    return name if name.lower() == category else f"{name} ({category})"


def books(rows: Rows) -> Chart | None:
    """How far the prompts of each agent are accounted for."""
    counted = [row for row in rows if row["prompt_tokens"]][:MOST_BARS]
    bars = [Bar(row["agent"], _books(row), words.compact(row["prompt_tokens"])) for row in counted]
    return of_bars(bars, BOOKS, BOOKS_TOLD, _most("Shares of the prompt tokens of each agent", bars), whole=1.0)


def residuals(rows: Rows) -> Chart | None:
    """How many sessions are how far off."""
    bars = [Bar(range_of(row), {"sessions": row["sessions"]}, words.exact(row["sessions"])) for row in rows]
    return of_bars(bars, {"sessions": BLUE}, {}, _most("Sessions by how much of their prompts stays unexplained", bars))


def misses(rows: Rows, causes: Mapping[str, str]) -> Chart | None:
    """Tokens that were paid for again, by cause."""
    bars = [
        Bar(causes.get(row["cause"], row["cause"]), {"repaid": row["tokens_repaid"]}, _told(row, "tokens_repaid"))
        for row in largest(rows, "tokens_repaid")
    ]
    return of_bars(bars, {"repaid": ORANGE}, {}, _most("Tokens that were paid for again, by cause", bars))


def range_of(row: Mapping[str, Any]) -> str:
    """`0.5 % to 2 %`"""
    if row["at_most"] is None:
        return f"over {100 * row['above']:g} %"
    return f"{100 * row['above']:g} % to {100 * row['at_most']:g} %" if row["above"] else f"up to {100 * row['at_most']:g} %"


def largest(rows: Rows, by: str) -> Rows:
    """As many as a chart has room for, largest first."""
    return sorted((row for row in rows if row[by]), key=lambda row: -row[by])[:MOST_BARS]


def share(part: Any, whole: Any) -> str:
    """Width of a bar in percent of its cell, as CSS takes it."""
    return f"{100 * float(part or 0) / float(whole):.2f}%" if whole else "0%"


def _books(row: Mapping[str, Any]) -> dict[str, float]:
    return {piece: max(0, row[f"{piece}_tokens"]) / row["prompt_tokens"] for piece in BOOKS}


def _tokens(row: Mapping[str, Any]) -> dict[str, float]:
    sent = row["token_requests"]
    if row.get("kind") in NOT_ITEMS:
        return {row["kind"]: sent}
    new = min(sent, row["content_tokens"] or 0)
    return {"new": new, "again": sent - new}


def _money(row: Mapping[str, Any]) -> dict[str, float]:
    split = {piece: float(row[f"cost_{column}_usd"] or 0) for piece, column in MONEY_COLUMNS.items()}
    if any(split.values()):
        return split
    return {"output" if row["kind"] == "output" else "whole": float(row["cost_usd"])}


def _told(row: Mapping[str, Any], tokens: str = "token_requests") -> str:
    """Tokens, and dollars where they are known."""
    return words.compact(row[tokens]) + (f" · {words.money(row['cost_usd'])}" if row["cost_usd"] is not None else "")


def _shared(name: str, pieces: Mapping[str, float], told: str, part: float) -> Bar:
    return Bar(name, pieces, f"{told} · {words.percent(part, 1)}", words.percent(part, 1))


def _most(what: str, bars: Sequence[Bar]) -> str:
    """The chart in a sentence, for those who do not see it."""
    told = "; ".join(f"{bar.name} {bar.told}" for bar in bars[:4])
    return f"{what}: {told}. All numbers are in the table below."
