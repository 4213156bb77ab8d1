"""The nightly page: answers to the questions of sql/analysis, as one HTML file that loads nothing from anywhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tasks.report import charts, words
from tasks.report.answers import Answer, Rows
from tasks.report.templates import environment

QUESTIONS: dict[str, dict[str, Any]] = {
    "headline": {},
    "tokens_by_kind": {},
    "tokens_by_tool_category": {},
    "tokens_by_tool": {"top": 12},
    "tokens_by_day": {},
    "tokens_by_project": {"top": 12},
    "tokens_by_file": {"top": 15},
    "biggest_items": {"top": 12},
    "tokens_by_session": {"top": 12},
    "usage_by_model": {},
    "compactions_by_session": {"top": 10},
    "sessions_to_resume": {"top": 20},
    "sources_by_state": {},
    "sources_with_problems": {"top": 10},
    "rejects_by_reason": {},
}
"""What the page asks, with the parameters it asks with."""
DAYS_SHOWN = 60
KINDS = {
    "system": "system prompt",
    "user_text": "typed by a person",
    "assistant_text": "said by the agent",
    "reasoning": "reasoning",
    "tool_call": "tool calls",
    "tool_result": "tool results",
    "injected": "injected by the agent program",
    "image": "images",
    "compaction_summary": "compaction summaries",
    "notice": "notices",
    "unknown": "not understood",
}


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
    handoffs: Mapping[str, str]
    """Addresses of handoff documents by session, relative to the page."""


def render(nightly: Nightly) -> str:
    """The whole page. Same input, same bytes."""
    answers = {name: answer.rows for name, answer in nightly.answers.items()}
    shown = list(answers["tokens_by_day"])[-DAYS_SHOWN:]
    return (
        environment()
        .get_template("page.html.jinja")
        .render(
            a=answers,
            q=nightly.answers,
            total=answers["headline"][0],
            archive=nightly.archive,
            snapshot=nightly.snapshot,
            stamp=nightly.stamp,
            handoffs=nightly.handoffs,
            kinds=KINDS,
            buckets=charts.BUCKETS,
            days=shown,
            tallest=max((row["prompt_tokens"] for row in shown), default=0),
            days_chart=charts.days(shown, _told(shown)),
            days_reach=charts.share(len(shown), charts.slots(shown)),
            lead=_lead(answers),
        )
    )


def _told(rows: Rows) -> str:
    """The chart in a sentence, for those who do not see it."""
    most = max(rows, key=lambda row: row["prompt_tokens"], default=None)
    if most is None:
        return "No calls."
    days = "1 day" if len(rows) == 1 else f"{len(rows)} days"
    return (
        f"Prompt tokens on {days} from {words.day(rows[0]['day'])} to {words.day(rows[-1]['day'])}; "
        f"the most, {words.compact(most['prompt_tokens'])}, on {words.day(most['day'])}. The numbers are in the table below."
    )


def _lead(answers: Mapping[str, Rows]) -> str:
    """What the figures come to, in a sentence or two."""
    kinds, tools = answers["tokens_by_kind"], answers["tokens_by_tool"]
    told = {row["kind"]: row["share_of_content"] or 0 for row in kinds}
    payload = told.get("tool_result", 0) + told.get("tool_call", 0)
    if not payload:
        return ""
    typed = f"what people typed is {words.percent(told.get('user_text', 0))}"
    lead = f"{words.percent(payload)} of the content is what tools were told and what they gave back; {typed}."
    return lead + (f" The largest share of it went through {tools[0]['tool_name']}." if tools else "")
