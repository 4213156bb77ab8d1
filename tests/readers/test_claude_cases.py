"""Claude Code's reader, one folder of `cases/claude_code` per rule: what `expected.json` states must hold, row by row.

A list names every row of that kind in order, each with the columns that the rule is about; a kind that is not named is free.
"""

import json
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from tasks.domain.records import Books, Record, SourceHint
from tasks.readers.claude_code import ClaudeCode
from tasks.readers.records import read_records

CASES = Path(__file__).parent / "cases" / "claude_code"
KINDS = ("records", "sessions", "requests", "items", "compactions")


def plain(value: Any) -> Any:
    """A value as JSON writes it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_case(case: str):
    expected = json.loads((CASES / case / "expected.json").read_text(encoding="utf-8"))
    reader, books = ClaudeCode(), Books()
    with (CASES / case / "input.jsonl").open("rb") as stream:
        parts = list(read_records(stream, books))
    records = [part for part in parts if isinstance(part, Record)]
    assert len(records) == len(parts)
    head, path = [record.data for record in records[:8]], expected.get("path", "projects/x/a.jsonl")
    assert reader.claims(head)
    native_id = reader.identify(head, path)
    assert native_id == expected.get("identity", native_id)
    reading = reader.read(records, SourceHint(reader.agent, path, native_id=native_id))
    for kind in KINDS:
        if kind in expected:
            rows = getattr(reading, kind)
            stated = expected[kind]
            assert len(rows) == len(stated), f"{kind}: {[plain(getattr(row, 'kind', None)) for row in rows]}"
            found = [{name: plain(getattr(row, name)) for name in want} for row, want in zip(rows, stated, strict=True)]
            assert found == stated
    assert len(reading.records) == len(records)
    assert len({item.item_id for item in reading.items}) == len(reading.items)
