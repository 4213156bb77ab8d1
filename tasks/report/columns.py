"""Standing columns over time, one a day or a night, each of one or more pieces. Pure: columns -> spec."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.report.drawing import SOFT, Spec, colored, framed, values

TOKENS = "replace(format(datum.value, '~s'), 'G', 'B')"
"""Numbers at an axis, as `words.compact` writes them."""
DOLLARS = "'$' + format(datum.value, ',~r')"
FEWEST = 14
"""Places there are at least, so that few columns stay slim."""
NUMBERS = 44
"""Pixels of the numbers at the axis, so that charts below each other line up."""


@dataclass(frozen=True, slots=True)
class Column:
    """One place of a chart."""

    name: str
    """What stands under it, where there is room."""
    pieces: Mapping[str, float]
    """Heights by piece, from the bottom up; below zero hangs down."""


def spec(columns: Sequence[Column], colors: Mapping[str, str], is_wide: bool, numbers: str = TOKENS) -> Spec:
    """All columns to one scale that holds zero."""
    height = 190 if is_wide else 150
    return {
        **framed(is_wide, height, left=NUMBERS, right=2, top=8, bottom=26),
        "encoding": {"x": {"field": "place", "type": "ordinal", "axis": None, "scale": _places(len(columns))}},
        "layer": [
            {
                "data": values(_pieces(columns)),
                "mark": {"type": "bar"},
                "encoding": {
                    "y": {"field": "from", "type": "quantitative", "axis": _axis(numbers)},
                    "y2": {"field": "to"},
                    "color": colored("piece", colors),
                },
            },
            {
                "data": values(_names(columns, 7 if is_wide else 3)),
                "mark": {"type": "text", "baseline": "top", "dy": 9, "color": SOFT, "align": {"expr": "datum.align"}},
                "encoding": {"y": {"value": height}, "text": {"field": "name"}},
            },
        ],
    }


def _places(columns: int) -> dict[str, Any]:
    return {"domain": list(range(max(columns, FEWEST))), "paddingInner": 0.16, "paddingOuter": 0}


def _axis(numbers: str) -> dict[str, Any]:
    return {
        "title": None, "tickCount": 4, "labelExpr": numbers, "domain": False, "ticks": False, "labelPadding": 8,
    }  # fmt: skip


def _pieces(columns: Sequence[Column]) -> list[dict[str, Any]]:
    laid: list[dict[str, Any]] = []
    for place, column in enumerate(columns):
        end = 0.0
        for piece, height in column.pieces.items():
            if height:
                laid.append({"place": place, "piece": piece, "from": end, "to": end + height})
                end += height
    return laid


def _names(columns: Sequence[Column], most: int) -> list[dict[str, Any]]:
    """The first, the last, and a few between them, evenly spaced; with few columns there is no room for each either."""
    room = min(most, max(1, len(columns) * most // FEWEST + 1), len(columns))
    places = sorted({round(at * (len(columns) - 1) / max(1, room - 1)) for at in range(room)})
    return [{"place": place, "name": columns[place].name, "align": _align(place, len(columns))} for place in places]


def _align(place: int, columns: int) -> str:
    """Names at the ends do not reach out of the picture."""
    return "left" if place == 0 else "right" if place == max(columns, FEWEST) - 1 else "center"
