"""Which files are logs of Claude Code, and which session they are about.

Several agents write look-alike lines (`type`, `uuid`, `sessionId`, `message`), so one look-alike's mark in the head decides
against, and only then one mark of ours in favor.
"""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

_OTHER_SESSION_ID = re.compile(r"session-[0-9a-f]{8}-")
_OURS_BY_TYPE = {
    "summary": "leafUuid", "file-history-snapshot": "messageId", "queue-operation": "operation", "progress": "parentToolUseID",
    "attachment": "attachment", "ai-title": "aiTitle", "custom-title": "customTitle", "last-prompt": "lastPrompt",
    "permission-mode": "permissionMode", "mode": "mode", "pr-link": "prUrl", "agent-name": "agentName",
    "worktree-state": "worktreeSession", "tag": "tag", "content-replacement": "replacements", "system": "parentUuid",
}  # fmt: skip


def claims(head: Sequence[dict[str, Any]]) -> bool:
    """Whether these first objects of a file are Claude Code's."""
    return not any(_is_others(record) for record in head) and any(_is_ours(record) for record in head)


def _is_others(record: dict[str, Any]) -> bool:
    message = record.get("message")
    parts = isinstance(message, dict) and ("parts" in message or str(message.get("id")).startswith("response-"))
    session = record.get("sessionId")
    return parts or "systemPayload" in record or (isinstance(session, str) and bool(_OTHER_SESSION_ID.match(session)))


def _is_ours(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    if kind in ("user", "assistant"):
        message = record.get("message")
        return isinstance(message, dict) and "content" in message and "role" not in record
    mark = _OURS_BY_TYPE.get(kind) if isinstance(kind, str) else None
    return mark is not None and mark in record


def identify(head: Sequence[dict[str, Any]], path: str) -> str:
    """The first session id that a record names, `<session>/<agent>` in a sub-agent's file; else the file's name."""
    session = next((s for record in head if isinstance(s := record.get("sessionId"), str) and s), None)
    agent = next((a for record in head if isinstance(a := record.get("agentId"), str) and a), None)
    own_name = PurePosixPath(path.replace("\\", "/")).stem
    if session is None:
        return own_name
    if own_name.startswith("agent-"):
        agent = agent or own_name.removeprefix("agent-")
    elif not all(record.get("isSidechain") for record in head if "uuid" in record):
        agent = None
    return f"{session}/{agent}" if agent else session
