"""pi and OpenClaw: one session file, a tree of entries in lines -> rows. Version 1 has no ids, 2 has, 3 renamed a role."""

from collections.abc import Callable, Iterable
from dataclasses import fields as fields_of
from itertools import chain, islice
from typing import Any, ClassVar

from tasks.domain.kinds import Form, ItemKind, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import branches, pi_claims, pi_database, pi_messages
from tasks.readers.contents import Block
from tasks.readers.draft import Draft
from tasks.readers.pi_messages import blocks, is_mirror, put_in, usage
from tasks.readers.pi_tree import Entry, Tree, settle
from tasks.readers.protocol import Reader
from tasks.readers.usage import uncounted
from tasks.readers.values import fields, moment, text, whole

KNOWN_VERSIONS = (None, 1, 2, 3)
_SILENT = frozenset({"thinking_level_change", "custom", "label"})
"""Entries of the tree that say nothing to the model."""


class Pi(Reader):
    """The reader of pi's sessions, oh-my-pi's among them. Opening an old file with a newer pi rewrites it."""

    agent: ClassVar[str] = "pi"
    version = 2
    rewrites_first_record = True

    def claims(self, head: Head) -> bool:
        return pi_claims.header(head.objects) is not None and not pi_claims.is_openclaw(head.objects)

    def identify(self, head: Head, path: str) -> str:
        return pi_claims.identify(head.objects, path)

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        stream = iter(records)
        begin = list(islice(stream, 2))
        draft = Draft(self.agent, shares_keys=True)
        draft.open(hint.native_id or pi_claims.identify([record.data for record in begin], hint.path))
        file = _File(draft, hint.path)
        for record in chain(begin, stream):
            file.take(record)
        return file.reading()


class OpenClaw(Pi):
    """The reader of OpenClaw's sessions: pi's files with entries of its own, and the same lines in a database."""

    agent: ClassVar[str] = "openclaw"
    version = 3
    forms: ClassVar[frozenset[Form]] = frozenset({Form.LINES, Form.DATABASE})
    tables = pi_database.TABLES

    def claims(self, head: Head) -> bool:
        if head.form is Form.DATABASE:
            return pi_database.is_database(head)
        return pi_claims.header(head.objects) is not None and pi_claims.is_openclaw(head.objects)

    def identify(self, head: Head, path: str) -> str:
        if head.form is Form.DATABASE:
            return pi_database.identify(head) or f"database {pi_claims.session_in(path)}"
        return super().identify(head, path)

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        if hint.form is not Form.DATABASE:
            return super().read(records, hint)
        windows, others = pi_database.gather(records)
        rows = Draft(self.agent)
        for record in others:
            rows.record(record, record.origin or "other")
        # A fork's lines have the ids of the lines that they copy: a draft for each keeps both.
        told = [rows.finish(), *(self._window(window, hint.path) for window in windows)]
        return Reading(*(list(chain.from_iterable(getattr(one, kind.name) for one in told)) for kind in fields_of(Reading)))

    def _window(self, window: pi_database.Window, path: str) -> Reading:
        draft = Draft(self.agent, shares_keys=True)
        draft.open(window.id, title=window.title)
        file = _File(draft, path)
        file.above = (window.parent, window.relation)
        file.model = window.model
        file.relate()
        for record in (*([window.record] if window.record else []), *window.odd):
            is_odd = record is not window.record
            draft.record(record, record.origin, native_id=window.id, flags=("odd_data",) if is_odd else ())
        for record in window.lines:
            file.take(record)
        return file.reading()


class _File:
    """One file while it is read."""

    def __init__(self, draft: Draft, path: str) -> None:
        self.draft, self.path = draft, path
        self.entries: list[Entry] = []
        self.header: dict[str, Any] | None = None
        self.named: set[str] = set()
        self.model: str | None = None
        self.title: str | None = None
        """In a line of its own, rewritten in place: it outranks every other title."""
        self.above: tuple[str | None, Relation | None] = (None, None)
        """Parent and relation, where something beside the lines says them."""
        self._books: dict[str, Callable[[Entry, dict[str, Any]], None]] = {
            "message": self._message, "model_change": self._model_change, "session_info": self._session_info,
            "custom_message": self._custom_message, "branch_summary": self._branch_summary, "compaction": self._compaction,
        }  # fmt: skip

    def take(self, record: Record) -> None:
        """Books one record; lines below the header are entries of the tree."""
        kind = text(record.data.get("type")) or "unknown"
        if kind == "title" and self.header is None:
            self.draft.record(record, kind)
            self.title = text(record.data.get("title"))
        elif kind == "session" and self.header is None:
            self.draft.record(record, kind, native_id=text(record.data.get("id")), at=record.data.get("timestamp"))
            self._open(record.data)
        else:
            self._entry(record, kind)

    def _open(self, header: dict[str, Any]) -> None:
        self.header, session = header, self.draft.session
        session.cwd = text(header.get("cwd"))
        session.title = text(header.get("title")) or session.title
        self.model = text(header.get("modelId")) or self.model
        version = header.get("version")
        if version not in KNOWN_VERSIONS or isinstance(version, bool):
            session.flags += (f"unsupported_version:{str(version)[:40]}",)
        came_from = text(header.get("branchedFrom")) or text(header.get("parentSession"))
        above = pi_claims.session_in(came_from) if came_from else pi_claims.folder_session(self.path)
        if self.above[0] is None and above is not None:
            self.above = (above, Relation.FORK if came_from else Relation.SUBAGENT)
        self.relate()

    def relate(self) -> None:
        """Says below which session this one stands."""
        parent, relation = self.above
        if parent is not None:
            self.draft.session.parent_session_id = f"{self.draft.agent}:{parent}"
            self.draft.session.relation = relation

    def _entry(self, record: Record, kind: str) -> None:
        data, named = record.data, text(record.data.get("id"))
        stamp = text(data.get("timestamp"))
        key = f"{named}@{stamp}" if named and stamp else f"{self.draft.session.native_id}/{named}" if named else None
        book = self._books.get(kind)
        flags = () if book or kind in _SILENT else uncounted(data)
        if key is not None and key in self.named:
            flags = (*flags, "replayed")
        at = data.get("timestamp") or fields(data.get("message")).get("timestamp")
        row = self.draft.record(record, _name(kind, data), native_id=named, key=key, at=at, flags=flags)
        entry = Entry(len(self.entries), named, data.get("parentId"), "parentId" in data and named is not None, row)
        self.entries.append(entry)
        if "replayed" in flags:
            return
        if key is not None:
            self.named.add(key)
        if kind not in _SILENT:
            (book or self._unknown)(entry, data)

    def _say(self, entry: Entry, block: Block, request_id: str | None = None) -> None:
        is_task = block.kind is ItemKind.USER_TEXT and self.draft.session.relation is Relation.SUBAGENT
        item = self.draft.item(
            ItemKind.INJECTED if is_task else block.kind, block.text, role=block.role, request_id=request_id,
            call_id=block.call_id, tool_name=block.tool_name, path=block.path, in_context=block.in_context, flags=block.flags,
            size=block.size,
        )  # fmt: skip
        item.starts_turn = is_task
        entry.items.append(item)

    def _message(self, entry: Entry, data: dict[str, Any]) -> None:
        message = fields(data.get("message"))
        flags = ("codex_turn",) if pi_messages.is_codex_turn(message) else ()
        request_id = self._call(message, message.get("model"), flags) if message.get("role") == "assistant" else None
        for block in blocks(message):
            self._say(entry, block, request_id)

    def _call(self, said: dict[str, Any], model: Any = None, flags: tuple[str, ...] = ()) -> str | None:
        found = said.get("usage")
        if not isinstance(found, dict) or is_mirror(said):
            return None
        stop = text(said.get("stopReason"))
        used = usage(found, stop)
        self.model = text(model) or self.model
        return self.draft.call(None, used, model=self.model, stop_reason=stop, flags=flags)

    def _model_change(self, entry: Entry, data: dict[str, Any]) -> None:
        self.model = text(data.get("modelId")) or self.model

    def _session_info(self, entry: Entry, data: dict[str, Any]) -> None:
        self.draft.session.title = text(data.get("name")) or self.draft.session.title

    def _custom_message(self, entry: Entry, data: dict[str, Any]) -> None:
        for block in put_in(data.get("content"), "custom"):
            self._say(entry, block)

    def _branch_summary(self, entry: Entry, data: dict[str, Any]) -> None:
        self._call(data, flags=("branch_summary",))
        for block in put_in(data.get("summary"), "branchSummary"):
            self._say(entry, block)

    def _compaction(self, entry: Entry, data: dict[str, Any]) -> None:
        self._call(data, flags=("compaction_call",))
        summary = text(data.get("summary"))
        if summary is not None:
            self._say(entry, Block(ItemKind.COMPACTION_SUMMARY, "compactionSummary", summary))
        entry.first_kept = data.get("firstKeptEntryId", data.get("firstKeptEntryIndex"))
        entry.compaction = self.draft.compaction(
            None, tokens_before=whole(data.get("tokensBefore"))[0], trigger="hook" if data.get("fromHook") is True else None,
            summary_item_id=entry.items[-1].item_id if entry.items else None,
        )  # fmt: skip

    def _unknown(self, entry: Entry, data: dict[str, Any]) -> None:
        said = next((found for name in ("content", "text", "summary", "note") if (found := text(data.get(name)))), None)
        if said is not None:
            self._say(entry, Block(ItemKind.UNKNOWN, "unknown", said, in_context=False))

    def reading(self) -> Reading:
        """Decides over the whole file: the path, lineage, title."""
        session = self.draft.session
        tree = Tree(session.native_id, self.entries)
        path = tree.path()
        settle(path, self.entries)
        branches.mark(tree.nodes(), {entry.no for entry in path})
        if tree.is_broken:
            session.flags += ("broken_chain",)
        session.title = self.title or session.title
        self._settle_lineage()
        return self.draft.finish()

    def _settle_lineage(self) -> None:
        """A session that names a parent but copied nothing of it only goes on from there."""
        header, session = self.header or {}, self.draft.session
        if session.relation is not Relation.FORK or text(header.get("branchedFrom")):
            return
        opened = moment(header.get("timestamp"))[0]
        times = [item.at for entry in self.entries for item in entry.items if item.at is not None]
        if opened is not None and not any(at < opened for at in times):
            session.relation = Relation.CONTINUATION


def _name(kind: str, data: dict[str, Any]) -> str:
    role = text(fields(data.get("message")).get("role")) if kind == "message" else None
    return f"{kind}/{role}" if role else kind
