"""Charts as inline SVG that takes its colors from the page's style, so that it follows light and dark.

Only shapes are drawn: every word and number stands in HTML beside it, where it keeps its size on a phone, can be
selected and is read aloud. Heights are in hundredths of the chart's height, widths in slots.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

BUCKETS = (
    ("cache_read_tokens", "read from the cache"),
    ("cache_write_tokens", "written to the cache"),
    ("input_uncached_tokens", "not cached"),
)
"""Disjoint parts of a prompt, from the bottom up."""
GAP = 0.18


def days(rows: Sequence[Mapping[str, Any]], description: str) -> Markup:
    """Stacked bars, one per row, scaled to the tallest."""
    tallest = max((sum(row[name] for name, _ in BUCKETS) for row in rows), default=0)
    if not tallest:
        return Markup("")
    bars = Markup("").join(_stack(row, slot, tallest) for slot, row in enumerate(rows))
    return Markup(
        '<svg class="days" viewBox="0 0 {} 100" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>'
    ).format(slots(rows), description, bars)


def slots(rows: Sequence[Mapping[str, Any]]) -> int:
    """Places for bars in the chart's width: with few days the bars stay slim, and the right of the chart is empty."""
    return max(len(rows), 8)


def _stack(row: Mapping[str, Any], slot: int, tallest: int) -> Markup:
    parts, top = [], 100.0
    for name, _ in BUCKETS:
        height = 100 * row[name] / tallest
        top -= height
        if height > 0:
            parts.append(
                Markup('<rect class="{}" x="{}" y="{:.3f}" width="{}" height="{:.3f}"/>').format(
                    name.removesuffix("_tokens"), slot + GAP / 2, top, 1 - GAP, height
                )
            )
    return Markup("").join(parts)


def share(part: Any, whole: Any) -> str:
    """Width of a bar in percent of its cell, as CSS takes it."""
    return f"{100 * float(part or 0) / float(whole):.2f}%" if whole else "0%"
