"""A night in brief: what its Markdown says, and the tables that stand beside a tracked run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tasks.report import causes, words
from tasks.report.answers import Answer
from tasks.report.kinds import PARTS
from tasks.report.markdown import cell, environment

QUESTIONS: dict[str, dict[str, Any]] = {
    "headline": {},
    "cost_by_kind": {},
    "cost_by_tool": {"top": 12},
    "cost_by_file": {"top": 12},
    "cache_misses_by_cause": {},
    "books_by_agent": {},
    "sessions_to_resume": {"top": 10},
}
"""What it asks, with the parameters it asks with."""
Cells = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Brief:
    """What it is made from."""

    answers: Mapping[str, Answer]
    """By question of `QUESTIONS`."""
    archive: Mapping[str, Any]
    """The row of the view `archive`."""
    snapshot: int


def markdown(brief: Brief, *, names_things: bool = True) -> str:
    """The document. Without names it tells no file, project or prompt, for places that others may read."""
    a = {name: answer.rows for name, answer in brief.answers.items()}
    template = environment().get_template("night.md.jinja")
    return template.render(
        a=a, total=a["headline"][0], archive=brief.archive, snapshot=brief.snapshot, parts=PARTS, names_things=names_things,
        cause_of_miss=causes.SHORT,
    )  # fmt: skip


def books(brief: Brief) -> Cells:
    """How far the prompts of each agent are accounted for."""
    return [
        {
            "agent": cell(row["agent"]), "calls": row["requests"], "with an account": row["requests_accounted"],
            "prompt tokens": row["prompt_tokens"], "explained": row["explained_tokens"], "overhead": row["overhead_tokens"],
            "residual": row["residual_tokens"], "without an account": row["unaccounted_tokens"],
        }
        for row in brief.answers["books_by_agent"].rows
        if row["requests"]
    ]  # fmt: skip


def kinds(brief: Brief) -> Cells:
    """What carrying each kind of item took."""
    return [{"what": PARTS.get(row["kind"], cell(row["kind"])), **_taken(row)} for row in brief.answers["cost_by_kind"].rows]


def tools(brief: Brief) -> Cells:
    """What carrying the calls and results of the dearest tools took."""
    return [
        {"tool": cell(row["tool_name"]), "to": row["tool_category"], "calls": row["calls"], **_taken(row)}
        for row in brief.answers["cost_by_tool"].rows
    ]


def _taken(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "tokens sent": row["token_requests"],
        "of the prompt tokens": words.percent(row["share_of_prompt_tokens"]),
        "cost": words.money(row["cost_usd"]),
    }
