"""From the rows of any version of a table to those of today's: the steps of sql/migrations.

`NNNN__<table>__<verb>.sql` is one SELECT from `old`, rows of the version before, that gives those of the version after. The
first step of a table leads from version 1 to 2, the next one on from there. The same text serves old parts when they are read,
and when they are written anew.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tasks.store import sql
from tasks.store.manifest import Manifest, Part
from tasks.store.schemas import TABLES

_NAME = re.compile(r"\d{4}__(?P<table>[a-z_]+?)__[a-z_]+")


@dataclass(frozen=True, slots=True)
class Step:
    """One step, from a version of a table to the next."""

    name: str
    table: str
    version: int
    """That it leads from."""
    text: str
    words: str


@cache
def steps() -> dict[str, tuple[Step, ...]]:
    """The steps of each table, in order."""
    found: dict[str, tuple[Step, ...]] = {}
    for name in sql.names("migrations"):
        match = _NAME.fullmatch(name)
        if match is None:
            raise ValueError(f"sql/migrations/{name}.sql: a step is named NNNN__<table>__<verb>.sql")
        query = sql.load(f"migrations/{name}")
        before = found.get(match["table"], ())
        found[match["table"]] = (*before, Step(name, match["table"], len(before) + 1, query.text, query.question))
    return found


def upcast(table: str, version: int, rows: str, until: int | None = None) -> str:
    """SQL for rows of an older version as those of a later one; without `until` as those of today."""
    for step in steps().get(table, ())[version - 1 : until and until - 1]:
        rows = f"(with old as not materialized (select * from {rows}) {step.text.rstrip()}\n)"
    return rows


def by_version(parts: Iterable[Part]) -> dict[int, list[Part]]:
    """Parts by the version that they were written in, oldest first."""
    found: dict[int, list[Part]] = {}
    for part in sorted(parts, key=lambda part: part.version):
        found.setdefault(part.version, []).append(part)
    return found


def older_parts(manifest: Manifest) -> list[Part]:
    """Parts that are read by way of a step."""
    return [part for part in manifest.parts if part.table in TABLES and part.version < TABLES[part.table].version]


def recorded(facts: dict[str, Any], rewritten: Sequence[Part], left: Sequence[Part], at: str) -> dict[str, Any]:
    """The facts of a snapshot in which parts were written anew and others are left: each step, and what it was taken on."""
    ledger = {entry["step"]: dict(entry) for entry in facts.get("migrations", ())}
    for part in rewritten:
        for step in steps().get(part.table, ())[part.version - 1 :]:
            entry = ledger.setdefault(step.name, {"step": step.name, "files": 0, "rows": 0})
            entry["files"] += 1
            entry["rows"] += part.rows
            entry["at"] = at
            entry["is_done"] = not any(one.table == part.table and one.version <= step.version for one in left)
    return {**facts, "migrations": [ledger[name] for name in sorted(ledger)]} if ledger else facts
