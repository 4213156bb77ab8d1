"""The pictures of one session: how its window grew, what happened to it, and how much of each prompt nothing explains."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from markupsafe import Markup

from tasks.report.answers import Rows
from tasks.report.drawing import INK, LINE, PALETTE, SOFT, Spec, draw, values
from tasks.report.session_words import times

GROUPS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (PALETTE[7], "overhead: what no log shows", ("overhead",)),
    (PALETTE[6], "put in by the program", ("system", "injected", "notice")),
    (PALETTE[2], "summaries, images, other", ("compaction_summary", "image", "unknown")),
    (PALETTE[5], "typed by a person", ("user_text",)),
    (PALETTE[1], "said by the agent", ("assistant_text",)),
    (PALETTE[4], "reasoning", ("reasoning",)),
    (PALETTE[3], "tool calls", ("tool_call",)),
    (PALETTE[0], "tool results", ("tool_result",)),
)
"""Layers from the bottom up: color, words, parts of `window_of_session`."""
EVENTS = {
    "compaction": ("circle", "●", "compacted"),
    "microcompaction": ("square", "■", "results cleared"),
    "removal": ("diamond", "◆", "shrank without a record"),
    "overhead": ("triangle-up", "▲", "overhead moved"),
    "cache_miss": ("triangle-down", "▼", "paid again for what the cache had held"),
}
"""Event -> mark in the picture, the same mark as a character, words."""
OTHER = 2
"""The layer of parts that are in none."""
FEW_CALLS, WIDTH = 40, 0.86
"""Up to so many calls are columns of this width; more become areas."""
ROW_HEIGHT, GUTTER = 13, 46
"""Pixels: of a row of marks above the picture, and of the vertical axis, the same in pictures that stand below each other."""
LIMIT_SHOWN = 2.5
"""The line of the context limit is drawn up to so many times the largest prompt: else the picture would be empty."""


def growth(window: Rows, marks: Rows, limit: int | None) -> Markup:
    """Layers of the prompt at each call, with marks above it. Nothing where no call has an account."""
    prompts = prompt_tokens(window)
    if not prompts:
        return Markup("")
    layers = _layers(window)
    shown_limit = limit if limit and limit <= LIMIT_SHOWN * max(prompts.values()) else None

    def spec_of(is_wide: bool) -> Spec:
        layered = [_stack(layers, prompts), _line(prompts)]
        layered += _limit(shown_limit, is_wide) if shown_limit else []
        layered += _marks(marks, prompts)
        return {"height": 320 if is_wide else 240, "layer": layered}

    return draw(spec_of, _told(prompts, marks, limit))


def residuals(window: Rows) -> Markup:
    """The unexplained rest of each prompt as a share of it, on a scale of its own."""
    prompts = prompt_tokens(window)
    rows = [
        {"call": row["request_no"], "share": row["tokens"] / prompts[row["request_no"]]}
        for row in window
        if row["kind"] == "residual" and prompts[row["request_no"]]
    ]
    if not rows:
        return Markup("")
    most = max(abs(row["share"]) for row in rows)

    def spec_of(is_wide: bool) -> Spec:
        share = {"field": "share", "type": "quantitative", "title": None, "axis": _axis(format=".1~%", tickCount=3)}
        encoding = {"x": _calls(prompts, "call"), "y": share, "y2": {"datum": 0}}
        zero = {"type": "rule", "color": INK, "strokeWidth": 0.5}
        layered = [
            _columns(rows, prompts, encoding, {"color": SOFT}),
            {"data": values([{}]), "mark": zero, "encoding": {"y": {"datum": 0}}},
        ]
        return {"height": 74, "layer": layered}

    return draw(spec_of, f"Unexplained share of the prompt at {len(rows)} calls; the largest is {100 * most:.1f} %.")


def prompt_tokens(window: Rows) -> dict[int, int]:
    """Prompt of each call: the sum of its parts."""
    prompts: dict[int, int] = defaultdict(int)
    for row in window:
        prompts[row["request_no"]] += row["tokens"]
    return dict(prompts)


def shown_groups(window: Rows) -> list[tuple[str, str]]:
    """(color, words) of the layers that are there, for a legend, from the top down as they stand."""
    there = {row["kind"] for row in window if row["tokens"]}
    return [(color, words) for color, words, parts in reversed(GROUPS) if there & set(parts)]


def shown_events(marks: Rows) -> list[tuple[str, str]]:
    """(character, words) of the marks that are there."""
    there = {row["event"] for row in marks}
    return [(character, words) for event, (_, character, words) in EVENTS.items() if event in there]


def _layers(window: Rows) -> list[dict[str, Any]]:
    """Rows of call x group, from `low` to `high`, each on top of the one before; no groups that are nowhere."""
    of_part = {part: at for at, (_, _, parts) in enumerate(GROUPS) for part in parts}
    held: dict[int, list[int]] = defaultdict(lambda: [0] * len(GROUPS))
    for row in window:
        if row["kind"] != "residual":
            held[row["request_no"]][of_part.get(row["kind"], OTHER)] += row["tokens"]
    there = [group for group in range(len(GROUPS)) if any(tokens[group] for tokens in held.values())]
    layers = []
    for call, tokens in sorted(held.items()):
        tops = list(accumulate(tokens))
        layers += [{"call": call, "group": group, "low": tops[group] - tokens[group], "high": tops[group]} for group in there]
    return layers


def _stack(layers: Rows, prompts: Mapping[int, int]) -> Spec:
    groups = sorted({row["group"] for row in layers})
    colors = {"domain": groups, "range": [GROUPS[group][0] for group in groups]}
    tokens = {"field": "low", "type": "quantitative", "title": None, "axis": _axis(labelExpr="format(datum.value, '~s')")}
    color = {"field": "group", "type": "nominal", "scale": colors, "legend": None}
    encoding = {"x": _calls(prompts, "call"), "y": tokens, "y2": {"field": "high"}, "color": color}
    return _columns(layers, prompts, encoding, {})


def _columns(rows: Rows, prompts: Mapping[int, int], encoding: Spec, look: Spec) -> Spec:
    """Few calls are a column each, many an area."""
    if len(prompts) > FEW_CALLS:
        return {"data": values(rows), "mark": {"type": "area", **look}, "encoding": encoding}
    ranged = [{**row, "left": row["call"] - WIDTH / 2, "right": row["call"] + WIDTH / 2} for row in rows]
    across = {"x": _calls(prompts, "left"), "x2": {"field": "right"}}
    return {"data": values(ranged), "mark": {"type": "rect", **look}, "encoding": {**encoding, **across}}


def _line(prompts: Mapping[int, int]) -> Spec:
    """What the provider counted; what lies between it and the layers is the residual."""
    rows = [
        {"call": call, "left": call - WIDTH / 2, "right": call + WIDTH / 2, "tokens": tokens}
        for call, tokens in sorted(prompts.items())
    ]
    height = {"y": {"field": "tokens", "type": "quantitative"}}
    if len(prompts) > FEW_CALLS:
        mark = {"type": "line", "strokeWidth": 1, "color": INK}
        return {"data": values(rows), "mark": mark, "encoding": {"x": _calls(prompts, "call"), **height}}
    across = {"x": _calls(prompts, "left"), "x2": {"field": "right"}}
    return {"data": values(rows), "mark": {"type": "rule", "strokeWidth": 1.2, "color": INK}, "encoding": {**across, **height}}


def _limit(limit: int, is_wide: bool) -> list[Spec]:
    label = {"type": "text", "align": "right", "baseline": "top", "dy": 5, "color": SOFT, "text": f"context limit {limit:,}"}
    at = {"y": {"datum": limit}}
    line = {"mark": {"type": "rule", "strokeDash": [6, 4], "color": SOFT}, "encoding": at}
    place = {"x": {"value": "width"}, **at}
    return [{"data": values([{}]), **line}, {"data": values([{}]), "mark": label, "encoding": place}]


def _marks(marks: Rows, prompts: Mapping[int, int]) -> list[Spec]:
    """A row of marks above the picture for each kind of event, and a line down from each compaction."""
    rows = [event for event in EVENTS if any(mark["event"] == event for mark in marks)]
    drawn: list[Spec] = []
    for at, event in enumerate(rows):
        here = values([{"call": mark["request_no"]} for mark in marks if mark["event"] == event])
        x = {"x": _calls(prompts, "call")}
        if event == "compaction":
            line = {"type": "rule", "strokeDash": [2, 3], "color": INK, "strokeWidth": 1}
            drawn.append({"data": here, "mark": line, "encoding": x})
        point = {"type": "point", "shape": EVENTS[event][0], "filled": True, "size": 46, "color": INK, "opacity": 0.85}
        height = {"y": {"value": -ROW_HEIGHT * (len(rows) - at) + 3}}
        drawn.append({"data": here, "mark": point, "encoding": {**x, **height}})
    return drawn


def _calls(prompts: Mapping[int, int], field: str) -> dict[str, Any]:
    """The horizontal axis: numbers of calls, the same in all layers and pictures."""
    room = 0.5 if len(prompts) <= FEW_CALLS else 0
    domain = [min(prompts) - room, max(prompts) + room]
    axis = {"format": "d", "tickMinStep": 1, "grid": False, "tickCount": 8, "labelOverlap": True}
    scale = {"domain": domain, "nice": False, "zero": False}
    return {"field": field, "type": "quantitative", "title": None, "scale": scale, "axis": axis}


def _axis(**more: Any) -> dict[str, Any]:
    return {"minExtent": GUTTER, "maxExtent": GUTTER, "domain": False, "ticks": False, "gridColor": LINE, **more}


def _told(prompts: Mapping[int, int], marks: Rows, limit: int | None) -> str:
    """The picture in a sentence, for those who do not see it."""
    most = max(prompts, key=lambda call: prompts[call])
    compactions = sum(mark["event"] == "compaction" for mark in marks)
    told = f"Prompt tokens at calls {min(prompts)} to {max(prompts)}; the most, {prompts[most]:,}, at call {most}"
    told += f", of a limit of {limit:,}" if limit else ""
    return f"{told}. Compacted {times(compactions)}." if compactions else f"{told}."
