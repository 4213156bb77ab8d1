"""Writes the page of one session, when somebody asks for it."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.ask import answers
from tasks.report.session import QUESTIONS, OneSession
from tasks.store import durable, manifest
from tasks.store.layout import Layout, safe_name
from tasks.store.sandboxed import plain

if TYPE_CHECKING:
    import duckdb


def of_session(con: "duckdb.DuckDBPyConnection", layout: Layout, session_id: str) -> OneSession:
    """What the lake knows of a session that is in it."""
    asked = {name: {"session": session_id, **params} for name, params in QUESTIONS.items()}
    found = answers(con, asked)
    relatives = (row["session_id"] for row in found["relatives_of_session"].rows)
    return OneSession(session_id, found, manifest.latest(layout).snapshot, _addresses(layout, relatives))


def write(layout: Layout, one: OneSession) -> Path:
    """The page's path. Whoever writes the page of a session again gets the newest snapshot of it."""
    from tasks.report.session import render

    path = _path(layout, one.session_id)
    layout.prepare()
    path.parent.mkdir(mode=0o700, exist_ok=True)
    durable.write_whole(path, render(one).encode("utf-8", "replace"))
    return path


def data(one: OneSession) -> dict[str, Any]:
    """What the page is made from, for a program: the rows of every question."""
    told = {name: plain(answer.rows) for name, answer in one.answers.items()}
    return {"session_id": one.session_id, "snapshot": one.snapshot, "answers": told}


def _path(layout: Layout, session_id: str) -> Path:
    """An id may hold anything; the name is a slug and a hash of it."""
    return layout.session_reports / f"{safe_name(session_id)}.html"


def _addresses(layout: Layout, sessions: Iterable[str]) -> dict[str, str]:
    """Those of the sessions that have a page, as seen from one beside it."""
    paths = {session: _path(layout, session) for session in sessions}
    return {session: path.name for session, path in paths.items() if path.is_file()}
