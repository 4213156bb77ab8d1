"""Hermes: a session, as a document, as lines, or among others in its database -> rows. Only the database has token counts."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from tasks.domain.kinds import Form, ItemKind, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import contents, hermes_state
from tasks.readers.draft import Draft
from tasks.readers.names import stem
from tasks.readers.protocol import Reader
from tasks.readers.usage import uncounted
from tasks.readers.values import canonical, digest, fields, file_named, moment, objects, text

SUMMARY = ("[CONTEXT COMPACTION", "[PRIOR CONTEXT")
MADE_UP = ("[IMPORTANT:", "[ASYNC DELEGATION", "[Your active task list was preserved", "[Continuing toward")
"""How messages begin that the program puts into a user's mouth."""


class Hermes(Reader):
    """The reader of Hermes' sessions."""

    agent = "hermes"
    version = 3
    forms = frozenset({Form.LINES, Form.DOCUMENT, Form.DATABASE})
    tables = hermes_state.TABLES

    def claims(self, head: Head) -> bool:
        if head.form is Form.DATABASE:
            return hermes_state.is_state(_tables(head))
        one = head.objects[0] if head.objects else {}
        if head.form is Form.LINES:
            return one.get("role") == "session_meta" and ("platform" in one or "model" in one)
        named = isinstance(one.get("session_id"), str) and "session_start" in one
        return named and isinstance(one.get("messages"), list) and ("platform" in one or "model" in one)

    def identify(self, head: Head, path: str) -> str:
        if head.form is Form.DATABASE:
            oldest = text(fields(_tables(head).get("sessions")).get("id"))
            return f"database of {oldest}" if oldest else f"database {stem(path)}"
        own = next((name for one in head.objects[:1] if (name := text(one.get("session_id")))), None)
        return own or stem(path, ".jsonl", ".json").removeprefix("session_")

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft = Draft(self.agent)
        if hint.form is Form.DATABASE:
            return _database(draft, records)
        native_id = hint.native_id or stem(hint.path, ".jsonl", ".json").removeprefix("session_")
        session = _Session(draft, native_id)
        for record in records:
            if record.origin in ("", "messages") and "role" in record.data:
                session.message(record)
            elif record.origin:
                session.part(record)
            else:
                session.head(record)
        return draft.finish()


def _tables(head: Head) -> dict[str, Any]:
    return dict(zip(head.names, head.objects, strict=False))


def _database(draft: Draft, records: Iterable[Record]) -> Reading:
    sessions, others = hermes_state.gather(records)
    for record in others:
        draft.record(record, record.origin or "other")
    for told in sessions:
        session = _Session(draft, told.id)
        if told.record is not None:
            session.head(told.record)
        for record in told.messages:
            before = len(draft.items)
            session.message(record)
            for item in list(draft.items.values())[before:] if hermes_state.was_rewound(record.data) else ():
                item.on_path = False
        hermes_state.book(draft, told)
    return draft.finish()


class _Session:
    """One session while it is read."""

    def __init__(self, draft: Draft, native_id: str) -> None:
        self.draft = draft
        self.row = draft.open(native_id)
        self.names: Counter[str] = Counter()

    def head(self, record: Record) -> None:
        """What the document says of the session, and what stands before all messages."""
        data = record.data
        self._facts(data)
        self.draft.record(record, "session", native_id=self.row.native_id, at=data.get("session_start"))
        self.row.ended_at = moment(data.get("last_updated"))[0] or self.row.ended_at
        self._system("system_prompt", data.get("system_prompt"))
        self._tools(data.get("tools"))

    def part(self, record: Record) -> None:
        """An element of a list that the document has beside its messages."""
        if record.origin == "tools":
            self.draft.record(record, "tool")
            self._system(f"tool.{self._name('tool', record.data)}", canonical(record.data))
        else:
            self.draft.record(record, record.origin, flags=uncounted(record.data))

    def message(self, record: Record) -> None:
        data, role = record.data, text(record.data.get("role")) or ""
        tell = {"user": self._user, "assistant": self._assistant, "tool": self._tool, "system": self._user}.get(role)
        flags = () if tell or role == "session_meta" else uncounted(data)
        self.draft.record(record, role or "message", at=data.get("timestamp"), flags=flags)
        key = self._name(role, [data.get(name) or None for name in ("content", "tool_calls", "tool_call_id", "reasoning")])
        if role == "session_meta":
            self._facts(data)
            self._tools(data.get("tools"))
        elif tell:
            tell(key, data)
        else:
            self.draft.item(ItemKind.UNKNOWN, canonical(data), role=role or "unknown", key=key, in_context=False)

    def _facts(self, data: dict[str, Any]) -> None:
        parent = text(data.get("parent_session_id"))
        self.draft.open(
            self.row.native_id, title=text(data.get("title")),
            cwd=text(data.get("cwd")) or text(fields(data.get("model_config")).get("cwd")),
            parent_session_id=f"hermes:{parent}" if parent else None, relation=Relation.CONTINUATION if parent else None,
        )  # fmt: skip

    def _name(self, role: str, said: Any) -> str:
        """Names what has no id by what it says: the forms write it in other bytes, and some leave out what is empty."""
        name = digest(role, canonical(said))
        self.names[name] += 1
        return f"{name}+{self.names[name] - 1}" if self.names[name] > 1 else name

    def _system(self, key: str, said: Any) -> None:
        if words := text(said):
            self.draft.item(ItemKind.SYSTEM, words, role="system", key=key, block=0)

    def _tools(self, tools: Any) -> None:
        if isinstance(tools, list) and tools:
            self._system("tools", canonical(tools))

    def _user(self, key: str, data: dict[str, Any]) -> None:
        self._texts(key, data, "system" if data.get("role") == "system" else "user")

    def _texts(self, key: str, data: dict[str, Any], role: str) -> None:
        for part in contents.parts(data.get("content")):
            kind = {contents.TEXT: _kind(part.text, role), contents.IMAGE: ItemKind.IMAGE}.get(part.type, ItemKind.UNKNOWN)
            compaction = self.draft.compaction(key) if kind is ItemKind.COMPACTION_SUMMARY else None
            item = self.draft.item(
                kind, part.text, role=role, key=key, in_context=kind is not ItemKind.UNKNOWN, size=part.size
            )  # fmt: skip
            if compaction:
                compaction.summary_item_id = item.item_id

    def _assistant(self, key: str, data: dict[str, Any]) -> None:
        thoughts = (text(data.get(name)) for name in ("reasoning", "reasoning_content", "reasoning_details"))
        if thought := next((said for said in thoughts if said), None):
            self.draft.item(ItemKind.REASONING, thought, role="assistant", key=key)
        self._texts(key, data, "assistant")
        for call in objects(data.get("tool_calls")):
            function = fields(call.get("function")) or call
            given, said = contents.arguments(function.get("arguments"))
            self.draft.item(
                ItemKind.TOOL_CALL, said, role="assistant", key=key, tool_name=text(function.get("name")),
                call_id=text(call.get("call_id")) or text(call.get("id")), path=file_named(given),
            )  # fmt: skip

    def _tool(self, key: str, data: dict[str, Any]) -> None:
        flags = ("error",) if data.get("finish_reason") == "error" else ()
        said = data.get("content")
        words = said if isinstance(said, str) else contents.plain(said)
        name, call_id = text(data.get("tool_name")), text(data.get("tool_call_id"))
        self.draft.item(ItemKind.TOOL_RESULT, words, role="tool", key=key, tool_name=name, call_id=call_id, flags=flags)


def _kind(said: str, role: str) -> ItemKind:
    if role == "system":
        return ItemKind.SYSTEM
    if said.lstrip().startswith(SUMMARY):
        return ItemKind.COMPACTION_SUMMARY
    if role == "assistant":
        return ItemKind.ASSISTANT_TEXT
    return ItemKind.INJECTED if said.lstrip().startswith(MADE_UP) else ItemKind.USER_TEXT
