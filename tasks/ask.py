"""Asks the lake the questions that a page is made from."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tasks.report.answers import Answer
from tasks.store import sql

if TYPE_CHECKING:
    import duckdb


def answers(con: "duckdb.DuckDBPyConnection", questions: Mapping[str, Mapping[str, Any]]) -> dict[str, Answer]:
    """The answers to questions of sql/analysis, each with the parameters to ask it with."""
    return {name: answer(con, name, params) for name, params in questions.items()}


def answer(con: "duckdb.DuckDBPyConnection", name: str, params: Mapping[str, Any]) -> Answer:
    """One answer, with the SQL that gave it."""
    query = sql.load(name)
    return Answer(name, sql.run(con, query, params).dicts(), query.text, params)
