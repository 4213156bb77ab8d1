"""Lying bars, one a row, each of one or more pieces: the shape of most charts of the pages. Pure: bars -> spec.

Names stand left of the bars in a column of fixed width, so that they line up from chart to chart, and what a bar comes to
stands at its end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.domain.visible import clip, visible
from tasks.report.drawing import INK, SOFT, Spec, colored, framed, values

NAMES_WIDE, NAMES_NARROW = 210, 148
"""Pixels of the column of names."""
LETTER = 6.7
"""Pixels that a character takes, on average, in the widest of the fonts."""
STEP = 25
"""Pixels from bar to bar."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One row of a chart."""

    name: str
    pieces: Mapping[str, float]
    """Lengths by piece, in the order they are laid on; below zero counts as nothing."""
    told: str
    """What stands at its end."""
    told_short: str = ""
    """The same where there is little room."""


def spec(bars: Sequence[Bar], colors: Mapping[str, str], is_wide: bool, whole: float | None = None) -> Spec:
    """All bars to one scale: the longest fills the room, or `whole` does."""
    names = NAMES_WIDE if is_wide else NAMES_NARROW
    longest = whole or max((_length(bar) for bar in bars), default=0) or 1
    ends = [bar.told if is_wide else bar.told_short or bar.told for bar in bars]
    told = round(max(map(len, ends), default=0) * LETTER) + 12
    places = {"field": "place", "type": "ordinal", "axis": None, "scale": {"paddingInner": 0.32, "paddingOuter": 0.16}}
    return {
        **framed(is_wide, STEP * len(bars), left=names, right=told),
        "encoding": {"y": places},
        "layer": [
            {
                "data": values(_pieces(bars)),
                "mark": {"type": "bar"},
                "encoding": {"x": _across("from", longest), "x2": {"field": "to"}, "color": colored("piece", colors)},
            },
            {
                "data": values(_names(bars, int((names - 12) / LETTER))),
                "mark": {"type": "text", "align": "right", "dx": -10, "baseline": "middle", "color": INK},
                "encoding": {"x": {"value": 0}, "text": {"field": "text"}},
            },
            {
                "data": values([{"place": place, "at": _length(bar), "text": ends[place]} for place, bar in enumerate(bars)]),
                "mark": {"type": "text", "align": "left", "dx": 7, "baseline": "middle", "color": SOFT},
                "encoding": {"x": _across("at", longest), "text": {"field": "text"}},
            },
        ],
    }


def _names(bars: Sequence[Bar], most: int) -> list[dict[str, Any]]:
    return [{"place": place, "text": clip(visible(bar.name), most, mark="…")} for place, bar in enumerate(bars)]


def _across(field: str, longest: float) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", "axis": None, "scale": {"domain": [0, longest], "nice": False}}


def _length(bar: Bar) -> float:
    return sum(max(0.0, piece) for piece in bar.pieces.values())


def _pieces(bars: Sequence[Bar]) -> list[dict[str, Any]]:
    laid: list[dict[str, Any]] = []
    for place, bar in enumerate(bars):
        end = 0.0
        for piece, length in bar.pieces.items():
            if length > 0:
                laid.append({"place": place, "piece": piece, "from": end, "to": end + length})
                end += length
    return laid
