"""The nightly page: answers to the questions of sql/analysis, as one HTML file that loads nothing from anywhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tasks.report import charts, growth, headline, trends
from tasks.report.answers import Answer
from tasks.report.causes import CAUSES, SHORT
from tasks.report.drawing import draw_small
from tasks.report.kinds import KINDS, name_of
from tasks.report.nights import Night, changes
from tasks.report.templates import environment

QUESTIONS: dict[str, dict[str, Any]] = {
    "headline": {},
    "nights": {"top": 1},
    "changed_last_night": {"top": 8},
    "cost_by_kind": {},
    "books_by_agent": {},
    "sessions_by_residual": {},
    "growth_of_largest_sessions": {"sessions": 6},
    "cost_by_tool": {"top": 12},
    "cost_by_file": {"top": 15},
    "costliest_items": {"top": 12},
    "cache_misses_by_cause": {},
    "tokens_by_day": {},
    "usage_by_model_and_day": {},
    "sessions_to_resume": {"top": 20},
    "tokens_by_project": {"top": 12},
    "tokens_by_session": {"top": 12},
    "usage_by_model": {},
    "compactions_by_trigger": {},
    "unused_by_tool": {"top": 10},
    "tokens_by_kind": {},
    "sources_by_state": {},
    "sources_with_problems": {"top": 10},
    "rejects_by_reason": {},
}
"""What the page asks, with the parameters it asks with."""


@dataclass(frozen=True, slots=True)
class Nightly:
    """What the page is made from."""

    answers: Mapping[str, Answer]
    """By question of `QUESTIONS`."""
    archive: Mapping[str, Any]
    """The row of the view `archive`."""
    snapshot: int
    stamp: str
    """Says from what the page was made; kept in it."""
    handoffs: Mapping[str, str] = field(default_factory=dict)
    """Addresses of handoff documents by session, relative to the page."""
    nights: Sequence[Night] = ()
    """All that are known, tonight's the last."""
    offenders: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """Rows that a check found, and what it asks, by the check's name."""


def render(nightly: Nightly) -> str:
    """The whole page. Same input, same bytes."""
    rows = {name: answer.rows for name, answer in nightly.answers.items()}
    changed = changes(nightly.nights)
    return (
        environment()
        .get_template("page.html.jinja")
        .render(
            a=rows,
            q=nightly.answers,
            total=rows["headline"][0],
            archive=nightly.archive,
            snapshot=nightly.snapshot,
            stamp=nightly.stamp,
            handoffs=nightly.handoffs,
            broken={name: found for name, found in nightly.offenders.items() if name.startswith("fail__")},
            odd={name: found for name, found in nightly.offenders.items() if not name.startswith("fail__")},
            kinds=KINDS,
            name_of=name_of,
            causes=CAUSES,
            lead=headline.lead(rows),
            tonight=nightly.nights[-1] if nightly.nights else None,
            changes=changed,
            parts=headline.parts(rows["books_by_agent"]),
            sessions=[
                (one, draw_small(growth.spec(one), one.description))
                for one in growth.by_session(rows["growth_of_largest_sessions"])
            ],
            growth_keys=growth.KEYS,
            shown=trends.SHOWN,
            range_of=charts.range_of,
            c=_charts(rows, changed),
        )
    )  # fmt: skip


def _charts(rows: Mapping[str, Any], changed: Sequence[Mapping[str, Any]]) -> dict[str, charts.Chart | None]:
    return {
        "tokens": charts.tokens_by_part(rows["cost_by_kind"]),
        "money": charts.money_by_part(rows["cost_by_kind"]),
        "books": charts.books(rows["books_by_agent"]),
        "residuals": charts.residuals(rows["sessions_by_residual"]),
        "tools": charts.tools(rows["cost_by_tool"]),
        "unused": charts.unused(rows["unused_by_tool"]),
        "misses": charts.misses(rows["cache_misses_by_cause"], SHORT),
        "days": trends.days(rows["tokens_by_day"]),
        "models": trends.models(rows["usage_by_model_and_day"]),
        "nights": trends.nights(changed, "prompt_tokens"),
        "nights_cost": trends.nights(changed, "cost_usd"),
    }
