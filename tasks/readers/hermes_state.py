"""Hermes' `state.db`: every session with its messages as rows, and what it cost, by model and by what the calls were for.

Counts are disjoint: the prompt is input, cache read and cache write together, and reasoning is part of the output.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from tasks.domain.records import Record
from tasks.readers.draft import Draft
from tasks.readers.usage import Usage, cached_beside
from tasks.readers.values import canonical, digest, fields, text, whole

TABLES = ("sessions", "messages", "session_model_usage")
_COLUMNS = {"sessions": {"id", "source", "started_at"}, "messages": {"session_id", "role", "content", "tool_calls"}}
_STRUCTURED = "\x00json:"
"""How a content begins that is no text but JSON."""
_KEY = ("model", "billing_provider", "billing_base_url", "billing_mode", "task")


@dataclass(slots=True)
class Told:
    """All of one session."""

    id: str
    record: Record | None = None
    messages: list[Record] = field(default_factory=list)
    costs: list[Record] = field(default_factory=list)


def is_state(tables: Mapping[str, Any]) -> bool:
    return all(columns <= fields(tables.get(name)).keys() for name, columns in _COLUMNS.items())


def gather(records: Iterable[Record]) -> tuple[list[Told], list[Record]]:
    """The sessions in the order in which they began to be kept, and rows that are of none."""
    found: dict[str, Told] = {}
    others = []
    for record in records:
        owner = text(record.data.get("id" if record.origin == "sessions" else "session_id"))
        if owner is None:
            others.append(record)
            continue
        told = found.setdefault(owner, Told(owner))
        if record.origin == "sessions":
            told.record = _as_document(record)
        elif record.origin == "messages":
            told.messages.append(_as_message(record))
        else:
            told.costs.append(record)
    for told in found.values():
        told.messages.sort(key=lambda record: (whole(record.data.get("id"))[0] or 0, record.line_no))
    return list(found.values()), others


def _as_document(record: Record) -> Record:
    """A session's row, with the names that the document has for the same."""
    row = record.data
    more = {
        "session_start": row.get("started_at"),
        "last_updated": row.get("ended_at"),
        "model_config": _parsed(row, "model_config"),
    }
    return replace(record, origin="", data={**row, **more})


def _as_message(record: Record) -> Record:
    row = record.data
    content = row.get("content")
    if isinstance(content, str) and content.startswith(_STRUCTURED):
        content = _json(content.removeprefix(_STRUCTURED), content)
    return replace(record, origin="messages", data={**row, "content": content, "tool_calls": _parsed(row, "tool_calls")})


def _parsed(row: dict[str, Any], name: str) -> Any:
    return _json(row.get(name), row.get(name))


def _json(value: Any, otherwise: Any) -> Any:
    try:
        return orjson.loads(value)
    except (TypeError, ValueError):
        return otherwise


def was_rewound(row: dict[str, Any]) -> bool:
    """No longer active, and not because a summary stands for it."""
    return row.get("active") == 0 and not row.get("compacted")


def book(draft: Draft, told: Told) -> None:
    """What the session cost: a row for each model and task, or, of before there were such, one for all."""
    booked = False
    for record in told.costs:
        row = record.data
        draft.record(record, "session_model_usage", at=row.get("last_seen"))
        task = text(row.get("task"))
        key = f"usage:{digest('usage', canonical([row.get(name) or '' for name in _KEY]))}"
        booked |= _call(draft, key, row, (f"task:{task}",) if task else ())
    if not booked and told.record is not None:
        _call(draft, "total", told.record.data, ())


def _call(draft: Draft, key: str, row: dict[str, Any], flags: tuple[str, ...]) -> bool:
    used = _usage(row)
    if used.is_empty:
        return False
    calls = whole(row.get("api_call_count"))[0]
    flags += () if calls == 1 else ("sum_of_calls",)
    flags += (f"calls:{calls}",) if calls and calls > 1 else ()
    draft.call(key, used, model=text(row.get("model")), flags=flags)
    return True


def _usage(row: dict[str, Any]) -> Usage:
    names = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
    return cached_beside(*(row.get(name) for name in names), reasoning=row.get("reasoning_tokens"))
