"""The stream of `droid exec`: events, one a line. Versions name the session and the call in two ways each."""

from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.records import Record
from tasks.readers.draft import Draft
from tasks.readers.factory_blocks import prompt, words
from tasks.readers.usage import cached_beside
from tasks.readers.values import arguments, canonical, fields, text

_BUCKETS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")


def session_of(event: dict[str, Any]) -> str | None:
    """The session that an event names."""
    return text(event.get("session_id")) or text(event.get("sessionId"))


class Stream:
    """Event by event."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.model: str | None = None

    def add(self, record: Record) -> None:
        event = record.data
        kind = text(event.get("type")) or "untyped"
        handler = {
            "system": self._system, "message": self._message, "reasoning": self._reasoning, "tool_call": self._call,
            "tool_result": self._result, "completion": self._completion, "error": self._error,
        }.get(kind)  # fmt: skip
        flags: tuple[str, ...] = () if handler else ("unknown_type",)
        if isinstance(event.get("usage"), dict) and kind != "completion":
            flags += ("usage_uncounted",)
        name = f"{kind}/{event['subtype']}" if text(event.get("subtype")) else kind
        # A call and its result have the same id, so that neither names its record.
        native_id = text(event.get("id")) if kind == "message" else None
        self.draft.record(record, name, native_id=native_id, at=event.get("timestamp"), flags=flags)
        if handler:
            handler(event)

    def _system(self, event: dict[str, Any]) -> None:
        self.model = text(event.get("model")) or self.model
        self.draft.session.cwd = text(event.get("cwd")) or self.draft.session.cwd

    def _message(self, event: dict[str, Any]) -> None:
        said, role = event.get("text"), text(event.get("role")) or "unknown"
        if not isinstance(said, str):
            said = "" if said is None else canonical(said)
        if role == "user":
            prompt(self.draft, said)
        elif said:
            kind = ItemKind.ASSISTANT_TEXT if role == "assistant" else ItemKind.UNKNOWN
            self.draft.item(kind, said, role=role)

    def _reasoning(self, event: dict[str, Any]) -> None:
        if said := text(event.get("text")):
            self.draft.item(ItemKind.REASONING, said, role="assistant")

    def _call(self, event: dict[str, Any]) -> None:
        said, path = arguments(event.get("parameters"))
        name = text(event.get("toolName")) or text(event.get("toolId"))
        self.draft.item(ItemKind.TOOL_CALL, said, role="assistant", call_id=_call_id(event), tool_name=name, path=path)

    def _result(self, event: dict[str, Any]) -> None:
        value = event.get("value") if "value" in event else event.get("error")
        code = fields(value).get("exitCode")
        failed = event.get("isError") is True or (type(code) is int and code != 0)
        flags = ("error",) if failed else ()
        self.draft.item(ItemKind.TOOL_RESULT, words(value), role="tool", call_id=_call_id(event), flags=flags)

    def _completion(self, event: dict[str, Any]) -> None:
        """The last words, and what the whole run cost: no event tells of a single call."""
        usage = fields(event.get("usage"))
        used = cached_beside(*(usage.get(name) for name in _BUCKETS))
        request_id = None
        if usage and not used.is_empty:
            request_id = self.draft.call(None, used, model=self.model, flags=("sum_of_calls",))
        said = text(event.get("finalText"))
        last = next(reversed(self.draft.items.values()), None)
        if said and not (last and last.kind is ItemKind.ASSISTANT_TEXT and last.text == said):
            self.draft.item(ItemKind.ASSISTANT_TEXT, said, role="assistant", request_id=request_id)

    def _error(self, event: dict[str, Any]) -> None:
        self.draft.item(ItemKind.NOTICE, words(event.get("message")), role="system", in_context=False, flags=("error",))


def _call_id(event: dict[str, Any]) -> str | None:
    return text(event.get("toolCallId")) or text(event.get("id"))
