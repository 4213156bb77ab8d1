"""Which logs are Gemini CLI's, and which session they are about.

Three shapes: a document (until 0.39), an operation log in lines (since 0.40), and the stream that `-o stream-json` prints. A
resumed document is copied into lines beside it, so both name the same session.
"""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from tasks.domain.kinds import Form
from tasks.domain.records import Head
from tasks.readers.values import fields, objects, text

SET, REWIND = "$set", "$rewindTo"
_MESSAGE_TYPES = frozenset({"user", "gemini", "info", "warning", "error"})
_SLUG_FOLDER = re.compile(r"(?:^|/)tmp/([^/]+)/chats/")
_PARENT_FOLDER = re.compile(r"(?:^|/)chats/([^/]+)/[^/]+$")
_HASH = re.compile(r"[0-9a-f]{64}")


def claims(head: Head) -> bool:
    """Whether a log that begins like this is Gemini CLI's."""
    if head.form is Form.DOCUMENT:
        return len(head.objects) == 1 and _is_document(head.objects[0])
    if any("uuid" in record for record in head.objects):
        return False
    if len(head.objects) == 1 and "messages" in head.objects[0]:
        return False  # a document on one line
    return is_stream(head.objects) or any(is_header(record) or _is_operation(record) for record in head.objects)


def is_stream(head: Sequence[dict[str, Any]]) -> bool:
    """Whether the first event is the stream's: it names session and model, and no event later does."""
    first = head[0] if head else {}
    return first.get("type") == "init" and bool(text(first.get("session_id"))) and "model" in first


def is_header(record: dict[str, Any]) -> bool:
    """The line that names the session and its project."""
    return bool(text(record.get("sessionId")) and text(record.get("projectHash"))) and "type" not in record


def _is_operation(record: dict[str, Any]) -> bool:
    return isinstance(record.get(SET), dict) or isinstance(record.get(REWIND), str)


def _is_document(document: dict[str, Any]) -> bool:
    """Forks of the program write the same document with a message type of their own."""
    history = objects(document.get("history"))
    if history and "messages" not in document:
        return "start_time" in document and all("role" in turn and "parts" in turn for turn in history)
    types = {kind for message in objects(document.get("messages")) if (kind := text(message.get("type")))}
    if not text(document.get("sessionId")) or "messages" not in document:
        return False
    return "gemini" in types or ("projectHash" in document and (not types or bool(types & _MESSAGE_TYPES)))


def identify(head: Head, path: str) -> str:
    """The session id that the log names; else the file's name."""
    for record in head.objects:
        for found in (record, fields(record.get(SET))):
            named = text(found.get("sessionId")) or text(found.get("session_id"))
            if named:
                return named
    return PurePosixPath(path.replace("\\", "/")).stem


def project(path: str) -> str | None:
    """The project that the folder is named after; older versions name it by a hash."""
    found = _SLUG_FOLDER.search(path.replace("\\", "/"))
    return found[1] if found and not _HASH.fullmatch(found[1]) else None


def parent(path: str) -> str | None:
    """The session in whose folder a sub-agent's log lies."""
    found = _PARENT_FOLDER.search(path.replace("\\", "/"))
    return found[1] if found else None
