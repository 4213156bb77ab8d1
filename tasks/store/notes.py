"""Notes beside the copies in raw/: each copy's row of `sources`, so that a lost lake is built again from raw/ alone."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields, replace
from datetime import datetime
from typing import Any

from tasks.store import durable
from tasks.store.layout import Layout
from tasks.store.source_rows import SourceRow

_TIMES = ("mtime", "first_seen_at", "last_changed_at")


def write(layout: Layout, rows: Iterable[SourceRow]) -> None:
    """A note for every row that has a copy."""
    for row in rows:
        if row.has_rows and row.agent:
            note = json.dumps(asdict(row), default=datetime.isoformat, sort_keys=True).encode()
            durable.write_soon(layout.raw_note(row.agent, row.source_id, row.generation), note)


def read_all(layout: Layout) -> list[SourceRow]:
    """The rows that the notes tell, as of readers that never read them. A note that is damaged tells nothing."""
    return sorted(_read(layout), key=lambda row: (row.source_id, row.generation))


def _read(layout: Layout) -> Iterator[SourceRow]:
    for path in layout.raw.glob("*/*/*.json"):
        try:
            row = _row(json.loads(path.read_bytes()))
            if path == layout.raw_note(row.agent or "", row.source_id, row.generation):
                yield row
        except (OSError, ValueError, TypeError, KeyError):
            continue


def _row(values: dict[str, Any]) -> SourceRow:
    known = {field.name: values[field.name] for field in fields(SourceRow) if field.name in values}
    known |= {name: datetime.fromisoformat(known[name]) if known[name] else None for name in _TIMES}
    known["first_keys"] = tuple(known["first_keys"]) if known["first_keys"] else None
    return replace(SourceRow(**known), reader_version=None, redaction_version=None)
