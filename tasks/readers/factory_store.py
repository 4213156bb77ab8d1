"""Droid's session store: messages of blocks, in a chain of parents; compactions name the last message they cover."""

from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.records import Record
from tasks.domain.seen import SeenItem
from tasks.readers.draft import Draft
from tasks.readers.factory_blocks import prompt, words
from tasks.readers.pictures import size_in
from tasks.readers.values import arguments, canonical, fields, text, whole

_SILENT = {"session_end", "todo_state", "agent_turn_outcome"}
_KNOWN = {"session_start", "message", "compaction_state", *_SILENT}
_VERSIONS = {1, 2}


class Store:
    """Record by record."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.parents: dict[str, str | None] = {}
        self.last: str | None = None

    def add(self, record: Record) -> None:
        data = record.data
        kind = text(data.get("type")) or "untyped"
        message = fields(data.get("message"))
        flags: tuple[str, ...] = () if kind in _KNOWN else ("unknown_type",)
        uncounted = any(isinstance(one.get(name), dict) for one in (data, message) for name in ("usage", "tokenUsage"))
        flags += ("usage_uncounted",) if uncounted else ()
        native_id = text(data.get("id")) if kind != "session_start" else None
        self.draft.record(record, kind, native_id=native_id, at=data.get("timestamp"), flags=flags)
        if kind == "session_start":
            self._start(data)
        elif kind == "message":
            self._message(message)
        elif kind == "compaction_state":
            self._compaction(data)

    def _start(self, data: dict[str, Any]) -> None:
        session = self.draft.session
        session.cwd = text(data.get("cwd")) or session.cwd
        session.title = text(data.get("sessionTitle")) or text(data.get("title")) or session.title
        version = data.get("version")
        if isinstance(version, str) and "." in version:
            session.agent_version = version
        elif (number := whole(version)[0]) is not None and number not in _VERSIONS:
            session.flags += (f"unsupported_version:{number}",)

    def _message(self, message: dict[str, Any]) -> None:
        role, content = text(message.get("role")) or "unknown", message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks if isinstance(blocks, list) else []:
            self._block(role, fields(block), block)

    def _block(self, role: str, block: dict[str, Any], as_logged: Any) -> None:
        kind = text(block.get("type")) or ""
        if kind == "text" and isinstance(block.get("text"), str):
            self._text(role, block["text"])
        elif kind == "thinking":
            said = text(block.get("thinking")) or text(block.get("text"))
            if said:
                self.draft.item(ItemKind.REASONING, said, role=role)
        elif kind == "tool_use":
            said, path = arguments(block.get("input"))
            self.draft.item(
                ItemKind.TOOL_CALL, said, role=role, call_id=text(block.get("id")), tool_name=text(block.get("name")),
                path=path,
            )  # fmt: skip
        elif kind == "tool_result":
            flags = ("error",) if block.get("is_error") is True else ()
            call_id = text(block.get("tool_use_id"))
            self.draft.item(ItemKind.TOOL_RESULT, words(block.get("content")), role=role, call_id=call_id, flags=flags)
        elif kind == "image":
            self.draft.item(ItemKind.IMAGE, "", role=role, size=size_in(as_logged))
        elif kind != "redacted_thinking":
            self.draft.item(ItemKind.UNKNOWN, canonical(as_logged), role=role)

    def _text(self, role: str, said: str) -> None:
        if role == "user":
            prompt(self.draft, said)
        elif said:
            kind = {"assistant": ItemKind.ASSISTANT_TEXT, "system": ItemKind.SYSTEM}.get(role, ItemKind.UNKNOWN)
            self.draft.item(kind, said, role=role)

    def _compaction(self, data: dict[str, Any]) -> None:
        summary = fields(data.get("summary"))
        said = text(data.get("summaryText")) or text(summary.get("body")) or text(data.get("summary"))
        item: SeenItem | None = None
        if said:
            item = self.draft.item(ItemKind.COMPACTION_SUMMARY, said, role="user")
        self.draft.compaction(
            None, tokens_after=whole(data.get("summaryTokens"))[0], items_removed=whole(data.get("removedCount"))[0],
            summary_item_id=item.item_id if item else None,
        )  # fmt: skip
