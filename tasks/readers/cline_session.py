"""A session of Cline's SDK (4.1 and later): one document of messages, each answer with its counts -> rows."""

from collections.abc import Sequence
from typing import Any

from tasks.domain.kinds import ItemKind, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import contents, names
from tasks.readers.draft import Draft
from tasks.readers.taskmessages import Talk
from tasks.readers.taskwords import working_folder
from tasks.readers.usage import Usage, cached_inside
from tasks.readers.values import fields, text, whole

AGENTS = ("lead", "subagent", "teammate")
SUMMARY = "compaction_summary"
TYPED = ("user", "")
"""Roles of display of what a person typed; the program's own messages have others, or a kind."""


def claims(head: Head) -> bool:
    document = head.objects[0] if head.objects and not head.names else {}
    is_own = document.get("agent") in AGENTS or isinstance(document.get("origin"), dict)
    return is_own and isinstance(document.get("sessionId"), str) and isinstance(document.get("messages"), list)


def identify(head: Head, path: str) -> str:
    document = head.objects[0] if head.objects else {}
    return text(document.get("sessionId")) or names.stem(path, ".messages.json")


def read(draft: Draft, records: Sequence[Record], hint: SourceHint) -> Reading:
    """All rows of a session; a sub-agent's is told what to do by its parent."""
    document = next((record.data for record in records if record.origin == ""), {})
    native_id = hint.native_id or names.stem(hint.path, ".messages.json")
    parent = text(fields(document.get("origin")).get("parentThreadId"))
    is_subagent = document.get("agent") in AGENTS[1:] or parent is not None
    if is_subagent and parent is None and "__" in native_id:
        parent = native_id.split("__", 1)[0]
    messages = [record.data for record in records if record.origin == "messages"]
    draft.open(
        native_id, agent_version=text(fields(document.get("origin")).get("version")), cwd=working_folder(messages),
        parent_session_id=f"{draft.agent}:{parent}" if parent else None, relation=Relation.SUBAGENT if is_subagent else None,
    )  # fmt: skip
    talk = Talk(draft, is_subtask=is_subagent, is_plain=True)
    for record in records:
        if record.origin == "":
            _document(draft, record)
        elif record.origin == "messages":
            _message(draft, record, talk)
        else:
            draft.record(record, record.origin, flags=("unknown_type",))
    return draft.finish()


def _document(draft: Draft, record: Record) -> None:
    version = record.data.get("version")
    flags = (f"unsupported_version:{version}",) if type(version) is int and version != 1 else ()
    draft.open(draft.session.native_id, flags=flags)
    draft.record(record, "session")
    system = text(record.data.get("system_prompt"))
    if system:
        draft.item(ItemKind.SYSTEM, system, role="system")


def _message(draft: Draft, record: Record, talk: Talk) -> None:
    data = record.data
    role = text(data.get("role")) or "unknown"
    metadata = fields(data.get("metadata"))
    usage = used(data.get("metrics"))
    is_paid = role == "assistant" and metadata.get("displayOnly") is not True and not usage.is_empty
    uncounted = not usage.is_empty and not is_paid
    flags = (*(() if role in ("user", "assistant") else ("unknown_type",)), *(("usage_uncounted",) if uncounted else ()))
    draft.record(record, role, native_id=text(data.get("id")), at=data.get("ts"), flags=flags)
    if metadata.get("displayOnly") is True:
        _say(draft, ItemKind.NOTICE, data, is_sent=False)
    elif metadata.get("kind") == SUMMARY:
        _compacted(draft, data, metadata)
    elif role == "assistant":
        model = text(fields(data.get("modelInfo")).get("id"))
        talk.message(data, draft.call(draft.record_key, usage, model=model) if is_paid else None)
    elif role == "user" and _is_typed(metadata):
        talk.message(data)
    else:
        _say(draft, ItemKind.INJECTED if role == "user" else ItemKind.UNKNOWN, data)


def _is_typed(metadata: dict[str, Any]) -> bool:
    """Results are a person's messages here too: what the program itself wrote says so."""
    return not text(metadata.get("kind")) and (text(metadata.get("displayRole")) or "") in TYPED


def _say(draft: Draft, kind: ItemKind, data: dict[str, Any], *, is_sent: bool = True) -> None:
    for part in contents.parts(data.get("content")):
        what = {contents.TEXT: kind, contents.IMAGE: ItemKind.IMAGE}.get(part.type, ItemKind.UNKNOWN)
        draft.item(what, part.text, role=text(data.get("role")) or "unknown", in_context=is_sent, size=part.size)


def _compacted(draft: Draft, data: dict[str, Any], metadata: dict[str, Any]) -> None:
    """The messages that a summary stands for are no longer in the document."""
    first = None
    for part in contents.parts(data.get("content")):
        item = draft.item(ItemKind.COMPACTION_SUMMARY, part.text, role="user")
        first = first or item.item_id
    before = whole(metadata.get("tokensBefore"))[0]
    at = metadata.get("generatedAt")
    draft.compaction(draft.record_key, at=at, trigger="summary", tokens_before=before, summary_item_id=first)


def used(metrics: Any) -> Usage:
    """`inputTokens` is the whole prompt, with what the cache gave and took."""
    counts = fields(metrics)
    names_of = ("inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens")
    prompt, read, written, output = (counts.get(name) for name in names_of)
    return cached_inside(prompt, read, written, output)
