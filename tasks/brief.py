"""Asks the lake what a night's Markdown and artifacts say."""

from typing import TYPE_CHECKING, Any

from tasks.ask import answers
from tasks.report.brief import QUESTIONS, Brief
from tasks.store import manifest, sql
from tasks.store.layout import Layout
from tasks.store.sandboxed import plain

if TYPE_CHECKING:
    import duckdb


def of_night(con: "duckdb.DuckDBPyConnection", layout: Layout) -> Brief:
    """The newest snapshot in brief."""
    archive = sql.run(con, sql.load("views/archive")).dicts()[0]
    return Brief(answers(con, QUESTIONS), archive, manifest.latest(layout).snapshot)


def data(brief: Brief) -> dict[str, Any]:
    """What it is made from, for a program: the rows of every question."""
    return {"snapshot": brief.snapshot, "answers": {name: plain(answer.rows) for name, answer in brief.answers.items()}}
