"""A Goose log as sessions with their messages and paid calls: a file of lines is one, a database holds many."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson

from tasks.domain.kinds import Form
from tasks.domain.records import Record
from tasks.readers.values import fields, moment, text, whole

KNOWN_SCHEMA = 15


@dataclass(slots=True)
class Message:
    """One message, wherever it was kept."""

    record: Record
    native_id: str | None
    role: str
    created: Any
    content: Any
    user_visible: bool = True
    agent_visible: bool = True
    flags: tuple[str, ...] = ()


@dataclass(slots=True)
class Told:
    """All of one session."""

    id: str
    record: Record | None = None
    data: dict[str, Any] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    ledger: list[Record] = field(default_factory=list)


def gather(records: Iterable[Record], form: Form, native_id: str) -> tuple[list[Told], list[Record]]:
    """The sessions of a log, and records that are of none."""
    if form is Form.DATABASE:
        return _of_database(records)
    told = Told(native_id)
    for number, record in enumerate(records):
        if number == 0 and "role" not in record.data:
            told.record, told.data = record, record.data
        else:
            told.messages.append(_of_line(record))
    return [told], []


def newest_schema(records: Iterable[Record]) -> int:
    """The version of a database's schema, 0 where it says none."""
    return max(
        (whole(record.data.get("version"))[0] or 0 for record in records if record.origin == "schema_version"), default=0
    )


def _of_line(record: Record) -> Message:
    data = record.data
    visible = _visible(data.get("metadata"))
    return Message(
        record, text(data.get("id")), text(data.get("role")) or "", data.get("created"), data.get("content"), *visible
    )


def _of_database(records: Iterable[Record]) -> tuple[list[Told], list[Record]]:
    sessions: dict[str, Told] = {}
    others: list[Record] = []
    for record in records:
        row = record.data
        owner = text(row.get("id" if record.origin == "sessions" else "session_id"))
        if owner is None or record.origin == "schema_version":
            others.append(record)
            continue
        told = sessions.setdefault(owner, Told(owner))
        if record.origin == "sessions":
            told.record, told.data = record, row
        elif record.origin == "messages":
            told.messages.append(_of_row(record))
        else:
            told.ledger.append(record)
    for told in sessions.values():
        told.messages.sort(key=lambda message: (_second(message.created), message.record.line_no))
        told.ledger.sort(key=lambda record: (_second(record.data.get("created_timestamp")), record.line_no))
    return list(sessions.values()), others


def _of_row(record: Record) -> Message:
    row = record.data
    content = parsed(row.get("content_json"))
    flags = () if isinstance(content, list) else ("odd_data",)
    visible = _visible(parsed(row.get("metadata_json")))
    native_id, role = text(row.get("message_id")), text(row.get("role")) or ""
    return Message(record, native_id, role, row.get("created_timestamp"), content, *visible, flags)


def _visible(metadata: Any) -> tuple[bool, bool]:
    """Whether the user sees a message, and whether the model does."""
    seen = fields(metadata)
    return seen.get("userVisible") is not False, seen.get("agentVisible") is not False


def parsed(value: Any) -> Any:
    """JSON that a column holds as text; None where it is none."""
    try:
        return orjson.loads(value)
    except (TypeError, ValueError):
        return None


def _second(created: Any) -> str:
    at = moment(created)[0]
    return at.isoformat(timespec="microseconds") if at else ""
