"""gptme: `<logs>/<conversation>/conversation.jsonl`, one message a line; `branches/` and `views/` beside it repeat it.

Messages have no ids, and what is repeated is repeated byte for byte. Tools are called inside of the answer's text: in the
`tool` format with an id, in the others as blocks of code that stay part of the text. What they give back are system messages.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import PureWindowsPath
from typing import Any

from tasks.domain.kinds import ItemKind, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading, SeenItem
from tasks.readers.draft import Draft
from tasks.readers.protocol import Reader
from tasks.readers.usage import cached_beside
from tasks.readers.values import arguments, fields, text, whole

_ROLES = {"system", "user", "assistant", "tool"}
_OTHERS_KEYS = {"type", "message_id", "uuid", "message", "id"}
_BESIDE = {"branches", "views"}
_COUNTS = ("input_tokens", "cache_read_tokens", "cache_creation_tokens", "output_tokens")
_CALL = re.compile(r"^@([\w.]+)\(([\w\-:.]+)\): *(?=\{)", re.MULTILINE)
_FENCE = re.compile(r"^```", re.MULTILINE)


class Gptme(Reader):
    """Conversations of gptme."""

    agent = "gptme"

    def claims(self, head: Head) -> bool:
        told = [_is_message(one) for one in head.objects]
        is_other = any(_OTHERS_KEYS & one.keys() or one.get("role") == "session_meta" for one in head.objects)
        return sum(told) * 2 > len(told) and not is_other

    def identify(self, head: Head, path: str) -> str:
        """The folder names the conversation, the file a branch or view of it."""
        parts = PureWindowsPath(path).parts
        stem = parts[-1].split(".")[0] if parts else ""
        if len(parts) > 2 and parts[-2] in _BESIDE:
            return f"{parts[-3]}/{stem}"
        return parts[-2] if stem == "conversation" and len(parts) > 1 else stem

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft = Draft(self.agent, shares_keys=True)
        session = draft.open(hint.native_id)
        parts = PureWindowsPath(hint.path).parts
        if len(parts) > 2 and parts[-2] in _BESIDE:
            session.parent_session_id, session.relation = f"{self.agent}:{parts[-3]}", Relation.FORK
        conversation = _Conversation(draft)
        for record in records:
            conversation.add(record)
        conversation.prune()
        return draft.finish()


def _is_message(one: dict[str, Any]) -> bool:
    return text(one.get("role")) in _ROLES and isinstance(one.get("content"), str) and isinstance(one.get("timestamp"), str)


class _Conversation:
    """The messages so far."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.has_begun = False
        self.is_answered = False
        """Whether what comes next may be a tool's result."""
        self.answers = 0
        self.short_lived: list[tuple[SeenItem, int]] = []
        """Items that leave the window, with the number of answers that saw them last."""

    def add(self, record: Record) -> None:
        data = record.data
        role = text(data.get("role")) or ""
        known = role in _ROLES
        usage = _usage(data)
        flags: tuple[str, ...] = () if known else ("unknown_type",)
        flags += ("usage_uncounted",) if usage and role != "assistant" else ()
        self.draft.record(record, role or "untyped", at=data.get("timestamp"), flags=flags)
        said = data.get("content") if isinstance(data.get("content"), str) else ""
        if role == "assistant":
            self._answer(str(said), fields(data.get("metadata")), usage)
        elif (kind := self._kind(role, str(said), data)) is ItemKind.TOOL_RESULT or said:
            tool = text(fields(data.get("metadata")).get("tool"))
            item = self.draft.item(kind, str(said), role=role, call_id=text(data.get("call_id")), tool_name=tool)
            self._limit(item, data)
        self.has_begun = self.has_begun or role in ("user", "assistant")
        self.is_answered = role == "assistant" or (self.is_answered and role in ("system", "tool"))

    def _kind(self, role: str, said: str, data: dict[str, Any]) -> ItemKind:
        if role == "user":
            return ItemKind.INJECTED if said.startswith("<system>") else ItemKind.USER_TEXT
        if role not in _ROLES:
            return ItemKind.UNKNOWN
        is_told = role == "tool" or data.get("call_id") or fields(data.get("metadata")).get("tool")
        if is_told or (self.is_answered and not said.startswith("<")):
            return ItemKind.TOOL_RESULT
        return ItemKind.INJECTED if self.has_begun else ItemKind.SYSTEM

    def _answer(self, said: str, metadata: dict[str, Any], usage: dict[str, Any]) -> None:
        self.answers += 1
        model = text(metadata.get("model"))
        request_id = None
        if usage:
            given = [usage.get(name) for name in _COUNTS]
            request_id = self.draft.call(None, cached_beside(*given), model=model)
        for name, call_id, piece in split_calls(said):
            kind = ItemKind.TOOL_CALL if name else ItemKind.ASSISTANT_TEXT
            words, path = arguments(piece) if name else (piece, None)
            self.draft.item(
                kind, words, role="assistant", request_id=request_id, tool_name=name, call_id=call_id, path=path
            )  # fmt: skip

    def _limit(self, item: SeenItem, data: dict[str, Any]) -> None:
        lasting = whole(data.get("ephemeral_ttl"))[0]
        if lasting is not None:
            self.short_lived.append((item, self.answers + lasting))

    def prune(self) -> None:
        """What was to be seen by so many answers only, and had them."""
        for item, last in self.short_lived:
            if self.answers > last:
                item.flags += ("pruned",)


def _usage(data: dict[str, Any]) -> dict[str, Any]:
    """The counts of a message; old logs have them beside the model."""
    metadata = fields(data.get("metadata"))
    usage = fields(metadata.get("usage")) or metadata
    return {name: usage[name] for name in _COUNTS if usage.get(name) is not None}


def split_calls(said: str) -> Iterator[tuple[str | None, str | None, str]]:
    """(tool, call id, JSON) of the calls that an answer makes, and (None, None, text) of what stands between."""
    at = looked = fences = 0
    for match in _CALL.finditer(said):
        fences += len(_FENCE.findall(said, looked, match.start()))
        looked = match.start()
        if looked < at or fences % 2:
            continue
        try:
            end = json.JSONDecoder().raw_decode(said, match.end())[1]
        except (json.JSONDecodeError, RecursionError):
            continue
        between = said[at : match.start()].removeprefix("\n" if at else "").removesuffix("\n")
        if between:
            yield None, None, between
        yield match[1], match[2], said[match.end() : end]
        at = end
    rest = said[at:].removeprefix("\n" if at else "")
    if rest:
        yield None, None, rest
