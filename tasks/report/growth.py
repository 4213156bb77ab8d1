"""How one session's context grew, as a small chart that fits a third of a wide page and the width of a phone. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.report import words
from tasks.report.answers import Rows
from tasks.report.columns import TOKENS
from tasks.report.drawing import INK, PALETTE, SOFT, Spec, framed, values

MOST_POINTS = 240
"""A line of more is not told apart from one of so many in so little room."""
LINE, MISS, LIMIT = PALETTE[0], PALETTE[1], PALETTE[5]
KEYS = (
    (LINE, "tokens of the prompt, call by call", "▂"),
    (INK, "the context was compacted", "▼"),
    (MISS, "a prefix was paid for again", "◆"),
    (LIMIT, "the model's limit", "╌"),
)
NEAR = 0.4
"""A limit that no prompt comes near would press the line flat: it is told in words."""


@dataclass(frozen=True, slots=True)
class Growth:
    """One session's calls, in order."""

    rows: Rows

    @property
    def first(self) -> Any:
        return self.rows[0]

    @property
    def fullest(self) -> int:
        return int(max(row["prompt_tokens"] for row in self.rows))

    @property
    def limit(self) -> int | None:
        """Of the last call that tells one; models change, and limits with them."""
        return next((row["context_limit"] for row in reversed(self.rows) if row["context_limit"]), None)

    @property
    def compactions(self) -> int:
        return sum(row["compactions_after"] for row in self.rows)

    @property
    def misses(self) -> Rows:
        return [row for row in self.rows if row["miss_cause"]]

    @property
    def repaid(self) -> int:
        return sum(row["tokens_repaid"] for row in self.misses)

    @property
    def description(self) -> str:
        """The chart in a sentence."""
        limit = f" of {words.compact(self.limit)} that fit" if self.limit else ""
        first, last = self.first["prompt_tokens"], self.rows[-1]["prompt_tokens"]
        return (
            f"Prompt tokens of {len(self.rows)} calls, {words.compact(first)} at the first, {words.compact(last)} at the last; "
            f"the most are {words.compact(self.fullest)}{limit}. {_times(self.compactions, 'compaction')}, "
            f"{_times(len(self.misses), 'prefix paid for again', 'prefixes paid for again')}."
        )


def _times(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def by_session(rows: Rows) -> list[Growth]:
    """The rows of each session, in the order of the answer."""
    found: dict[str, list[Any]] = {}
    for row in rows:
        found.setdefault(row["session_id"], []).append(row)
    return [Growth(calls) for calls in found.values()]


def spec(growth: Growth) -> Spec:
    """The line, and its marks."""
    near = growth.limit is not None and growth.fullest >= NEAR * growth.limit
    across = _scale("call_no", _calls(growth), [1, max(2, len(growth.rows))])
    up = _scale("prompt_tokens", _TOKEN_AXIS, [0, max(growth.fullest, (growth.limit or 0) if near else 0) * 1.06])
    line = {"type": "area", "line": {"color": LINE, "strokeWidth": 1.6}, "color": LINE, "fillOpacity": 0.16}
    limits = [{"prompt_tokens": growth.limit}] if near else []
    return {
        **framed(False, 124, left=36, right=6, top=8, bottom=20),
        "layer": [
            _layer(_thinned(growth.rows), line, x=across, y=up),
            _layer(_compacted(growth.rows), {"type": "rule", "color": INK, "strokeDash": [2, 3]}, x=across),
            _layer(_compacted(growth.rows), _sign("triangle-down", INK), x=across, y={"value": 2}),
            _layer(_points(growth.misses), _sign("diamond", MISS), x=across, y=up),
            _layer(limits, {"type": "rule", "color": LIMIT, "strokeDash": [6, 4]}, y=up),
        ],
    }


def _layer(rows: Rows, mark: Mapping[str, Any], **encoding: Any) -> dict[str, Any]:
    return {"data": values(rows), "mark": mark, "encoding": encoding}


def _sign(shape: str, color: str) -> dict[str, Any]:
    return {"type": "point", "shape": shape, "filled": True, "size": 50, "color": color, "opacity": 1}


def _scale(name: str, axis: Mapping[str, Any], ends: Sequence[float]) -> dict[str, Any]:
    return {"field": name, "type": "quantitative", "axis": axis, "scale": {"domain": ends, "nice": False}}


_TOKEN_AXIS = {"title": None, "tickCount": 3, "labelExpr": TOKENS, "domain": False, "ticks": False}


def _calls(growth: Growth) -> dict[str, Any]:
    return {
        "title": None, "grid": False, "values": [1, len(growth.rows)], "labelFlush": True, "tickColor": SOFT, "tickSize": 3,
        "labelExpr": "datum.value == 1 ? 'call 1' : format(datum.value, ',')",
    }  # fmt: skip


def _compacted(rows: Rows) -> list[dict[str, Any]]:
    """Between the last call before and the first after."""
    return [{"call_no": row["call_no"] + 0.5} for row in rows if row["compactions_after"]]


def _points(rows: Rows) -> list[dict[str, Any]]:
    return [{"call_no": row["call_no"], "prompt_tokens": row["prompt_tokens"]} for row in rows]


def _thinned(rows: Rows) -> list[dict[str, Any]]:
    """Of a long session every so many-th call, with both sides of each compaction."""
    stride = -(-len(rows) // MOST_POINTS)
    last = len(rows) - 1
    kept = [
        row for at, row in enumerate(rows)
        if at % stride == 0 or at == last or row["compactions_after"] or (at and rows[at - 1]["compactions_after"])
    ]  # fmt: skip
    return _points(kept)
