"""CodeCoder's own documents with placeholders in them, back to full text. Pure.

No mark of ours is in them: that a result's text begins with `[TRUNCATED:` is the only sign there is, so an output which truly
begins so is looked up like any other, and replaced by itself.
"""

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tasks.compaction.placeholder import PREFIX

Document = dict[str, Any]
Originals = Callable[[str], Any]
"""The full `content` of a result, by its `tool_call_id`; None where it is nowhere."""


@dataclass(frozen=True, slots=True)
class RestoredDocument:
    """A document with what could be restored of it."""

    document: Document
    restored: tuple[str, ...]
    """Ids of calls, the newest first."""
    missing: tuple[str, ...]
    left: tuple[str, ...]
    """What the window had no room for."""

    @property
    def is_incomplete(self) -> bool:
        return bool(self.missing)


def placeholders(document: Document) -> list[str]:
    """Ids of the calls whose results are placeholders, in order; an empty one where the call is not named."""
    return [call_id for call_id, _ in _placeholders(document)]


def restore_document(
    document: Document, original: Originals, count: Callable[[str], int], window: int | None = None
) -> RestoredDocument:
    """A copy in which results are whole again: newest first, until the next one would not fit into `window` tokens."""
    made = copy.deepcopy(document)
    tokens = sum(count(text) for message in _messages(made) for item in _items(message) for text in _texts(item))
    restored: list[str] = []
    missing: list[str] = []
    left: list[str] = []
    for call_id, item in reversed(_placeholders(made)):
        content = original(call_id) if call_id else None
        if content is None:
            missing.append(call_id)
            continue
        more = sum(map(count, _texts({"content": content}))) - sum(map(count, _texts(item)))
        if left or (window is not None and tokens + more > window):
            left.append(call_id)
            continue
        tokens += more
        item["content"] = content
        restored.append(call_id)
    return RestoredDocument(made, tuple(restored), tuple(missing), tuple(left))


def contents_of(document: Document) -> Mapping[str, Any]:
    """The content of every whole result of a document, by its call: full records to restore another one from."""
    found = {
        message["tool_call_id"]: item["content"]
        for message in _messages(document)
        if isinstance(message.get("tool_call_id"), str)
        for item in _items(message)
        if item.get("type") == "tool_result" and "content" in item and not _is_placeholder(item)
    }
    return copy.deepcopy(found)


def _placeholders(document: Document) -> list[tuple[str, dict[str, Any]]]:
    return [
        (str(message.get("tool_call_id") or ""), item)
        for message in _messages(document)
        for item in _items(message)
        if item.get("type") == "tool_result" and _is_placeholder(item)
    ]


def _is_placeholder(item: Mapping[str, Any]) -> bool:
    content = item.get("content")
    parts = content if isinstance(content, list) else [content]
    return any(text.startswith(PREFIX) for part in parts for text in _texts({"content": part}))


def _texts(item: Mapping[str, Any]) -> list[str]:
    """Texts of an item, those in parts of its content too."""
    content = item.get("content", item.get("text"))
    parts = content if isinstance(content, list) else [content]
    told = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return [text for text in told if isinstance(text, str)]


def _messages(document: Document) -> Iterable[dict[str, Any]]:
    messages = document.get("messages")
    return [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []


def _items(message: dict[str, Any]) -> list[dict[str, Any]]:
    items = message.get("items")
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
