"""Which logs are pi's, which are OpenClaw's (built on pi's session files), and which session they are about."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from tasks.readers.values import fields, text

_NAMED_BY_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T[^_/]*_(.+)")
_OURS = "openclaw"


def header(head: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The line that opens a session; oh-my-pi has a line with its title before it."""
    for record in head[:2]:
        if record.get("type") == "session" and "timestamp" in record and ("cwd" in record or "version" in record):
            return record
        if record.get("type") != "title":
            return None
    return None


def is_openclaw(head: Sequence[dict[str, Any]]) -> bool:
    """Whether a mark of OpenClaw is in the head: its name where pi has a provider or a folder, or a first entry that hangs from
    the header, which pi's never do."""
    session = header(head) or {}
    named = text(session.get("id"))
    if (named or "").startswith(_OURS) or f".{_OURS}" in (text(session.get("cwd")) or ""):
        return True
    return any(_is_openclaws(record) or (named and record.get("parentId") == named) for record in head)


def _is_openclaws(record: dict[str, Any]) -> bool:
    marks = (record.get("provider"), record.get("customType"), fields(record.get("message")).get("provider"))
    return any((text(mark) or "").startswith(_OURS) for mark in marks) or record.get("customType") == "model-snapshot"


def identify(head: Sequence[dict[str, Any]], path: str) -> str:
    """The id in the header; else in the file's name."""
    named = text((header(head) or {}).get("id"))
    return named or session_in(path)


def session_in(path: str) -> str:
    """The session that a file is named after: `<time>_<id>.jsonl`, or the id alone."""
    name = PurePosixPath(path.replace("\\", "/")).name.split(".jsonl", 1)[0]
    found = _NAMED_BY_TIME.fullmatch(name)
    return found[1] if found else name


def folder_session(path: str) -> str | None:
    """The session in whose folder a sub-agent's log lies."""
    found = _NAMED_BY_TIME.fullmatch(PurePosixPath(path.replace("\\", "/")).parent.name)
    return found[1] if found else None
