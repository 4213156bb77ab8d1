"""Cursor: an agent's transcript, lines of messages without ids, times or counts -> rows."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from tasks.domain.kinds import Ending, ItemKind, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading, SeenItem
from tasks.readers import contents
from tasks.readers.draft import Draft
from tasks.readers.names import stem
from tasks.readers.pictures import Size, size_in
from tasks.readers.protocol import Reader
from tasks.readers.usage import uncounted
from tasks.readers.values import canonical, enclosed, fields, file_named, objects, text

_BLOCK = re.compile(r"\s*<([a-z][\w-]*)\b[^>]*>.*</\1>\s*", re.DOTALL)
"""A text that is one block of context as the program wraps it."""

_OF_OTHERS = ("type", "id", "uuid", "sessionId", "parentId", "timestamp")
"""Fields of envelopes that Cursor's lines do not have."""


class Cursor(Reader):
    """The reader of Cursor's transcripts."""

    agent = "cursor"
    version = 2

    def claims(self, head: Head) -> bool:
        said = [one for one in head.objects if "role" in one]
        return bool(said) and all(_is_message(one) for one in said[:8]) and said[0] in head.objects[:2]

    def identify(self, head: Head, path: str) -> str:
        return stem(path, ".jsonl")

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft = Draft(self.agent)
        parent, project = _around(hint.path)
        draft.open(
            hint.native_id or stem(hint.path, ".jsonl"), project=project,
            parent_session_id=f"cursor:{parent}" if parent else None, relation=Relation.SUBAGENT if parent else None,
        )  # fmt: skip
        transcript = _Transcript(draft, is_child=parent is not None)
        for record in records:
            transcript.take(record)
        reading = draft.finish()
        reading.sessions[0].ending = transcript.ending() or reading.sessions[0].ending
        return reading


def _is_message(one: dict[str, Any]) -> bool:
    content = fields(one.get("message")).get("content")
    is_said = one.get("role") in ("user", "assistant") and isinstance(content, str | list)
    return is_said and not any(name in one for name in _OF_OTHERS)


def _around(path: str) -> tuple[str | None, str | None]:
    """The session that a sub-agent's transcript lies below, and the folder that is named for the project."""
    folders = PurePosixPath(path.replace("\\", "/")).parts[:-1]
    parent = folders[-2] if len(folders) > 1 and folders[-1] == "subagents" else None
    at = folders.index("agent-transcripts") if "agent-transcripts" in folders else 0
    return parent, folders[at - 1] if at else None


class _Transcript:
    """One transcript while it is read."""

    def __init__(self, draft: Draft, *, is_child: bool) -> None:
        self.draft, self.is_child = draft, is_child
        self.waiting: list[SeenItem] = []
        """Calls without an id of their own, oldest first; results are in their order."""
        self.calls = self.results = 0
        self.last: SeenItem | None = None
        self.status: str | None = None

    def take(self, record: Record) -> None:
        data, role = record.data, text(record.data.get("role"))
        self.status = None
        if role is None:
            self._mark(record, text(data.get("type")) or "other")
            return
        known = role in ("user", "assistant")
        self.draft.record(record, role, flags=() if known else uncounted(data))
        content = fields(data.get("message")).get("content")
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else objects(content):
            self._part(part, role)

    def _mark(self, record: Record, kind: str) -> None:
        """A line that is no message; the only one known says how a turn ended."""
        is_end = kind == "turn_ended"
        self.draft.record(record, kind, flags=() if is_end else uncounted(record.data))
        self.status = text(record.data.get("status")) or "unknown" if is_end else None

    def _part(self, part: dict[str, Any], role: str) -> None:
        kind = part.get("type")
        if kind == "text":
            self._text(text(part.get("text")), role)
        elif kind in ("thinking", "reasoning"):
            if said := text(part.get("thinking")) or text(part.get("text")):
                self._item(ItemKind.REASONING, said, role)
        elif kind in ("tool_use", "tool_call", "tool-call"):
            self._call(part)
        elif kind in ("tool_result", "tool-result"):
            self._result(part)
        elif kind == "image":
            self._item(ItemKind.IMAGE, contents.parts(part)[0].text, role, size=size_in(part))
        elif kind != "redacted_thinking":
            self._item(ItemKind.UNKNOWN, canonical(part), role)

    def _text(self, said: str | None, role: str) -> None:
        """What a user typed stands in a `user_query`, with context around it; without one, all of it was typed."""
        if not said:
            return
        if role != "user":
            self._item(ItemKind.ASSISTANT_TEXT if role == "assistant" else ItemKind.UNKNOWN, said, role)
            return
        at = 0
        for found in enclosed(said, "user_query"):
            self._context(said[at : found.start])
            self._typed(found.inside.strip("\r\n"))
            at = found.end
        if at:
            self._context(said[at:])
        elif _BLOCK.fullmatch(said):
            self._item(ItemKind.INJECTED, said, role)
        else:
            self._typed(said)

    def _typed(self, said: str) -> None:
        if not said:
            return
        item = self._item(ItemKind.INJECTED if self.is_child else ItemKind.USER_TEXT, said, "user")
        item.starts_turn = self.is_child

    def _context(self, said: str) -> None:
        if said.strip():
            self._item(ItemKind.INJECTED, said, "user")

    def _call(self, part: dict[str, Any]) -> None:
        given = part.get("input", part.get("args"))
        own = text(part.get("id")) or text(part.get("tool_use_id"))
        self.calls += 1
        item = self._item(ItemKind.TOOL_CALL, canonical({} if given is None else given), "assistant", text(part.get("name")))
        item.path, item.call_id = file_named(given), own or f"call {self.calls}"
        if own is None:
            self.waiting.append(item)

    def _result(self, part: dict[str, Any]) -> None:
        said = part.get("content", part.get("output"))
        self.results += 1
        call_id = text(part.get("tool_use_id")) or text(part.get("toolUseId"))
        if self.waiting:
            call = self.waiting.pop(0)
            call.call_id = call_id = call_id or call.call_id
        words = said if isinstance(said, str) else contents.plain(said)
        item = self._item(ItemKind.TOOL_RESULT, words, "tool", text(part.get("name")))
        item.call_id = call_id
        item.flags = ("error",) if part.get("is_error") is True else ()

    def _item(self, kind: ItemKind, said: str, role: str, tool_name: str | None = None, size: Size | None = None) -> SeenItem:
        self.last = self.draft.item(kind, said, role=role, tool_name=tool_name, size=size)
        return self.last

    def ending(self) -> Ending | None:
        """By the mark of a turn's end; and where the transcript keeps no results, by the last words alone."""
        if self.status is not None:
            return Ending.CLEAN if self.status == "success" else Ending.MID_TURN
        if self.calls and not self.results and self.last is not None and self.last.kind is ItemKind.ASSISTANT_TEXT:
            return Ending.CLEAN
        return None
