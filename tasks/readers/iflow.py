"""iFlow: one chat in lines -> rows.

Lines look like Claude Code's; an answer is written as a window that slides over its blocks, so that calls come again, and no
usage is counted (zeros stand for it).
"""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers.draft import Draft
from tasks.readers.iflow_blocks import blocks
from tasks.readers.protocol import Reader
from tasks.readers.usage import cached_beside, uncounted
from tasks.readers.values import fields, text

_SESSION = re.compile(r"session-[0-9a-f]{8}-")


class IFlow(Reader):
    """The reader of iFlow's chats."""

    agent = "iflow"
    version = 2

    def claims(self, head: Head) -> bool:
        return any(_is_ours(record) for record in head.objects)

    def identify(self, head: Head, path: str) -> str:
        named = next((found for record in head.objects if (found := text(record.get("sessionId")))), None)
        return named or PurePosixPath(path.replace("\\", "/")).stem

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        chat = _Chat(Draft(self.agent), hint.native_id or PurePosixPath(hint.path).stem)
        for record in records:
            chat.take(record)
        return chat.draft.finish()


def _is_ours(record: dict[str, Any]) -> bool:
    """Its session ids begin with a word, and its answers are named after the time."""
    if "uuid" not in record or "parts" in fields(record.get("message")) or "systemPayload" in record:
        return False
    answer = text(fields(record.get("message")).get("id")) or ""
    return bool(_SESSION.match(text(record.get("sessionId")) or "")) or answer.startswith("response-")


class _Chat:
    """One file while it is read."""

    def __init__(self, draft: Draft, native_id: str) -> None:
        self.draft = draft
        self.told: set[str] = set()
        """Calls so far."""
        self.named: set[str] = set()
        draft.open(native_id)

    def take(self, record: Record) -> None:
        """Books one record and what it says for the first time."""
        data, kind, named = record.data, text(record.data.get("type")) or "unknown", text(record.data.get("uuid"))
        flags = () if kind in ("user", "assistant", "system") else uncounted(data)
        if named is not None and named in self.named:
            flags = (*flags, "replayed")
        self.draft.record(
            record, kind, native_id=named, at=data.get("timestamp"), version=text(data.get("version")), flags=flags
        )  # fmt: skip
        session = self.draft.session
        session.cwd = session.cwd or text(data.get("cwd"))
        session.git_branch = text(data.get("gitBranch")) or session.git_branch
        if "replayed" not in flags:
            self.named |= {named} if named else set()
            self._say(data, self._call(data) if kind == "assistant" else None)

    def _call(self, data: dict[str, Any]) -> str | None:
        message = fields(data.get("message"))
        found = fields(message.get("usage"))
        used = cached_beside(
            found.get("input_tokens"), found.get("cache_read_input_tokens"), found.get("cache_creation_input_tokens"),
            found.get("output_tokens"),
        )  # fmt: skip
        if used.is_empty:
            return None
        return self.draft.call(text(message.get("id")), used, model=text(message.get("model")))

    def _say(self, data: dict[str, Any], request_id: str | None) -> None:
        for no, block in enumerate(blocks(data)):
            if block.kind is ItemKind.TOOL_CALL and block.call_id:
                if block.call_id in self.told:
                    continue
                self.told.add(block.call_id)
            item = self.draft.item(
                block.kind, block.text, role=block.role, block=no, request_id=request_id, call_id=block.call_id,
                tool_name=block.tool_name, path=block.path, in_context=block.in_context,
                is_sidechain=data.get("isSidechain") is True, flags=block.flags, size=block.size,
            )  # fmt: skip
            if item.kind is ItemKind.COMPACTION_SUMMARY:
                self.draft.compaction(None, summary_item_id=item.item_id)
