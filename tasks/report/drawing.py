"""A chart as inline SVG that takes its colors from the page, so that it follows light and dark, and its width from the screen.

Specs are Vega-Lite as plain data; vl-convert draws them in this process, without a browser or a network. Every chart is drawn
twice, for wide pages and for phones, so that its words keep their size; the style sheet shows one of the two.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from markupsafe import Markup

from tasks.domain.visible import visible

Spec = Mapping[str, Any]
WIDE, NARROW = 960, 330
"""Pixels of the whole picture, axes included."""
FONT = "Helvetica Neue, Arial, sans-serif"
INK, SOFT, LINE = "var(--ink)", "var(--soft)", "var(--line)"
PALETTE = tuple(f"var(--c{number})" for number in range(1, 9))
"""Colors of the style sheet that stay apart for color-blind readers, in light and dark."""
_CONFIG = {
    "background": None,
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": SOFT, "titleColor": SOFT, "domainColor": SOFT, "tickColor": LINE, "gridColor": LINE,
        "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal",
    },
    "text": {"color": INK, "fontSize": 12},
    "legend": {"disable": True},
}  # fmt: skip
"""Legends stand in HTML beside the chart, where they wrap and can be selected."""


def draw(spec_of: Callable[[bool], Spec], description: str) -> Markup:
    """Both pictures of a chart. `spec_of(is_wide)` gives the spec without size; `description` is read aloud instead."""
    pictures = (("wide", _svg(spec_of(True), WIDE)), ("narrow", _svg(spec_of(False), NARROW)))
    told = Markup('<div class="chart {}" role="img" aria-label="{}">{}</div>')
    return Markup("").join(told.format(name, visible(description), picture) for name, picture in pictures)


def draw_small(spec: Spec, description: str) -> Markup:
    """One picture for both, where several stand side by side on a wide page and below each other on a phone."""
    return Markup('<div class="chart" role="img" aria-label="{}">{}</div>').format(visible(description), _svg(spec, NARROW))


def _svg(spec: Spec, width: int) -> Markup:
    import vl_convert

    whole = {"width": width, "autosize": {"type": "fit-x", "contains": "padding"}, "padding": 0, **spec}
    whole["config"] = {**_CONFIG, **spec.get("config", {})}
    return Markup(vl_convert.vegalite_to_svg(whole))


def framed(is_wide: bool, height: int, *, left: float, right: float, top: float = 0, bottom: float = 0) -> dict[str, Any]:
    """Size and margins to the pixel, for a spec: names and numbers stand in the margins, and no font's width moves the plot."""
    width = (WIDE if is_wide else NARROW) - left - right
    padding = {"left": left, "right": right, "top": top, "bottom": bottom}
    return {"width": width, "height": height, "padding": padding, "autosize": {"type": "none"}}


def colored(field: str, colors: Mapping[str, str]) -> dict[str, Any]:
    """An encoding of color by names, in the order they have."""
    return {
        "field": field,
        "type": "nominal",
        "scale": {"domain": [visible(name) for name in colors], "range": [*colors.values()]},
    }


def values(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Rows as a spec's data, where words of logs are made visible; money becomes floats, since JSON has no exact numbers."""
    return {"values": [{name: _plain(value) for name, value in row.items()} for row in rows]}


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, int | float | None):
        return value
    return float(value) if isinstance(value, Decimal) else str(value)
