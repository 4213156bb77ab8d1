"""The objects that OpenCode keeps (sessions, messages, parts), whatever form it keeps them in.

A tree has a file for each, a database a row whose `data` is the rest of the object as JSON, an export one document with the
messages and their parts inside. Out of each come the same objects, by ids alone: names of files only fill gaps. OpenCode 2 has
a row for each message, its parts inside, and copies to there what OpenCode 1 left in the same database.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson

from tasks.domain.kinds import Form
from tasks.domain.records import Record
from tasks.readers import opencode_next
from tasks.readers.names import stem
from tasks.readers.values import fields, moment, objects, text, whole

SESSION, MESSAGE, PART = "session", "message", "part"
NEXT_SESSION, NEXT_MESSAGE = "session_v2", "session_message"
ORPHANS = "orphans"
"""Session of what does not say which one it is of."""


@dataclass(slots=True)
class Object:
    """One session, message or part as the log holds it."""

    kind: str
    id: str
    data: dict[str, Any]
    record: Record | None = None
    """None for a part that stands inside of its message."""
    session_id: str = ""
    message_id: str = ""
    flags: tuple[str, ...] = ()
    name: str = ""
    """What its record is called, where neither the role nor the type says it."""
    seq: int = -1
    """Its number in the session, where the log has one."""


@dataclass(slots=True)
class Message:
    """A message and its parts in order. `own` is None where only its parts are left."""

    id: str
    own: Object | None = None
    parts: list[Object] = field(default_factory=list)

    @property
    def data(self) -> dict[str, Any]:
        return self.own.data if self.own else {}

    @property
    def created(self) -> Any:
        return fields(self.data.get("time")).get("created")


@dataclass(slots=True)
class Told:
    """All of one session. `own` is None where the log has messages of it alone."""

    id: str
    own: Object | None = None
    messages: dict[str, Message] = field(default_factory=dict)

    @property
    def data(self) -> dict[str, Any]:
        return self.own.data if self.own else {}

    def in_order(self) -> list[Message]:
        """By the time of their making, which a fork's copies keep; then by id."""
        return sorted(
            self.messages.values(),
            key=lambda message: (*_moment(message.created), message.own.seq if message.own else -1, message.id),
        )


def gather(records: Iterable[Record], form: Form) -> tuple[dict[str, Told], list[Record]]:
    """The sessions by id, in the order of their making; and records that are none of the three."""
    found: list[Object] = []
    others: list[Record] = []
    if form is Form.DATABASE:
        records = list(records)
        others = _told_twice(records)
        twice = set(map(id, others))
        records = [record for record in records if id(record) not in twice]
    for record in records:
        made = _READ[form](record)
        found += made
        if not made:
            others.append(record)
    if form is Form.DATABASE:
        found.sort(key=lambda one: one.id if one.record else one.message_id)
    if form is Form.DOCUMENT and found and found[0].kind == SESSION:
        for one in found:
            one.session_id = found[0].id
    return _told(found), others


def _told(found: list[Object]) -> dict[str, Told]:
    sessions: dict[str, Told] = {}
    homes: dict[str, Message] = {}
    for one in sorted(found, key=lambda one: (SESSION, MESSAGE, PART).index(one.kind)):
        if one.kind == SESSION:
            sessions.setdefault(one.id, Told(one.id)).own = one
        elif one.kind == MESSAGE:
            told = sessions.setdefault(one.session_id or ORPHANS, Told(one.session_id or ORPHANS))
            homes[one.id] = told.messages[one.id] = Message(one.id, one)
        else:
            if one.message_id not in homes:
                told = sessions.setdefault(one.session_id or ORPHANS, Told(one.session_id or ORPHANS))
                homes[one.message_id] = told.messages[one.message_id] = Message(one.message_id)
            homes[one.message_id].parts.append(one)
    return dict(sorted(sessions.items(), key=lambda pair: (*_moment(fields(pair[1].data.get("time")).get("created")), pair[0])))


def _moment(created: Any) -> tuple[bool, str]:
    at = moment(created)[0]
    return at is None, at.isoformat(timespec="microseconds") if at else ""


def _of_tree(record: Record) -> list[Object]:
    path = record.origin
    data = record.data
    if "#" in path:
        return []
    folder = path.rsplit("/", 2)[-2] if path.count("/") else ""
    name = text(data.get("id")) or stem(path)
    if isinstance(data.get("type"), str) and (data.get("messageID") or f"part/{folder}/" in f"/{path}"):
        session, message = text(data.get("sessionID")) or "", text(data.get("messageID")) or folder
        return [Object(PART, name, data, record, session, message)]
    if isinstance(data.get("role"), str):
        return [Object(MESSAGE, name, data, record, text(data.get("sessionID")) or folder)]
    return [Object(SESSION, name, data, record)] if is_session(data) else []


def is_session(data: dict[str, Any]) -> bool:
    """Whether an object is a session's own: it has an id, a time, and says where it is at work."""
    named = isinstance(data.get("projectID"), str) or isinstance(data.get("directory"), str)
    return isinstance(data.get("id"), str) and named and isinstance(data.get("time"), dict) and "role" not in data


def _of_export(record: Record) -> list[Object]:
    if not record.origin:
        info = fields(record.data.get("info"))
        return [Object(SESSION, text(info.get("id")) or "", info, record)]
    info = fields(record.data.get("info"))
    if record.origin != "messages" or not info:
        return []
    name, session = text(info.get("id")) or f"@{record.byte_offset}", text(info.get("sessionID")) or ""
    parts = [
        Object(PART, text(part.get("id")) or f"{name}.{number}", part, None, session, name)
        for number, part in enumerate(objects(record.data.get("parts")))
    ]
    return [Object(MESSAGE, name, info, record, session), *parts]


def _told_twice(records: list[Record]) -> list[Record]:
    """Rows of which others tell more: a message's parts have ids in OpenCode 1, its copy in OpenCode 2 has none; a session's
    row in OpenCode 2 is the newer one."""
    names: dict[str, set[str]] = {origin: set() for origin in (NEXT_SESSION, NEXT_MESSAGE, PART)}
    for record in records:
        if record.origin in names:
            names[record.origin].add(text(record.data.get("message_id" if record.origin == PART else "id")) or "")
    copies = opencode_next.copies(names[PART] - {""}) if names[NEXT_MESSAGE] else set()
    instead = {SESSION: names[NEXT_SESSION], NEXT_MESSAGE: copies, MESSAGE: names[NEXT_MESSAGE] - copies}
    return [record for record in records if text(record.data.get("id")) in instead.get(record.origin, ())]


def _of_next(record: Record, name: str) -> list[Object]:
    row = record.data
    data, flags = _data(row.get("data"))
    data.setdefault("time", {"created": row.get("time_created")})
    kind, session = text(row.get("type")) or "", text(row.get("session_id")) or ""
    told = opencode_next.message(kind, data)
    own, parts = told or (data, [{**data, "type": f"message/{kind}"}])
    called = f"{NEXT_MESSAGE}/{kind}" if told else ""
    inside = [Object(PART, f"{name}.{no}", part, None, session, name) for no, part in enumerate(parts)]
    seq = whole(row.get("seq"))[0]
    return [Object(MESSAGE, name, own, record, session, "", flags, called, -1 if seq is None else seq), *inside]


def _of_database(record: Record) -> list[Object]:
    row = record.data
    name = text(row.get("id"))
    if name is None or record.origin not in (SESSION, MESSAGE, PART, NEXT_SESSION, NEXT_MESSAGE):
        return []
    if record.origin in (SESSION, NEXT_SESSION):
        return [Object(SESSION, name, _session_of_row(row), record)]
    if record.origin == NEXT_MESSAGE:
        return _of_next(record, name)
    data, flags = _data(row.get("data"))
    data.setdefault("time", {"created": row.get("time_created")}) if record.origin == MESSAGE else None
    message = text(row.get("message_id")) or "" if record.origin == PART else ""
    return [Object(record.origin, name, data, record, text(row.get("session_id")) or "", message, flags)]


def _session_of_row(row: dict[str, Any]) -> dict[str, Any]:
    names = {
        "projectID": "project_id",
        "parentID": "parent_id",
        "forkedFrom": "fork_session_id",
        "directory": "directory",
        "title": "title",
        "version": "version",
    }
    revert = row.get("revert")
    return {
        **{name: row.get(column) for name, column in names.items()},
        "id": row.get("id"),
        "time": {"created": row.get("time_created"), "updated": row.get("time_updated")},
        "revert": _data(revert)[0] if revert else None,
    }


def _data(value: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    try:
        found = orjson.loads(value)
    except (TypeError, ValueError):
        return {}, ("odd_data",)
    return (found, ()) if isinstance(found, dict) else ({}, ("odd_data",))


_READ = {Form.FOLDER: _of_tree, Form.DOCUMENT: _of_export, Form.DATABASE: _of_database}
