"""Goose: a file of lines or a database -> rows. Both tell a session alike, since old files are imported into the database."""

from collections import Counter
from collections.abc import Iterable

from tasks.domain.kinds import Form, ItemKind, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading, SeenCompaction
from tasks.readers import goose_blocks
from tasks.readers.draft import Draft
from tasks.readers.goose_calls import Calls
from tasks.readers.goose_rows import KNOWN_SCHEMA, Message, Told, gather, newest_schema, parsed
from tasks.readers.names import stem
from tasks.readers.protocol import Reader
from tasks.readers.usage import uncounted
from tasks.readers.values import fields, text, whole

_COLUMNS = {"sessions": {"id", "working_dir"}, "messages": {"session_id", "content_json", "created_timestamp"}}
_MADE_UP = ("sub_agent", "scheduled", "hidden")
"""Types of sessions whose prompts nobody types."""


class Goose(Reader):
    """The reader of Goose's logs."""

    agent = "goose"
    version = 2
    forms = frozenset({Form.LINES, Form.DATABASE})
    tables = ("schema_version", "sessions", "messages", "usage_ledger")
    rewrites_first_record = True

    def claims(self, head: Head) -> bool:
        if head.form is Form.DATABASE:
            tables = dict(zip(head.names, head.objects, strict=False))
            return all(columns <= fields(tables.get(name)).keys() for name, columns in _COLUMNS.items())
        first = head.objects[0] if head.objects else {}
        return isinstance(first.get("working_dir"), str) and "message_count" in first and "role" not in first

    def identify(self, head: Head, path: str) -> str:
        if head.form is Form.LINES:
            return stem(path, ".jsonl")
        tables = dict(zip(head.names, head.objects, strict=False))
        oldest = text(fields(tables.get("sessions")).get("id"))
        return f"database of {oldest}" if oldest else f"database {stem(path)}"

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        sessions, others = gather(records, hint.form, hint.native_id or stem(hint.path, ".jsonl"))
        draft = Draft(self.agent)
        for record in others:
            draft.record(record, record.origin or "other")
        schema = newest_schema(others)
        flags = (f"unsupported_version:{schema}",) if schema > KNOWN_SCHEMA else ()
        for told in sessions:
            _Session(draft, told).tell(flags)
        return draft.finish()


class _Session:
    """One session while it is told."""

    def __init__(self, draft: Draft, told: Told) -> None:
        self.draft, self.told = draft, told
        parent = text(told.data.get("parent_session_id"))
        self.parent = parent if parent != told.id else None
        self.is_made_up = bool(self.parent) or text(told.data.get("session_type")) in _MADE_UP
        self.names: Counter[str] = Counter()
        self.summaries = _summaries(told.messages)
        self.last_summary = max(self.summaries, default=-1)

    def tell(self, flags: tuple[str, ...]) -> None:
        data = self.told.data
        config = fields(parsed(data.get("model_config_json")))
        row = self.draft.open(
            self.told.id, cwd=text(data.get("working_dir")), title=text(data.get("name")) or text(data.get("description")),
            parent_session_id=f"goose:{self.parent}" if self.parent else None,
            relation=Relation.SUBAGENT if self.parent else None, context_limit=whole(config.get("context_limit"))[0],
        )  # fmt: skip
        row.flags = flags
        if self.told.record is not None:
            self.draft.record(self.told.record, "session", native_id=self.told.id, at=data.get("created_at"))
        calls = Calls(self.draft, self.told, text(config.get("model_name")))
        for number, message in enumerate(self.told.messages):
            if number in self.summaries:
                calls.compacted()
            request_id = calls.before(number)
            self._message(number, message, request_id)
        calls.rest()

    def _message(self, number: int, message: Message, request_id: str | None) -> None:
        known = message.role in ("user", "assistant")
        flags = message.flags if known else (*message.flags, *uncounted(message.record.data))
        kind = f"message/{message.role}" if known else "message"
        self.draft.record(message.record, kind, native_id=message.native_id, at=message.created, flags=flags)
        compaction = self._compaction(number, message)
        name = goose_blocks.name(message.role, message.created, message.content)
        self.names[name] += 1
        key = f"{name}+{self.names[name] - 1}" if self.names[name] > 1 else name
        is_first = True
        for block in goose_blocks.blocks(message.content, message.role):
            kind_now = self._kind(number, message, block.kind)
            item = self.draft.item(
                kind_now, block.text, role=block.role or "unknown", key=key, at=message.created, call_id=block.call_id,
                request_id=request_id if block.role == "assistant" else None, tool_name=block.tool_name, path=block.path,
                in_context=block.in_context and self._was_sent(number, message), flags=block.flags, size=block.size,
            )  # fmt: skip
            item.starts_turn = is_first and self.is_made_up and block.kind is ItemKind.USER_TEXT and message.user_visible
            is_first = False
            if compaction and compaction.summary_item_id is None and kind_now is ItemKind.COMPACTION_SUMMARY:
                compaction.summary_item_id = item.item_id

    def _kind(self, number: int, message: Message, kind: ItemKind) -> ItemKind:
        """Text that the user does not see is a summary, or goes with one; nobody types the prompts of a sub-agent."""
        if kind not in (ItemKind.USER_TEXT, ItemKind.ASSISTANT_TEXT):
            return kind
        if number in self.summaries:
            return ItemKind.COMPACTION_SUMMARY
        if not message.user_visible or (self.is_made_up and kind is ItemKind.USER_TEXT):
            return ItemKind.INJECTED
        return kind

    def _was_sent(self, number: int, message: Message) -> bool:
        """What a compaction hid from the model had been sent before."""
        return message.agent_visible or number < self.last_summary

    def _compaction(self, number: int, message: Message) -> SeenCompaction | None:
        if number not in self.summaries:
            return None
        return self.draft.compaction(goose_blocks.name(message.role, message.created, message.content), at=message.created)


def _summaries(messages: list[Message]) -> set[int]:
    """Numbers of the messages that sum up what a compaction hid: each the first of a run that is for the model alone."""
    found: set[int] = set()
    is_hidden, was_alone = False, False
    for number, message in enumerate(messages):
        is_alone = message.agent_visible and not message.user_visible
        if is_alone and not was_alone and is_hidden:
            found.add(number)
            is_hidden = False
        was_alone = is_alone
        is_hidden = is_hidden or not message.agent_visible
    return found
