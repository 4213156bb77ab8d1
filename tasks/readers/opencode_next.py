"""A message of OpenCode 2, a row of `session_message` -> the message and parts that OpenCode 1 would have kept for it.

The type is a column, the model an object, the content inside of the message; parts have no ids and are named by their place.
Confidence B: the types of npm `@opencode-ai/sdk` 1.19.3 (`SessionMessage*`), and schema, migration and prompts of OpenCode's
source on its v2 branch; no real database was seen.
"""

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tasks.readers.values import canonical, embedded, fields, objects, text

Part = dict[str, Any]
SILENT = ("agent-switched", "model-switched", "location-switched", "idle")
"""Say nothing to the model."""
_TEXTS = ("text/plain", "application/x-directory")
"""Attached files of these kinds go to the model as text."""
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def message(kind: str, row: dict[str, Any]) -> tuple[dict[str, Any], list[Part]] | None:
    """None for a type that is not known."""
    if kind in SILENT:
        return {"time": row.get("time")}, []
    tell = _TOLD.get(kind)
    return tell(row) if tell else None


def copies(ids: Iterable[str]) -> set[str]:
    """Ids of rows that OpenCode 2 makes of messages of OpenCode 1: their own, and one for what the program put beside a prompt,
    which begins alike and goes on with a hash."""
    found = set[str]()
    for name in ids:
        number = int(hashlib.sha256(f"v1-synthetic:{name}".encode("utf-8", "replace")).hexdigest(), 16)
        suffix = ""
        for _ in range(14):
            number, digit = divmod(number, 62)
            suffix = _DIGITS[digit] + suffix
        found |= {name, name[:16] + suffix}
    return found


def _user(row: dict[str, Any]) -> tuple[dict[str, Any], list[Part]]:
    agents = [{"type": "agent", "name": one.get("name")} for one in objects(row.get("agents"))]
    files = [part for one in objects(row.get("files")) for part in _file(one)]
    return _as("user", row), [{"type": "text", "text": row.get("text")}, *files, *agents]


def _put_in(row: dict[str, Any]) -> tuple[dict[str, Any], list[Part]]:
    return _as("user", row), [_synthetic(row.get("text"))]


def _system(row: dict[str, Any]) -> tuple[dict[str, Any], list[Part]]:
    return {**_as("user", row), "system": row.get("text")}, []


def _shell(row: dict[str, Any]) -> tuple[dict[str, Any], list[Part]]:
    """A command that a person ran; the model gets it with what it printed."""
    output = row.get("output")
    printed = text(fields(output).get("output")) or text(output)
    return _as("user", row), [_synthetic("\n".join(one for one in (text(row.get("command")), printed) if one))]


def _assistant(row: dict[str, Any]) -> tuple[dict[str, Any], list[Part]]:
    return _as("assistant", row, row.get("error")), [_content(part) for part in objects(row.get("content"))]


def _compaction(row: dict[str, Any]) -> tuple[dict[str, Any], list[Part]]:
    """Done unless it says otherwise: before there was a status, only what was done was kept."""
    failed = row.get("error") if row.get("status") == "failed" else None
    is_done = row.get("status", "completed") == "completed"
    made = {**_as("assistant", row, failed), "summary": is_done, "reason": row.get("reason")}
    said = [{"type": "text", "text": row.get("summary"), "ignored": not is_done}]
    return made, [*said, _synthetic(row.get("recent") if is_done else None)]


def _as(role: str, row: dict[str, Any], error: Any = None) -> dict[str, Any]:
    model = fields(row.get("model"))
    more = {"modelID": model.get("id"), "tokens": row.get("tokens"), "finish": row.get("finish"), "error": error}
    return {"role": role, "time": row.get("time"), **(more if role == "assistant" else {})}


def _synthetic(said: Any) -> Part:
    return {"type": "text", "text": said, "synthetic": True}


def _file(one: dict[str, Any]) -> Iterator[Part]:
    name, mime, data = text(one.get("name")), text(one.get("mime")), text(one.get("data"))
    url = text(one.get("uri")) or text(fields(one.get("source")).get("uri"))
    yield {"type": "file", "mime": mime, "filename": name, "url": url}
    if data and mime in _TEXTS:
        try:
            yield _synthetic(base64.b64decode(data).decode("utf-8", "replace"))
        except ValueError:
            return


def _content(part: dict[str, Any]) -> Part:
    if part.get("type") == "reasoning":
        return {**part, "time": {"start": fields(part.get("time")).get("created")}}
    if part.get("type") != "tool":
        return part
    state, time = fields(part.get("state")), fields(part.get("time"))
    given = state.get("input")
    parsed = embedded(given)
    return {
        "type": "tool", "tool": part.get("name"), "callID": text(part.get("callID")) or part.get("id"),
        "state": {
            **_result(state),
            "status": "running" if state.get("status") == "streaming" else state.get("status"),
            "input": given if parsed is None else parsed,
            "metadata": _facts(fields(state.get("metadata")) or fields(state.get("structured"))),
            "time": {
                "start": time.get("ran") or time.get("created"), "end": time.get("completed"), "compacted": time.get("pruned"),
            },
        },
    }  # fmt: skip


def _facts(found: dict[str, Any]) -> dict[str, Any]:
    """The session of a sub-agent has another name."""
    return {"sessionId": found.get("sessionID"), **found}


def _result(state: dict[str, Any]) -> dict[str, Any]:
    """Its texts, else what the provider gave; a failed one says why before."""
    content = objects(state.get("content"))
    texts = [said for one in content if (said := text(one.get("text")))]
    files = [
        {"mime": one.get("mime"), "filename": one.get("name"), "url": one.get("uri")}
        for one in content
        if one.get("type") == "file"
    ]
    found = state.get("result")
    if not texts and found is not None:
        texts = [found if isinstance(found, str) else canonical(found)]
    error = state.get("error")
    why = text(fields(error).get("message")) or ("" if error is None else canonical(error))
    return {"output": "\n".join(texts), "error": "\n".join([why, *texts] if why else texts), "attachments": files}


_TOLD: dict[str, Callable[[dict[str, Any]], tuple[dict[str, Any], list[Part]]]] = {
    "user": _user,
    "assistant": _assistant,
    "synthetic": _put_in,
    "skill": _put_in,
    "system": _system,
    "shell": _shell,
    "compaction": _compaction,
}
