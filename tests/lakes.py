"""Helpers of tests that run the real ingest: nights over an archive, and a lake as comparable rows."""

import hashlib
from pathlib import Path
from typing import Any

from tasks.analyze import AnalyzeReport, analyze
from tasks.domain.ports import InProcess, Silent
from tasks.domain.settings import Settings
from tasks.ingest import IngestReport, ingest
from tasks.store import catalog
from tasks.store.layout import Layout
from tasks.store.schemas import TABLES

HISTORY = {
    "sources": ("state", "reason", "mtime", "first_seen_at", "last_changed_at", "raw_bytes", "path"),
}
"""Columns that tell when and in how many nights something came, not what it is."""


def night(archive: Path, data: Path, **more: Any) -> IngestReport:
    """One ingest of an archive, in this process. Logs count as finished only after a day."""
    return ingest(Settings(archive=(archive,), data=data, workers=1, **more), InProcess(), Silent())


def analyzed(data: Path) -> AnalyzeReport:
    """The accounts of a lake's sessions."""
    return analyze(Settings(data=data), Silent())


def ask(data: Path, question: str) -> list[tuple[Any, ...]]:
    """Rows of the current snapshot."""
    with catalog.connect(Layout(data)) as con:
        return con.execute(question).fetchall()


def logical_rows(data: Path, tables: tuple[str, ...] = tuple(TABLES)) -> dict[str, list[str]]:
    """Every table as sorted rows, without columns of wall clock and history."""
    found = {}
    with catalog.connect(Layout(data)) as con:
        for table in tables:
            if table == "runs":
                continue
            without = ", ".join(("commit", *HISTORY.get(table, ())))
            rows = con.execute(f"select * exclude ({without}) from lake.{table}").fetchall()
            found[table] = sorted(map(repr, rows))
    return found


def fingerprint(data: Path) -> str:
    """One hash over the logical rows of all tables."""
    digest = hashlib.sha256()
    for table, rows in sorted(logical_rows(data).items()):
        digest.update(f"{table}:{len(rows)}\n".encode())
        for row in rows:
            digest.update(row.encode() + b"\n")
    return digest.hexdigest()
