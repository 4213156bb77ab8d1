"""Mistral Vibe: a folder per session with `messages.jsonl`, appended to, and `meta.json`, rewritten after each turn.

The messages have neither times nor tokens; `meta.json` has the session's id, its times and its totals over all calls. A lone
`messages.jsonl` is read too, under the name of its folder.
"""

import re
from collections.abc import Iterable
from pathlib import PureWindowsPath
from typing import Any

from tasks.domain.kinds import Form, ItemKind, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading, SeenItem
from tasks.readers.draft import Draft
from tasks.readers.pictures import size_in
from tasks.readers.protocol import Reader
from tasks.readers.usage import cached_inside
from tasks.readers.values import arguments, canonical, fields, moment, objects, text

MESSAGES, META = "messages.jsonl", "meta.json"
_ROLES = {"system", "user", "assistant", "tool"}
_MESSAGE_IDS = {"message_id", "tool_call_id"}
_OTHERS_KEYS = {"type", "timestamp", "uuid", "message", "id"}


class Vibe(Reader):
    """Sessions of Mistral Vibe."""

    agent = "vibe"
    version = 2
    forms = frozenset({Form.LINES, Form.FOLDER})
    folder = re.compile(r"(?P<root>.+)/(?:messages\.jsonl|meta\.json)$")

    def claims(self, head: Head) -> bool:
        if head.form is Form.LINES:
            return _are_messages(head.objects)
        files = dict(zip(head.names, head.objects, strict=False))
        meta = files.get(META, {})
        return MESSAGES in files and _are_messages([files[MESSAGES]]) and bool(text(meta.get("session_id")))

    def identify(self, head: Head, path: str) -> str:
        files = dict(zip(head.names, head.objects, strict=False))
        named = text(files.get(META, {}).get("session_id"))
        parts = PureWindowsPath(path).parts
        stem = parts[-1].split(".")[0] if parts else ""
        return named or (parts[-2] if stem == "messages" and len(parts) > 1 else stem)

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        found = list(records)
        meta = next((record.data for record in found if record.origin == META), {})
        session = _Session(Draft(self.agent, shares_keys=True), hint.native_id, meta)
        for record in sorted(found, key=lambda record: record.origin == MESSAGES):
            session.add(record)
        return session.finish()


def _are_messages(heads: Iterable[dict[str, Any]]) -> bool:
    """Messages by role with ids of their own; results of tools may have none."""
    found = list(heads)
    told = [text(one.get("role")) in _ROLES and bool(_MESSAGE_IDS & one.keys()) for one in found]
    is_named = any(text(one.get("message_id")) for one in found)
    return is_named and sum(told) * 2 > len(told) and not any(_OTHERS_KEYS & one.keys() for one in found)


class _Session:
    """One session, `meta.json` first."""

    def __init__(self, draft: Draft, native_id: str, meta: dict[str, Any]) -> None:
        self.draft, self.meta = draft, meta
        place = fields(meta.get("environment"))
        self.session = draft.open(
            native_id, cwd=text(place.get("working_directory")), git_branch=text(meta.get("git_branch")),
            git_commit=text(meta.get("git_commit")), title=text(meta.get("title")),
        )  # fmt: skip
        parent = text(meta.get("parent_session_id"))
        if parent and parent != native_id:
            self.session.parent_session_id, self.session.relation = f"{draft.agent}:{parent}", Relation.FORK
        self.is_first = True

    def add(self, record: Record) -> None:
        if record.origin in ("", MESSAGES):
            self._message(record)
            return
        is_meta = record.origin == META
        known = record.origin.startswith((META, "meta.json#"))
        self.draft.record(record, record.origin, at=record.data.get("start_time") if is_meta else None,
                          flags=() if known else ("unknown_type",))  # fmt: skip
        system = fields(record.data.get("system_prompt")) if is_meta else {}
        if said := text(system.get("content")):
            self.draft.item(ItemKind.SYSTEM, said, role="system")

    def _message(self, record: Record) -> None:
        data = record.data
        role = text(data.get("role")) or ""
        flags = () if role in _ROLES else ("unknown_type",)
        self.draft.record(record, role or "untyped", native_id=text(data.get("message_id")), flags=flags)
        if role == "tool":
            self.draft.item(
                ItemKind.TOOL_RESULT, _said(data.get("content")), role=role, call_id=text(data.get("tool_call_id")),
                tool_name=text(data.get("name")),
            )  # fmt: skip
        elif role == "assistant":
            self._answer(data)
        else:
            self._words(role, data)
        self.is_first = self.is_first and role == "system"

    def _words(self, role: str, data: dict[str, Any]) -> None:
        said = _said(data.get("content"))
        if said:
            item = self.draft.item(self._kind(role, data), said, role=role or "unknown")
            self._note_summary(item)
        for one in objects(data.get("images")):
            self.draft.item(ItemKind.IMAGE, "", role=role, size=size_in(one))

    def _kind(self, role: str, data: dict[str, Any]) -> ItemKind:
        if role == "system":
            return ItemKind.SYSTEM
        if role != "user":
            return ItemKind.UNKNOWN
        if data.get("injected") is not True:
            return ItemKind.USER_TEXT
        is_continued = self.is_first and self.session.parent_session_id
        return ItemKind.COMPACTION_SUMMARY if is_continued else ItemKind.INJECTED

    def _note_summary(self, item: SeenItem) -> None:
        """A session that begins with words of the program goes on where its parent was compacted."""
        if item.kind is ItemKind.COMPACTION_SUMMARY:
            self.session.relation = Relation.CONTINUATION
            self.draft.compaction(None, summary_item_id=item.item_id)

    def _answer(self, data: dict[str, Any]) -> None:
        for kind, name in ((ItemKind.REASONING, "reasoning_content"), (ItemKind.ASSISTANT_TEXT, "content")):
            if said := _said(data.get(name)):
                self.draft.item(kind, said, role="assistant")
        for call in objects(data.get("tool_calls")):
            function = fields(call.get("function"))
            said, path = arguments(function.get("arguments"))
            self.draft.item(
                ItemKind.TOOL_CALL, said, role="assistant", call_id=text(call.get("id")),
                tool_name=text(function.get("name")), path=path,
            )  # fmt: skip

    def finish(self) -> Reading:
        self._pay()
        self.session.ended_at = moment(self.meta.get("end_time"))[0] or self.session.ended_at
        return self.draft.finish()

    def _pay(self) -> None:
        """All calls in one row: only their sum is known. It goes on counting after a compaction, in the session that follows,
        so that both name it alike and the larger one stands."""
        stats = fields(self.meta.get("stats"))
        used = cached_inside(stats.get("session_prompt_tokens"), output=stats.get("session_completion_tokens"))
        if used.is_empty:
            return
        is_continued = self.session.relation is Relation.CONTINUATION
        whose = text(self.meta.get("parent_session_id")) if is_continued else self.session.native_id
        model = text(self.meta.get("model")) or text(fields(self.meta.get("config")).get("active_model"))
        self.draft.call(f"{whose}/total", used, at=self.meta.get("end_time"), model=model, flags=("sum_of_calls",))


def _said(content: Any) -> str:
    """A content's text, whether it is one text or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(said for part in content if (said := part if isinstance(part, str) else _part(part)))
    return canonical(content) if content else ""


def _part(part: Any) -> str:
    return text(fields(part).get("text")) or (canonical(part) if part else "")
