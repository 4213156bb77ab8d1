"""One record of a Codex rollout, whatever its generation: an envelope with a payload, or a bare item of 2025."""

from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

from tasks.domain.records import Record
from tasks.domain.seen import SeenItem, SeenRecord
from tasks.readers.values import canonical, carries_tokens, moment, shape

STAMPS = frozenset(
    (
        "id", "timestamp", "metadata", "internal_chat_message_metadata_passthrough", "ordinal", "window_id", "first_window_id",
        "previous_window_id", "window_number",
    )
)  # fmt: skip
"""Payload keys that a copy may get anew; what remains is the content."""

UNCOMPARED = frozenset(("session_meta", "turn_context", "world_state", "token_count", "token_usage_record"))
"""Lines that hold nothing which is compared with a copy: a session_meta is each file's own, usage has a key of its own."""

KNOWN = frozenset(
    ("session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state", "token_usage_record")
)  # fmt: skip

KEPT_TIMES = ("started_at", "completed_at", "completed_at_ms")
"""Times inside a payload survive a copy; the envelope's `timestamp` is rewritten to the moment of the fork."""


@dataclass(slots=True)
class Line:
    """A record taken apart: `type` of the envelope, `subtype` and body of its payload."""

    record: Record
    type: str
    subtype: str
    payload: dict[str, Any]
    at: datetime | None
    flags: tuple[str, ...]


@dataclass(slots=True)
class Mark:
    """What stays of a line once it is read: enough to decide, over the whole file, what each of its rows means."""

    no: int
    """From 0, among the records of the file."""
    type: str
    subtype: str
    at: datetime | None
    kept_at: datetime | None
    """The time that a re-stamped copy leaves untouched."""
    sha: str
    """Of the record's bytes."""
    key: str | None
    """Hash of the payload without its stamps; None where copies are never compared."""
    row: SeenRecord
    items: list[SeenItem] = field(default_factory=list)
    spare: list[SeenItem] = field(default_factory=list)
    """Copies of items in events: they become items only where the file holds no original."""
    call_id: str | None = None


def take_apart(record: Record) -> Line:
    """The record as a line. Anything that is no envelope and no bare item keeps its own type and an empty payload."""
    data = record.data
    kind, payload = data.get("type"), data.get("payload")
    at, flag = moment(data.get("timestamp")) if "timestamp" in data else (None, None)
    flags = record.flags + ((flag,) if flag else ())
    if isinstance(kind, str) and isinstance(payload, dict):
        return Line(record, kind, _word(payload.get("type")), payload, at, flags)
    if isinstance(data.get("record_type"), str):
        return Line(record, f"record_type/{data['record_type']}", "", {}, at, flags)
    if kind is None and isinstance(data.get("id"), str) and "role" not in data and "timestamp" in data:
        return Line(record, "session_meta", "bare", data, at, flags)
    if isinstance(kind, str) or "role" in data:
        return Line(record, "response_item", _word(kind), data, at, flags)
    return Line(record, "unknown", "", {}, at, flags)


def mark(line: Line, no: int, session_id: str, version: str | None) -> Mark:
    """The line's row in `records`, and its identity."""
    sha = sha256(line.record.raw).hexdigest()
    payload = line.payload
    native = payload.get("id") or payload.get("response_id")
    row = SeenRecord(
        line_no=line.record.line_no,
        byte_offset=line.record.byte_offset,
        byte_length=line.record.byte_length,
        sha256=sha,
        type="/".join(part for part in (line.type, line.subtype) if part),
        native_id=native if isinstance(native, str) else None,
        shape=shape(line.record.data),
        agent_version=version,
        session_id=session_id,
        flags=(*line.flags, *_unread(line)),
    )
    kept = next((found for name in KEPT_TIMES if name in payload and (found := moment(payload[name])[0])), None)
    key = None if line.type in UNCOMPARED or line.subtype in UNCOMPARED else content_key(line.type, payload)
    call_id = payload.get("call_id")
    return Mark(
        no, line.type, line.subtype, line.at, kept, sha, key, row, call_id=call_id if isinstance(call_id, str) else None
    )


def _unread(line: Line) -> tuple[str, ...]:
    """Flags of a line that nobody reads, and of token counts where none are read."""
    is_known = line.type in KNOWN or line.type.startswith(("inter_agent_communication", "record_type/"))
    if not is_known:
        return ("unknown_type", *(("usage_uncounted",) if carries_tokens(line.record.data) else ()))
    counts = {} if line.type in ("event_msg", "token_usage_record") else {"usage": line.payload.get("usage")}
    return ("usage_uncounted",) if carries_tokens(counts) else ()


def content_key(kind: str, payload: dict[str, Any]) -> str:
    """Equal for a line and its re-stamped copy."""
    bare = {name: value for name, value in payload.items() if name not in STAMPS}
    return digest(kind, canonical(bare))


def digest(*parts: str) -> str:
    """128 bits in hex over the parts; a part never runs into the next."""
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""
