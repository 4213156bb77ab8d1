"""OpenClaw's database of one agent, `openclaw-agent.sqlite` -> its sessions, each with the lines that its file would have.

Since 2026.x a session's lines are rows of `transcript_events`, as text or, from schema 23 on, as zstd; what was reset, deleted
or set aside lies in archives. Confidence B: the schema is that of npm `openclaw` 2026.9.6 and its docs; no real file was seen.
"""

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import zstandard

from tasks.domain.kinds import Relation
from tasks.domain.records import Head, Record
from tasks.readers import records
from tasks.readers.values import fields, text, whole

EVENTS, WINDOWS, NODES = "transcript_events", "session_windows", "session_nodes"
ARCHIVES = ("session_transcript_archives", "session_transcript_cold_archives")
TABLES = ("schema_meta", WINDOWS, NODES, *ARCHIVES, EVENTS)
_COLUMNS = {"session_id", "seq", "event_json", "created_at"}
_MOST_BYTES = 256 * 2**20
"""Of one archive, unpacked."""


@dataclass(slots=True)
class Window:
    """One session, and what the tables beside its lines say of it."""

    id: str
    record: Record | None = None
    lines: list[Record] = field(default_factory=list)
    odd: list[Record] = field(default_factory=list)
    """Rows whose line cannot be read."""
    parent: str | None = None
    relation: Relation | None = None
    title: str | None = None
    model: str | None = None


def is_database(head: Head) -> bool:
    return fields(tables(head).get(EVENTS)).keys() >= _COLUMNS


def tables(head: Head) -> dict[str, Any]:
    return dict(zip(head.names, head.objects, strict=False))


def identify(head: Head) -> str | None:
    """The agent and the birth of its database, which outlive every session; else the session that is told first."""
    found = tables(head)
    meta = fields(found.get("schema_meta"))
    agent, born = text(meta.get("agent_id")), whole(meta.get("created_at"))[0]
    if agent and born:
        return f"database of {agent}@{born}"
    first = text(fields(found.get(EVENTS)).get("session_id"))
    return f"database of {first}" if first else None


def gather(rows: Iterable[Record]) -> tuple[list[Window], list[Record]]:
    """The sessions in the order in which they began, and rows that are of none."""
    found: dict[str, Window] = {}
    nodes, others, events = list[Record](), list[Record](), list[Record]()
    for row in rows:
        owner = text(row.data.get("session_id"))
        if row.origin == NODES:
            nodes.append(row)
        elif owner is None or row.origin not in (WINDOWS, EVENTS, *ARCHIVES):
            others.append(row)
        else:
            window = found.setdefault(owner, Window(owner))
            if row.origin == WINDOWS:
                window.record = row
            elif row.origin == EVENTS:
                events.append(row)
            else:
                _unpack(window, row)
    unpacked = {name: {line.raw for line in window.lines} for name, window in found.items()}
    for row in sorted(events, key=lambda row: (whole(row.data.get("seq"))[0] or 0, row.line_no)):
        name = str(row.data["session_id"])
        _tell(found[name], row, unpacked[name])
    _relate(found, nodes)
    return sorted(found.values(), key=lambda window: (_born(window), window.id)), [*others, *nodes]


def _tell(window: Window, row: Record, unpacked: set[bytes]) -> None:
    """One row is one line, its bytes those of the file; an archive may have told it."""
    said = row.data.get("event_json")
    raw = said.encode("utf-8", "surrogatepass") if isinstance(said, str) else _plain(row.data.get("event_zstd"))
    line = records.parsed(raw) if raw is not None else "no line"
    if raw is None or isinstance(line, str):
        window.odd.append(row)
    elif raw not in unpacked:
        window.lines.append(replace(row, raw=raw, data=line[0], flags=line[1]))


def _unpack(window: Window, row: Record) -> None:
    """An archive holds all lines that a session had; the table has none of it then."""
    blob = row.data.get("archive_blob")
    identity = row.data.get("encoding") == "identity"
    raw = (blob if isinstance(blob, bytes) else None) if identity else _plain(blob)
    before = {line.raw for line in window.lines}
    for one in (raw or b"").split(b"\n"):
        line = records.parsed(one)
        if one not in before and not isinstance(line, str):
            window.lines.append(replace(row, raw=one, data=line[0], flags=line[1]))
    if raw is None and blob is not None:
        window.odd.append(row)


def _plain(packed: Any) -> bytes | None:
    if not isinstance(packed, bytes):
        return None
    try:
        return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed), read_across_frames=True).read(_MOST_BYTES)
    except zstandard.ZstdError:
        return None


def _born(window: Window) -> int:
    row = window.record or next(iter((*window.lines, *window.odd)), None)
    data = row.data if row else {}
    return whole(data.get("started_at"))[0] or whole(data.get("created_at"))[0] or 0


def _relate(found: Mapping[str, Window], nodes: Iterable[Record]) -> None:
    """A conversation (node) goes through several sessions (windows); the last is the one that it names."""
    current = dict[str, str]()
    for row in nodes:
        key, name = text(row.data.get("session_key")), text(row.data.get("current_session_id"))
        if key and name:
            current[key] = name
    for window in found.values():
        own = window.record.data if window.record else {}
        window.title, window.model = text(own.get("display_name")), text(own.get("model"))
        spawned = text(own.get("spawned_by"))
        if spawned:
            _below(window, _at_the_time(found, spawned, _born(window)) or current.get(spawned), Relation.SUBAGENT)
    for node in nodes:
        one = found.get(text(node.data.get("current_session_id")) or "")
        if one is not None:
            one.title = one.title or text(node.data.get("display_name")) or text(node.data.get("label"))
            if one.relation is None:
                _below(one, text(node.data.get("fork_source_session_id")), Relation.FORK)


def _below(window: Window, parent: str | None, relation: Relation) -> None:
    if parent and parent != window.id:
        window.parent, window.relation = parent, relation


def _at_the_time(found: Mapping[str, Window], key: str, born: int) -> str | None:
    """Of the sessions of a conversation, the last that had begun by then."""
    earlier = [
        (_born(window), window.id)
        for window in found.values()
        if window.record is not None and window.record.data.get("session_key") == key and _born(window) <= born
    ]
    return max(earlier)[1] if earlier else None
