"""Builds the rows of one log in file order, for readers whose logs need no more than that.

A reader opens a session, books each record, and says what it holds; ids, times, tool names of results, turns and endings are
filled in alike for all agents.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from pathlib import PureWindowsPath
from typing import Any

from tasks.domain.kinds import Ending, ItemKind
from tasks.domain.records import Record
from tasks.domain.seen import Reading, SeenCompaction, SeenItem, SeenRecord, SeenRequest, SeenSession
from tasks.readers.pictures import Size
from tasks.readers.usage import Usage
from tasks.readers.values import carries_tokens, moment, shape


class Draft:
    """The reading of one log so far. What is booked goes to the session that was opened last."""

    def __init__(self, agent: str, *, shares_keys: bool = False) -> None:
        """`shares_keys`: a key names the same thing in every session, because forks copy it as it is."""
        self.agent = agent
        self.shares_keys = shares_keys
        self.sessions: dict[str, SeenSession] = {}
        self.items: dict[str, SeenItem] = {}
        self.requests: dict[str, SeenRequest] = {}
        self.compactions: list[SeenCompaction] = []
        self._records: list[SeenRecord] = []
        self._place = 0
        self._session: SeenSession | None = None
        self._seen: Counter[tuple[str, str]] = Counter()
        self._key = ""
        self._at: datetime | None = None
        self._blocks: Counter[str] = Counter()

    @property
    def session(self) -> SeenSession:
        """The session that was opened last."""
        if self._session is None:
            raise AssertionError
        return self._session

    @property
    def at(self) -> datetime | None:
        """When the last record was written."""
        return self._at

    @property
    def record_key(self) -> str:
        """What the last record is named by inside of its session: its native id, else its bytes."""
        return self._key.removeprefix(f"{self.session.native_id}/")

    def open(self, native_id: str, **facts: Any) -> SeenSession:
        """Opens a session, new or again. A fact that is not None replaces what was known of it."""
        session_id = f"{self.agent}:{native_id}"
        found = self.sessions.get(session_id)
        if found is None:
            found = self.sessions[session_id] = SeenSession(session_id, self.agent, native_id)
        for name, value in facts.items():
            if value is not None:
                setattr(found, name, value)
        self._session = found
        return found

    def record(
        self, record: Record, kind: str, *, native_id: str | None = None, key: str | None = None, at: Any = None,
        version: str | None = None, flags: Sequence[str] = (),
    ) -> SeenRecord:  # fmt: skip
        """Books a record of the open session, or of none before the first is opened. `kind`: the agent's own name for it; `at`:
        its time as logged. Records are booked in the order in which things happened, whatever their order in the log.

        Items are named by `key`, else `native_id`, else the record's bytes; equal bytes again in a session are told apart by
        count. A record of `unknown_type` that carries token counts gets the flag `usage_uncounted` too.
        """
        when, oddity = moment(at)
        if "unknown_type" in flags and "usage_uncounted" not in flags and carries_tokens(record.data):
            flags = (*flags, "usage_uncounted")
        sha256 = hashlib.sha256(record.raw).hexdigest()
        row = SeenRecord(
            record.line_no, record.byte_offset, record.byte_length, sha256, kind, native_id, shape(record.data), version,
            self._session.session_id if self._session else None,
            (*record.flags, *flags, *((oddity,) if oddity else ())), record.origin,
        )  # fmt: skip
        self._records.append(row)
        self._place += 1
        if self._session is None:
            return row
        self._at = when
        named = key or native_id
        self._key = self._named(named) if named else self._by_bytes(sha256)
        self._blocks[self._key] = 0
        self._note_time(when)
        self.session.agent_version = version or self.session.agent_version
        return row

    def _named(self, key: str) -> str:
        return key if self.shares_keys else f"{self.session.native_id}/{key}"

    def _by_bytes(self, sha256: str) -> str:
        self._seen[self.session.session_id, sha256] += 1
        again = self._seen[self.session.session_id, sha256] - 1
        return self._named(f"{sha256[:32]}{f'+{again}' if again else ''}")

    def _note_time(self, at: datetime | None) -> None:
        if at is None:
            return
        session = self.session
        session.started_at = at if session.started_at is None else min(at, session.started_at)
        session.ended_at = at if session.ended_at is None else max(at, session.ended_at)

    def item(
        self, kind: ItemKind, text: str, *, role: str, key: str | None = None, block: int | None = None, at: Any = None,
        native_id: str | None = None, request_id: str | None = None, call_id: str | None = None,
        tool_name: str | None = None, path: str | None = None, in_context: bool = True, on_path: bool = True,
        is_sidechain: bool = False, flags: Sequence[str] = (), record: SeenRecord | None = None, content_key: str | None = None,
        size: Size | None = None,
    ) -> SeenItem:  # fmt: skip
        """Books something that the last record says, or an earlier `record`. `key`: names it where not the record but, say, a
        message does; an item of the same key and block is replaced and keeps its place in order, and in the log too if it says
        the same. `at` where it has a time of its own; `size` of an image (`pictures.size_in`)."""
        row: SeenRecord | SeenItem = record or self._records[-1]
        name = self._named(key) if key else self._key
        if block is None:
            block = self._blocks[name]
        self._blocks[name] = block + 1
        when = moment(at)[0] if at is not None else self._at
        self._note_time(when)
        item_id = f"{self.agent}:{name}:{block}"
        native_id = native_id or row.native_id
        earlier = self.items.get(item_id)
        if earlier is not None and earlier.text == text:
            row = earlier
        item = SeenItem(
            item_id, self.session.session_id, row.line_no, row.byte_offset, row.byte_length, block, kind,
            role, text, native_id=native_id, on_path=on_path, in_context=in_context, request_id=request_id,
            tool_name=tool_name, call_id=call_id, path=path, at=when, is_sidechain=is_sidechain, flags=tuple(flags),
            content_key=content_key, place=earlier.place if earlier is not None else self._place,
            image_width=size[0] if size else None, image_height=size[1] if size else None,
        )  # fmt: skip
        self.items[item.item_id] = item
        return item

    def items_since(self, count: int) -> list[SeenItem]:
        """The items that were new after so many were booked."""
        return list(islice(reversed(self.items.values()), len(self.items) - count))[::-1]

    def call(self, key: str | None, usage: Usage, *, at: Any = None, **facts: Any) -> str:
        """Books a paid call and gives its id; what is said again under a key stands. No key: named like the record's items.
        `facts`: columns of SeenRequest."""
        request_id = f"{self.agent}:{self._named(key) if key else self._key}"
        earlier = self.requests.get(request_id)
        line_no = earlier.line_no if earlier else self._records[-1].line_no
        flags = tuple(dict.fromkeys((*facts.pop("flags", ()), *usage.flags)))
        self._place += earlier is None
        self.requests[request_id] = SeenRequest(
            request_id, self.session.session_id, line_no, moment(at)[0] if at is not None else self._at,
            input_uncached_tokens=usage.uncached, cache_read_tokens=usage.cache_read, cache_write_tokens=usage.cache_write,
            cache_write_5m_tokens=usage.cache_write_5m, cache_write_1h_tokens=usage.cache_write_1h,
            output_tokens=usage.output, reasoning_tokens=usage.reasoning, flags=flags,
            place=earlier.place if earlier else self._place, **facts,
        )  # fmt: skip
        return request_id

    def compaction(self, key: str | None, *, at: Any = None, **facts: Any) -> SeenCompaction:
        """Books a compaction that the last record tells of. No key: named like the record's items. `facts`: columns of
        SeenCompaction."""
        name = f"{self.agent}:{self._named(key) if key else self._key}"
        when = moment(at)[0] if at is not None else self._at
        found = SeenCompaction(
            name, self.session.session_id, self._records[-1].line_no, when, place=self._place, **facts
        )  # fmt: skip
        self.compactions.append(found)
        return found

    def finish(self) -> Reading:
        """All rows, with what only the whole log tells."""
        items = list(self.items.values())
        _name_tools(items)
        _start_turns(items)
        told: dict[str, list[SeenItem]] = {session_id: [] for session_id in self.sessions}
        for item in items:
            told[item.session_id].append(item)
        for session in self.sessions.values():
            session.ending = _ending(told[session.session_id])
            if session.cwd and not session.project:
                session.project = PureWindowsPath(session.cwd).name or session.cwd
        sessions, requests = list(self.sessions.values()), list(self.requests.values())
        return Reading(self._records, sessions, requests, items, self.compactions)


def _name_tools(items: Sequence[SeenItem]) -> None:
    """A result is of the tool that was called, and touches what the call touches."""
    calls = {(item.session_id, item.call_id): item for item in items if item.kind is ItemKind.TOOL_CALL}
    for item in items:
        call = calls.get((item.session_id, item.call_id)) if item.call_id else None
        if call is not None and item.kind is not ItemKind.TOOL_CALL:
            item.tool_name = item.tool_name or call.tool_name
            item.path = item.path or call.path


def _start_turns(items: Sequence[SeenItem]) -> None:
    """The first of the texts that one prompt is made of starts a turn."""
    last: dict[str, tuple[int, int, str | None]] = {}
    for item in items:
        if item.kind is ItemKind.USER_TEXT:
            place = (item.line_no, item.byte_offset, item.native_id)
            item.starts_turn = last.get(item.session_id) != place
            last[item.session_id] = place


def _ending(items: Sequence[SeenItem]) -> Ending:
    """Clean when the last thing on the path is an answer, and every call since the last prompt has its result."""
    state = Ending.CLEAN
    waiting: set[str | None] = set()
    for item in items:
        if not item.on_path:
            continue
        if item.kind is ItemKind.USER_TEXT or item.starts_turn:
            waiting.clear()
            state = Ending.MID_TURN
        elif item.kind is ItemKind.TOOL_CALL:
            waiting.add(item.call_id)
            state = Ending.MID_TURN
        elif item.kind is ItemKind.TOOL_RESULT:
            waiting.discard(item.call_id)
            state = Ending.MID_TURN
        elif item.kind is ItemKind.ASSISTANT_TEXT:
            state = Ending.CLEAN
    return Ending.MID_TURN if waiting else state
