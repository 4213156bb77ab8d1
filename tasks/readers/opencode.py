"""OpenCode: a tree of JSON files, an export or an SQLite database -> rows; what they have in common comes out alike."""

import re
from collections.abc import Iterable
from typing import Any

from tasks.domain.kinds import Ending, Form, ItemKind, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading, SeenCompaction, SeenItem, SeenRecord
from tasks.readers import opencode_calls, opencode_claims, opencode_parts
from tasks.readers.draft import Draft
from tasks.readers.opencode_objects import Message, Object, Told, gather
from tasks.readers.opencode_parts import Block, Speaker
from tasks.readers.protocol import Reader
from tasks.readers.usage import Usage, uncounted
from tasks.readers.values import digest, fields, moment, text


class OpenCode(Reader):
    """The reader of OpenCode's logs."""

    agent = "opencode"
    version = 3
    forms = frozenset({Form.DOCUMENT, Form.FOLDER, Form.DATABASE})
    folder = re.compile(r"(?P<root>.+)/(?:session/[^/]+/ses[^/]*|message/[^/]+/msg[^/]*|part/(?:[^/]+/[^/]+|prt[^/]*))\.json$")
    tables = ("project", "session", "session_v2", "message", "part", "session_message")

    def claims(self, head: Head) -> bool:
        return opencode_claims.claims(head)

    def identify(self, head: Head, path: str) -> str:
        return opencode_claims.identify(head, path)

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        sessions, others = gather(records, hint.form)
        draft = Draft(self.agent)
        for record in others:
            is_row = hint.form is Form.DATABASE
            draft.record(record, record.origin if is_row else "other", flags=() if is_row else uncounted(record.data))
        told = [_Session(draft, one) for one in sessions.values()]
        for session in told:
            session.tell()
        reading = draft.finish()
        for session, row in zip(told, reading.sessions, strict=True):
            row.ending = Ending.MID_TURN if session.was_cut else row.ending
            for item in session.typed_before:
                item.starts_turn = False
        return reading


class _Session:
    """One session while it is told."""

    def __init__(self, draft: Draft, told: Told) -> None:
        self.draft, self.told = draft, told
        self.messages = told.in_order()
        self.numbers = {message.id: number for number, message in enumerate(self.messages)}
        self.is_child = text(told.data.get("parentID")) is not None
        self.wishes = {message.id: part for message in self.messages if (part := _wish(message))}
        self.kept = self._kept()
        self.typed_before: list[SeenItem] = []
        """Typed text that is not the first of its message."""
        self.was_cut = False
        """The last message broke off."""

    def tell(self) -> None:
        data = self.told.data
        forked = text(data.get("forkedFrom"))
        parent = text(data.get("parentID")) or forked
        relation = Relation.SUBAGENT if self.is_child else Relation.FORK if forked else None
        row = self.draft.open(
            self.told.id, cwd=text(data.get("directory")), title=text(data.get("title")),
            agent_version=text(data.get("version")), relation=relation,
            parent_session_id=f"opencode:{parent}" if parent else None,
        )  # fmt: skip
        created = fields(data.get("time")).get("created")
        if self.told.own is None or self.told.own.record is None:
            row.flags = ("no_session_meta",)
        else:
            self.draft.record(self.told.own.record, "session", native_id=self.told.id, at=created)
        for message in self.messages:
            _Message(self, message).tell()
        self._note_fork(moment(created)[0])
        last = next((message for message in reversed(self.messages) if message.own and not self.is_rewound(message)), None)
        self.was_cut = last is not None and last.data.get("role") == "assistant" and bool(last.data.get("error"))

    def _note_fork(self, born: Any) -> None:
        """A fork copies messages with their times and names nobody: what it tells is older than it is."""
        row = self.draft.session
        first = next((at for message in self.messages if (at := moment(message.created)[0])), None)
        if born is None or first is None or first >= born:
            return
        row.started_at = born
        if row.relation is None:
            row.relation = Relation.FORK

    def is_rewound(self, message: Message, part: Object | None = None) -> bool:
        """Behind the point that the user went back to; such things are deleted only when work goes on from there."""
        revert = fields(self.told.data.get("revert"))
        point = self.numbers.get(text(revert.get("messageID")) or "")
        if point is None or self.numbers[message.id] < point:
            return False
        ids = [one.id for one in message.parts]
        first = text(revert.get("partID"))
        if self.numbers[message.id] > point or first not in ids:
            return True
        return part is not None and ids.index(part.id) >= ids.index(first)

    def _kept(self) -> set[str]:
        """Messages that a compaction left in the window as they are."""
        kept: set[str] = set()
        for message_id, part in self.wishes.items():
            tail = self.numbers.get(text(part.data.get("tail_start_id")) or "")
            if tail is not None:
                kept |= {message.id for message in self.messages[tail : self.numbers[message_id]]}
        return kept


def _wish(message: Message) -> Object | None:
    """The part by which a user's message asks for a compaction."""
    return next((part for part in message.parts if part.data.get("type") == "compaction"), None)


class _Message:
    """One message while it is told."""

    def __init__(self, session: _Session, message: Message) -> None:
        self.session, self.draft, self.message = session, session.draft, message
        data = message.data
        role = text(data.get("role")) or ""
        self.speaker = Speaker(role, data.get("summary") is True, session.is_child)
        self.row: SeenRecord | None = None
        # Among what says something: OpenCode 2 keeps nothing else, and a copy there of an older message has the same keys.
        saying = [part for part in message.parts if part.data.get("type") not in opencode_parts.SILENT]
        self.places = {part.id: place for place, part in enumerate(saying)}
        self.after: list[tuple[Object, SeenRecord, int, Block]] = []
        self.compaction: SeenCompaction | None = None
        self.has_prompt = False

    def tell(self) -> None:
        own, data = self.message.own, self.message.data
        if own and own.record:
            known = self.speaker.role in ("user", "assistant") or bool(own.name)
            kind = own.name or (f"message/{self.speaker.role}" if known else "message")
            flags = own.flags if known else (*own.flags, *uncounted(data))
            self.row = self.draft.record(own.record, kind, native_id=own.id, at=self.message.created, flags=flags)
            self._own_words(data)
        taken = opencode_calls.steps(self.message.parts)
        calls = 0
        for number, (step, spent) in enumerate(zip(taken, opencode_calls.usages(self.message, taken), strict=True)):
            request_id = self._call(spent, calls) if spent else None
            calls += spent is not None
            if number == 0:
                self._note_compaction()
            for part in step:
                self._part(part, request_id)
            self._book_results()

    def _call(self, spent: Usage, number: int) -> str:
        return self.draft.call(
            f"{self.message.id}:{number}" if number else self.message.id, spent, at=self.message.created,
            model=opencode_calls.model(self.message.data), stop_reason=text(self.message.data.get("finish")),
            call_key=opencode_calls.call_key(self.message, spent, number),
        )  # fmt: skip

    def _book_results(self) -> None:
        """What came of tools that were called together comes after all of their calls."""
        for part, row, block_no, block in self.after:
            self._item(part, row, block_no, block, None)
        self.after.clear()

    def _own_words(self, data: dict[str, Any]) -> None:
        """What the message itself says beside its parts: a system prompt of its own, and why it broke off."""
        words = {"system": (ItemKind.SYSTEM, text(data.get("system")), True)}
        if data.get("error"):
            words["error"] = (ItemKind.NOTICE, opencode_parts.problem(data["error"]), False)
        for name, (kind, said, sent) in words.items():
            if said:
                self.draft.item(
                    kind, said, role=self.speaker.role, key=f"{self.message.id}.{name}", block=0, in_context=sent,
                    at=self.message.created, on_path=not self.session.is_rewound(self.message),
                    flags=("error",) if name == "error" else (), content_key=self._key(name, 0, said),
                )  # fmt: skip

    def _part(self, part: Object, request_id: str | None) -> None:
        if part.record is not None:
            kind = text(part.data.get("type")) or ""
            known = opencode_parts.is_known(part.data)
            at = fields(part.data.get("time")).get("start")
            flags = part.flags if known else (*part.flags, *uncounted({**part.data, "usage": part.data.get("tokens")}))
            self.row = self.draft.record(part.record, f"part/{kind}" if kind else "part", native_id=part.id, at=at, flags=flags)
        if self.row is None:
            return
        for number, block in enumerate(opencode_parts.blocks(part.data, self.speaker)):
            if not block.is_answer:
                self.after.append((part, self.row, number, block))
                continue
            if block.kind is not ItemKind.TOOL_CALL:
                self._book_results()
            self._item(part, self.row, number, block, request_id)

    def _item(self, part: Object, row: SeenRecord, block_no: int, block: Block, request_id: str | None) -> None:
        session, place = self.session, self.places[part.id]
        flags = (*block.flags, "preserved") if self.message.id in session.kept else block.flags
        item = self.draft.item(
            block.kind, block.text, role=block.role or "unknown", key=part.id, block=block_no, native_id=part.id, record=row,
            at=block.at if moment(block.at)[0] else self.message.created, request_id=request_id, call_id=block.call_id,
            tool_name=block.tool_name, path=block.path, in_context=block.in_context, flags=flags, size=block.size,
            on_path=not session.is_rewound(self.message, part),
            content_key=self._key(f"{place}:{block_no}", place, f"{block.kind} {block.text}"),
        )  # fmt: skip
        item.cleared_at = moment(block.cleared_at)[0]
        if self.speaker.role == "user" and item.kind is self.speaker.kind:
            self._starts_turn(item)
        if item.kind is ItemKind.COMPACTION_SUMMARY and self.compaction and self.compaction.summary_item_id is None:
            self.compaction.summary_item_id = item.item_id

    def _starts_turn(self, item: SeenItem) -> None:
        """The first text of a prompt does, typed or the task of a sub-agent."""
        item.starts_turn = not self.has_prompt
        if self.has_prompt:
            self.session.typed_before.append(item)
        self.has_prompt = True

    def _note_compaction(self) -> None:
        """A summary that was finished; the part that asked for it says whether the program did so by itself."""
        data = self.message.data
        if not self.speaker.is_summary or self.speaker.role != "assistant" or data.get("error"):
            return
        wish = self.session.wishes.get(text(data.get("parentID")) or "")
        auto = wish.data.get("auto") if wish else {"auto": True, "manual": False}.get(str(data.get("reason")))
        self.compaction = self.draft.compaction(
            self.message.id, at=self.message.created, content_key=self._key("compaction", 0, ""),
            trigger="auto" if auto is True else "manual" if auto is False else None,
        )  # fmt: skip

    def _key(self, name: str, place: int, said: str) -> str | None:
        """Names a thing in every copy of it. Copies keep the time of their message and the order of its parts."""
        at = moment(self.message.created)[0]
        return digest("opencode", at.isoformat(), self.speaker.role, name, str(place), said) if at else None
