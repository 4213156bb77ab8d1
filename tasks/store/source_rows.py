"""Rows of the `sources` table as objects: the checkpoint of the archive."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

import duckdb

from tasks.domain.kinds import SourceState
from tasks.domain.records import Books
from tasks.store.generations import Known


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One generation of a log, or a file that is only listed. `bytes` and `lines` are what was seen of it."""

    source_id: str
    generation: int
    agent: str | None
    path: str
    state: str
    form: str = "lines"
    """A Form's value."""
    native_id: str | None = None
    reason: str | None = None
    copy_of: str | None = None
    bytes: int = 0
    lines: int = 0
    committed_bytes: int = 0
    raw_bytes: int = 0
    prefix_hash: str | None = None
    first_record_sha256: str | None = None
    bytes_in_rows: int = 0
    bytes_rejected: int = 0
    bytes_blank: int = 0
    bytes_pending: int = 0
    lines_in_rows: int = 0
    lines_rejected: int = 0
    lines_blank: int = 0
    lines_pending: int = 0
    first_keys: tuple[str, ...] | None = None
    reader_version: int | None = None
    redaction_version: int | None = None
    mtime: datetime | None = None
    first_seen_at: datetime | None = None
    last_changed_at: datetime | None = None

    @property
    def has_rows(self) -> bool:
        """Whether the file was read, as against only listed."""
        return self.prefix_hash is not None

    def known(self) -> Known:
        return Known(
            self.source_id, self.generation, self.path, self.committed_bytes, self.prefix_hash or "", self.bytes, self.state
        )

    def with_books(self, books: Books) -> "SourceRow":
        """The row after a reading."""
        return replace(
            self,
            bytes=books.bytes_seen,
            lines=books.lines_seen,
            **{f.name: getattr(books, f.name) for f in fields(Books) if not f.name.endswith("seen")},
        )


_COLUMNS = tuple(f.name for f in fields(SourceRow))
_HISTORY = frozenset({"last_changed_at", "first_seen_at", "mtime"})


def read_all(con: duckdb.DuckDBPyConnection) -> list[SourceRow]:
    """All rows of a snapshot that `catalog.define` set up."""
    found = con.execute(f"select {', '.join(_COLUMNS)} from lake.sources order by source_id, generation").fetchall()
    return [_row(dict(zip(_COLUMNS, values, strict=True))) for values in found]


def newest(rows: Iterable[SourceRow]) -> dict[str, SourceRow]:
    """The newest generation of each source that was read."""
    return {row.source_id: row for row in sorted(rows, key=lambda row: row.generation) if row.has_rows}


def says_the_same(one: SourceRow, other: SourceRow) -> bool:
    """Whether two rows differ in nothing but times of the night, so that there is nothing to commit."""
    quiet = {SourceState.NEW, SourceState.APPENDED, SourceState.UNCHANGED, SourceState.MOVED}
    return all(
        getattr(one, name) == getattr(other, name) or (name == "state" and {one.state, other.state} <= quiet)
        for name in _COLUMNS
        if name not in _HISTORY and name != "reason"
    )


def _row(values: dict[str, Any]) -> SourceRow:
    keys = values.pop("first_keys")
    return SourceRow(first_keys=tuple(keys) if keys is not None else None, **values)
