"""Gives a session in a format that others read, from the lake as it is: redacted, each thing once, sub-agents included."""

from typing import TYPE_CHECKING

from tasks.domain.errors import UsageError
from tasks.exports.model import Call, Placed, Session, rows_of, tree
from tasks.exports.registry import by_name
from tasks.store import sql

if TYPE_CHECKING:
    import duckdb


def document(con: "duckdb.DuckDBPyConnection", session_id: str, form: str) -> str:
    """One session in a format of `tasks/exports/registry.py`. UsageError where there is no such format or session."""
    write = by_name(form)
    return write(session(con, session_id))


def session(con: "duckdb.DuckDBPyConnection", session_id: str) -> Session:
    """A session and its sub-agents with all that stands in them. UsageError where the lake has no such session."""
    facts = sql.run(con, sql.load("exports/sessions_to_export"), {"session": session_id}).dicts()
    if not facts:
        raise UsageError(f"no session {session_id!r} in the lake. `midwatch sessions` lists them.")
    these = {"sessions": [row["session_id"] for row in facts]}
    items = sql.run(con, sql.load("exports/items_to_export"), these).dicts()
    calls = sql.run(con, sql.load("exports/calls_to_export"), these).dicts()
    compactions = sql.run(con, sql.load("exports/compactions_to_export"), these).dicts()
    return tree(facts, rows_of(Placed, items), rows_of(Call, calls), compactions)
