"""CodeCoder: a session document of any version -> rows. Older ones are brought to today's in memory; the log is never written.

Messages have ids only in version 5, and the steps give the same ids to the messages of older ones: a document and what
`midwatch migrate` makes of it tell the same items.
"""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from tasks.domain.kinds import Form, ItemKind
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.migrations import chain
from tasks.readers.draft import Draft
from tasks.readers.protocol import Reader
from tasks.readers.values import canonical, fields, text

_NAME = "cc-session-"
_ROLES = ("user", "assistant", "tool")
_PLACE = "(place)"
"""Marks each message with its place in the document while versions are changed, for the steps carry what they do not know."""
_PATHS = ("path", "file_path", "file")
_PLACEHOLDER = re.compile(r"\[TRUNCATED: \d+ bytes, \d+ chars\]")
_SUMMARY = re.compile(r"\[Summary\]\nGoal:.*\nConstraints:.*\nProgress:.*\nKey Decisions:.*\nNext Steps:", re.DOTALL)


class CodeCoder(Reader):
    """The reader of CodeCoder's session documents."""

    agent = "codecoder"
    version = 1
    forms = frozenset({Form.DOCUMENT})

    def claims(self, head: Head) -> bool:
        document = head.objects[0] if head.objects else {}
        messages = document.get("messages")
        if not isinstance(messages, list):
            return False
        is_dated = type(document.get("schema_version")) is int and ("created_at" in document or "started" in document)
        name = _named(document)
        return name.startswith(_NAME) or (bool(name) and is_dated and bool(messages) and all(map(_is_message, messages)))

    def identify(self, head: Head, path: str) -> str:
        document = head.objects[0] if head.objects else {}
        return _named(document) or PurePosixPath(path.replace("\\", "/")).name.split(".", 1)[0]

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        return _Document(hint.native_id or "document").read(list(records))


def _named(document: dict[str, Any]) -> str:
    return text(document.get("session_id")) or text(document.get("session")) or ""


def _is_message(message: Any) -> bool:
    said = message.get("items", message.get("content")) if isinstance(message, dict) else None
    return isinstance(said, list | str) and message.get("role") in _ROLES


class _Document:
    """One document while it is read."""

    def __init__(self, native_id: str) -> None:
        self._draft = Draft("codecoder")
        self._draft.open(native_id)
        self._used: set[str] = set()
        self._version: str | None = None

    def read(self, records: list[Record]) -> Reading:
        whole: dict[str, Any] = next((record.data for record in records if not record.origin), {})
        placed = [{**record.data, _PLACE: n} for n, record in enumerate(records) if record.origin == "messages"]
        today = self._today({**whole, "messages": placed})
        told: dict[int, list[dict[str, Any]]] = {}
        for message in today["messages"]:
            told.setdefault(message[_PLACE], []).append(message)
        for n, record in enumerate(records):
            if not record.origin:
                created, flags = today.get("created_at"), _uncounted(whole)
                self._draft.record(record, "document", at=created, version=self._version, flags=flags)
            else:
                self._add(record, told.get(n, []))
        return self._draft.finish()

    def _today(self, document: dict[str, Any]) -> dict[str, Any]:
        """The document in today's version; of an unknown one what is as it is today can be read all the same."""
        version = chain.version_of(document)
        if version is None:
            given = document.get("schema_version")
            self._draft.open(self._draft.session.native_id, flags=(f"unsupported_version:{canonical(given)[:40]}",))
            return document
        self._version = f"schema {version}"
        return chain.migrate(document)

    def _add(self, record: Record, messages: list[dict[str, Any]]) -> None:
        if record.origin != "messages":
            self._draft.record(record, record.origin, version=self._version, flags=("unknown_type",))
            return
        role = text(record.data.get("role")) or "unknown"
        keys = [self._key(message) for message in messages]
        flags = (*(() if role in _ROLES else ("unknown_type",)), *_uncounted(record.data))
        native = keys[0] if keys else None
        self._draft.record(record, role, native_id=native, version=self._version, flags=flags)
        for key, message in zip(keys, messages, strict=True):
            items = message.get("items")
            for block, item in enumerate(items if isinstance(items, list) else [_untyped(message)]):
                self._say(fields(item) or {"type": None, "value": item}, role, message, {"key": key, "block": block})

    def _key(self, message: dict[str, Any]) -> str | None:
        """The message's own number; None where it is none, or another message has it already."""
        number = message.get("id")
        key = str(number) if type(number) is int else ""
        if not key or key in self._used:
            return None
        self._used.add(key)
        return key

    def _say(self, item: dict[str, Any], role: str, message: dict[str, Any], place: dict[str, Any]) -> None:
        kind = item.get("type")
        if kind == "tool_call":
            arguments = fields(item.get("args"))
            path = next((found for name in _PATHS if (found := text(arguments.get(name)))), None)
            self._draft.item(
                ItemKind.TOOL_CALL, canonical(item.get("args")), role=role, call_id=text(item.get("id")),
                tool_name=text(item.get("name")), path=path, **place,
            )  # fmt: skip
        elif kind == "tool_result":
            self._result(item, role, message, place)
        elif kind in ("reasoning", "text") and isinstance(item.get("text"), str):
            self._text(kind, item["text"], role, place)
        else:
            self._draft.item(ItemKind.UNKNOWN, canonical(item), role=role, in_context=False, **place)

    def _result(self, item: dict[str, Any], role: str, message: dict[str, Any], place: dict[str, Any]) -> None:
        said = _content(item.get("content"))
        flags = ["error"] if item.get("is_error") is True else []
        flags += ["placeholder"] if _PLACEHOLDER.match(said) else []
        call_id = text(message.get("tool_call_id")) or text(item.get("call_id"))
        self._draft.item(ItemKind.TOOL_RESULT, said, role=role, call_id=call_id, flags=flags, **place)

    def _text(self, kind: str, said: str, role: str, place: dict[str, Any]) -> None:
        if not said:
            return
        if kind == "reasoning":
            self._draft.item(ItemKind.REASONING, said, role=role, **place)
        elif _SUMMARY.match(said):
            summary = self._draft.item(ItemKind.COMPACTION_SUMMARY, said, role=role, **place)
            self._draft.compaction(summary.item_id.rpartition("/")[2], summary_item_id=summary.item_id)
        else:
            kinds = {"user": ItemKind.USER_TEXT, "assistant": ItemKind.ASSISTANT_TEXT, "system": ItemKind.SYSTEM}
            self._draft.item(kinds.get(role, ItemKind.INJECTED), said, role=role, **place)


def _untyped(message: dict[str, Any]) -> dict[str, Any]:
    """What a message of an unknown version says, as far as that is plain."""
    return {"type": "text", "text": text(message.get("content")) or text(message.get("text")) or ""}


def _content(content: Any) -> str:
    """The text of a result: as it is, or its parts in lines of their own."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else canonical(content)
    return "\n".join(text(fields(part).get("text")) or (part if isinstance(part, str) else canonical(part)) for part in content)


def _uncounted(data: dict[str, Any]) -> tuple[str, ...]:
    """The format has no place for token counts; where one turns up all the same, the night should hear of it."""
    return ("usage_uncounted",) if fields(data.get("usage")) or fields(data.get("tokens")) else ()
