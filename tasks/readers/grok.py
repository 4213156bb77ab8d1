"""Grok Build: a folder per session; `chat_history.jsonl` is what the model was sent, rebuilt from the other files at will.

Its rows have no times and no tokens. `summary.json` knows where and when, `updates.jsonl` what each turn cost. A lone
`chat_history.jsonl` is read too, under the name of its folder.
"""

import re
from collections.abc import Iterable
from pathlib import PureWindowsPath
from typing import Any

from tasks.domain.kinds import Form, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers.draft import Draft
from tasks.readers.grok_rows import TYPES, Rows
from tasks.readers.protocol import Reader
from tasks.readers.usage import cached_inside
from tasks.readers.values import fields, moment, text, whole

HISTORY, SUMMARY, UPDATES = "chat_history.jsonl", "summary.json", "updates.jsonl"
_OTHERS_KEYS = {"session_id", "sessionId", "uuid", "message", "timestamp", "message_id", "subtype"}
_ROLES = {"system", "user", "assistant", "tool"}


class Grok(Reader):
    """Sessions of Grok Build, and its sub-agents', which are sessions in folders of their own."""

    agent = "grok"
    version = 2
    forms = frozenset({Form.LINES, Form.FOLDER})
    folder = re.compile(r"(?P<root>.+)/(?:chat_history\.jsonl|summary\.json|updates\.jsonl)$")

    def claims(self, head: Head) -> bool:
        if head.form is Form.LINES:
            return _are_rows(head.objects)
        files = dict(zip(head.names, head.objects, strict=False))
        return HISTORY in files and _are_rows([files[HISTORY]]) and bool(_id_in(files.get(SUMMARY, {})))

    def identify(self, head: Head, path: str) -> str:
        files = dict(zip(head.names, head.objects, strict=False))
        parts = PureWindowsPath(path).parts
        stem = parts[-1].split(".")[0] if parts else ""
        return _id_in(files.get(SUMMARY, {})) or (parts[-2] if stem == "chat_history" and len(parts) > 1 else stem)

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        found = list(records)
        summary = next((record.data for record in found if record.origin == SUMMARY), {})
        draft = Draft(self.agent)
        _open(draft, hint.native_id, summary)
        rows = Rows(draft, is_task=draft.session.relation is Relation.SUBAGENT)
        turns = _Turns(draft, text(summary.get("current_model_id")))
        for record in sorted(found, key=lambda record: record.origin == HISTORY):
            if record.origin in ("", HISTORY):
                rows.add(record)
            elif record.origin == UPDATES:
                turns.add(record)
            else:
                flags = () if record.origin.startswith(SUMMARY) else ("unknown_type",)
                draft.record(record, record.origin, flags=flags)
        return draft.finish()


def _are_rows(heads: Iterable[dict[str, Any]]) -> bool:
    """Rows by type, or by role in the first versions, whose answers name their model."""
    found = list(heads)
    first = found[0] if found else {}
    if "content" not in first or any(_OTHERS_KEYS & one.keys() for one in found):
        return False
    if "type" not in first:
        told = [text(one.get("role")) in _ROLES for one in found]
        return sum(told) * 2 > len(told) and any(text(one.get("model_id")) for one in found)
    told = [text(one.get("type")) in TYPES for one in found]
    return first["type"] in ("system", "user") and "role" not in first and sum(told) * 2 > len(told)


def _id_in(summary: dict[str, Any]) -> str | None:
    return text(fields(summary.get("info")).get("id"))


def _open(draft: Draft, native_id: str, summary: dict[str, Any]) -> None:
    title = summary.get("generated_title") or summary.get("session_summary")
    session = draft.open(
        native_id, cwd=text(fields(summary.get("info")).get("cwd")), git_branch=text(summary.get("head_branch")),
        git_commit=text(summary.get("head_commit")), title=text(title),
    )  # fmt: skip
    session.started_at = moment(summary.get("created_at"))[0]
    session.ended_at = moment(summary.get("last_active_at"))[0] or moment(summary.get("updated_at"))[0]
    is_sub = summary.get("session_kind") == "subagent"
    parent = text(summary.get("parent_session_id"))
    if parent and parent != native_id:
        session.parent_session_id = f"{draft.agent}:{parent}"
    if parent or is_sub:
        session.relation = Relation.SUBAGENT if is_sub else Relation.FORK
    version = whole(summary.get("chat_format_version"))[0]
    if version is not None and version > 1:
        session.flags += (f"unsupported_version:{version}",)


class _Turns:
    """What each turn cost, by model: the calls of a turn are told as one sum. What is told again of a turn replaces it."""

    def __init__(self, draft: Draft, model: str | None) -> None:
        self.draft, self.model = draft, model
        self.turns = 0

    def add(self, record: Record) -> None:
        update = fields(fields(record.data.get("params")).get("update")) or fields(record.data.get("update"))
        kind = text(update.get("sessionUpdate")) or "untyped"
        self.draft.record(record, f"update/{kind}", at=record.data.get("timestamp"))
        usage = fields(update.get("usage"))
        if not usage:
            return
        self.turns += 1
        turn = text(update.get("prompt_id")) or f"turn {self.turns}"
        by_model = {name: one for name, one in fields(usage.get("modelUsage")).items() if isinstance(one, dict)}
        for model, one in by_model.items() or [(self.model, usage)]:
            used = cached_inside(
                one.get("inputTokens"), one.get("cachedReadTokens"), None, one.get("outputTokens"),
                reasoning=one.get("reasoningTokens"),
            )  # fmt: skip
            calls = whole(one.get("modelCalls"))[0]
            flags = () if calls == 1 else ("sum_of_calls",)
            self.draft.call(f"{turn}:{model}", used, model=model, flags=flags)
