"""Which logs are OpenCode's, and what they are called."""

import hashlib
from typing import Any

from tasks.domain.kinds import Form
from tasks.domain.records import Head
from tasks.readers.opencode_objects import is_session
from tasks.readers.values import fields, text

_NEXT = {"id", "session_id", "type", "data"}
_COLUMNS = {"session": {"id", "directory"}, "message": {"session_id", "data"}, "part": {"message_id", "data"}}


def claims(head: Head) -> bool:
    """A database by its tables' columns, a folder by any object of its first files, an export by its session."""
    if head.form is Form.DATABASE:
        tables = dict(zip(head.names, head.objects, strict=False))
        if all(columns <= fields(tables.get(name)).keys() for name, columns in _COLUMNS.items()):
            return True
        sessions = (fields(tables.get(name)).keys() for name in ("session", "session_v2"))
        return fields(tables.get("session_message")).keys() >= _NEXT and any(_COLUMNS["session"] <= keys for keys in sessions)
    if head.form is Form.FOLDER:
        return any(_is_message(one) or _is_part(one) or is_session(one) for one in head.objects)
    return any(is_session(fields(one.get("info"))) and isinstance(one.get("messages"), list) for one in head.objects[:1])


def identify(head: Head, path: str) -> str:
    """An export is its session. A database is known by its oldest session, a tree by where it lies: both hold many."""
    if head.form is Form.DATABASE:
        tables = dict(zip(head.names, head.objects, strict=False))
        named = {"database of": "session", "database 2 of": "session_v2"}
        oldest = {words: text(fields(tables.get(table)).get("id")) for words, table in named.items()}
        return next((f"{words} {name}" for words, name in oldest.items() if name), f"database-{_digest(path)}")
    if head.form is Form.FOLDER:
        return f"storage-{_digest(path)}"
    return next((name for one in head.objects if (name := text(fields(one.get("info")).get("id")))), _digest(path))


def _is_message(one: dict[str, Any]) -> bool:
    return isinstance(one.get("sessionID"), str) and one.get("role") in ("user", "assistant") and "time" in one


def _is_part(one: dict[str, Any]) -> bool:
    return isinstance(one.get("messageID"), str) and isinstance(one.get("type"), str) and isinstance(one.get("id"), str)


def _digest(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8", "replace")).hexdigest()[:16]
