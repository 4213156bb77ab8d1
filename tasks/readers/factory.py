"""Factory's Droid, in both of its dialects.

A session's store, `~/.factory/sessions/<folder>/<session>.jsonl`, has messages in the manner of Anthropic's API; beside it
`<session>.settings.json` has the session's totals of tokens and is a log of its own about the same session. The stream of
`droid exec` has one event a line.
"""

from collections.abc import Iterable
from pathlib import PureWindowsPath
from typing import Any

from tasks.domain.kinds import Form
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers.draft import Draft
from tasks.readers.factory_store import Store
from tasks.readers.factory_stream import Stream, session_of
from tasks.readers.protocol import Reader
from tasks.readers.usage import cached_beside
from tasks.readers.values import fields, text

_STREAM = {"system", "message", "reasoning", "tool_call", "tool_result", "completion", "error"}
_TOTALS = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens")


class FactoryDroid(Reader):
    """Sessions of Factory's Droid."""

    agent = "factory-droid"
    version = 2
    forms = frozenset({Form.LINES, Form.DOCUMENT})

    def claims(self, head: Head) -> bool:
        if head.form is Form.DOCUMENT:
            totals = [fields(one.get("tokenUsage")) for one in head.objects]
            return any(sum(name in one for name in _TOTALS) > 1 for one in totals)
        return _is_store(head.objects) or _is_stream(head.objects)

    def identify(self, head: Head, path: str) -> str:
        named: Iterable[str | None] = ()
        if head.form is Form.LINES:
            named = (session_of(one) or _start_of(one) for one in head.objects)
        return next((one for one in named if one), None) or PureWindowsPath(path).name.split(".")[0]

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft = Draft(self.agent)
        draft.open(hint.native_id)
        if hint.form is Form.DOCUMENT:
            for record in records:
                _settings(draft, record)
            return draft.finish()
        store, stream = Store(draft), Stream(draft)
        is_store = False
        for record in records:
            is_store = (
                is_store or text(record.data.get("type")) == "session_start" or isinstance(record.data.get("message"), dict)
            )
            (store if is_store else stream).add(record)
        return draft.finish()


def _start_of(record: dict[str, Any]) -> str | None:
    """The session that a store's first record opens."""
    if record.get("type") != "session_start":
        return None
    return text(record.get("id")) or text(record.get("sessionId")) or text(fields(record.get("session")).get("id"))


def _is_store(heads: Iterable[dict[str, Any]]) -> bool:
    return any(_start_of(one) for one in heads)


def _is_stream(heads: Iterable[dict[str, Any]]) -> bool:
    """Events of known types that name their session, one of them in a way that no other agent has."""
    found = list(heads)
    if not all(text(one.get("type")) in _STREAM for one in found) or not any(session_of(one) for one in found):
        return False
    return any(
        (one["type"] == "message" and isinstance(one.get("text"), str) and isinstance(one.get("role"), str))
        or (one["type"] == "tool_call" and text(one.get("toolName")))
        or (one["type"] == "completion" and "finalText" in one)
        for one in found
    )


def _settings(draft: Draft, record: Record) -> None:
    """The totals of a session: one row for all its calls, since only their sum is known."""
    if record.origin:
        draft.record(record, f"settings/{record.origin}")
        return
    draft.record(record, "settings")
    usage = fields(record.data.get("tokenUsage"))
    used = cached_beside(
        usage.get("inputTokens"), usage.get("cacheReadTokens"), usage.get("cacheCreationTokens"), usage.get("outputTokens"),
        reasoning=usage.get("thinkingTokens"),
    )  # fmt: skip
    if not used.is_empty:
        draft.call("total", used, model=text(record.data.get("model")), flags=("sum_of_calls",))
