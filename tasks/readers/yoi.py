"""yoi: a session log, one entry a line -> rows.

Entries append to a history; `Compacted` replaces it whole, and the last one wins. The entries before it stay in the log, so
what its history repeats is the item that stands there, and only the summary is new.
"""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from tasks.domain.kinds import ItemKind, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading, SeenCompaction, SeenItem
from tasks.readers import yoi_entries
from tasks.readers.draft import Draft
from tasks.readers.protocol import Reader
from tasks.readers.usage import cached_inside
from tasks.readers.values import fields, text, whole
from tasks.readers.yoi_entries import Piece

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9A-HJKMNP-TV-Z]{26}", re.IGNORECASE)
_MADE = (ItemKind.ASSISTANT_TEXT, ItemKind.REASONING, ItemKind.TOOL_CALL)
"""What a call to the model brings forth."""


class Yoi(Reader):
    """The reader of yoi's session logs."""

    agent = "yoi"
    version = 2

    def claims(self, head: Head) -> bool:
        return any(map(_is_entry, head.objects))

    def identify(self, head: Head, path: str) -> str:
        """The file's name, as yoi's logs are named and as forks name their origin; else the session that the log names."""
        stem = PurePosixPath(path.replace("\\", "/")).name.split(".", 1)[0]
        named = next((found for data in head.objects if (found := text(yoi_entries.entry(data)[1].get("session_id")))), None)
        return stem if _ID.fullmatch(stem) or named is None else named

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        log = _Log(hint.native_id or "log")
        for record in records:
            log.take(record)
        return log.reading()


def _is_entry(data: dict[str, Any]) -> bool:
    name, body = yoi_entries.entry(data)
    if type(body.get("ts")) is not int:
        return False
    if name in (*yoi_entries.STARTS, yoi_entries.COMPACTED):
        return isinstance(body.get("history"), list)
    if name == yoi_entries.USAGE:
        return "history_len" in body
    return name in yoi_entries.SAID and any(isinstance(body.get(part), dict | list) for part in ("item", "items", "segments"))


class _Log:
    """One log while it is read."""

    def __init__(self, native_id: str) -> None:
        self._draft = Draft("yoi")
        self._draft.open(native_id)
        self._history: list[tuple[str, SeenItem | None]] = []
        """Key and item of all that the model sees; no item where only another log tells it."""
        self._told: dict[str, list[SeenItem]] = {}
        """All items of the log by key."""
        self._results: dict[str, SeenItem] = {}
        self._made: list[tuple[int, int, SeenItem]] = []
        """Compactions before it, place in the history, and what a call brought forth."""
        self._calls: list[tuple[int, int, str]] = []
        self._epoch = 0
        self._prompt: int | None = None
        self._open: SeenCompaction | None = None
        """The last compaction, until a call shows what it left."""

    def take(self, record: Record) -> None:
        """Reads one entry."""
        name, body = yoi_entries.entry(record.data)
        flags = () if name in yoi_entries.KNOWN else ("unknown_type",)
        row = self._draft.record(record, name, native_id=text(body.get("hash")), at=body.get("ts"), flags=flags)
        if name in yoi_entries.STARTS:
            self._start(body)
        elif name == yoi_entries.COMPACTED:
            self._replace(yoi_entries.history(body), row.native_id or row.sha256[:32])
        elif name in yoi_entries.SAID:
            for piece in yoi_entries.pieces(name, body):
                self._append(piece)
        elif name == yoi_entries.USAGE:
            self._pay(body, row.native_id or row.sha256[:32])
        elif name == yoi_entries.FAILED and text(body.get("message")):
            self._draft.item(ItemKind.NOTICE, body["message"], role="system", in_context=False, flags=("error",))

    def _start(self, body: dict[str, Any]) -> None:
        """The history that a log begins with is another log's, where it names one."""
        if text(body.get("system_prompt")):
            self._draft.item(ItemKind.SYSTEM, body["system_prompt"], role="system")
        seed = yoi_entries.history(body)
        self._history = []
        for name, relation in (("forked_from", Relation.FORK), ("compacted_from", Relation.CONTINUATION)):
            origin = fields(body.get(name))
            parent = text(origin.get("segment_id")) or text(origin.get("session_id"))
            if parent:
                native_id = self._draft.session.native_id
                self._draft.open(native_id, parent_session_id=f"yoi:{parent}", relation=relation)
        if fields(body.get("compacted_from")) and seed:
            summary = self._append(_as_summary(seed[0]))
            self._draft.compaction("start", summary_item_id=summary.item_id if summary else None)
            self._history += [(piece.key, None) for piece in seed[1:]]
            return
        for piece in seed:
            copied = self._append(piece)
            if copied and fields(body.get("forked_from")):
                copied.is_replay = True

    def _append(self, piece: Piece, flags: tuple[str, ...] = ()) -> SeenItem | None:
        """Books an item; None where it says nothing, which takes its place in the history all the same."""
        if not piece.text and piece.kind not in (ItemKind.TOOL_CALL, ItemKind.TOOL_RESULT):
            self._history.append((piece.key, None))
            return None
        item = self._draft.item(
            piece.kind, piece.text, role=piece.role, call_id=piece.call_id, tool_name=piece.tool_name, path=piece.path,
            in_context=piece.kind is not ItemKind.UNKNOWN, flags=(*piece.flags, *flags),
        )  # fmt: skip
        item.content_key = piece.key
        if piece.kind in _MADE:
            self._made.append((self._epoch, len(self._history), item))
        if piece.kind is ItemKind.TOOL_RESULT and piece.call_id:
            self._results.setdefault(piece.call_id, item)
        self._told.setdefault(piece.key, []).append(item)
        self._history.append((piece.key, item))
        return item

    def _replace(self, pieces: list[Piece], key: str) -> None:
        """The new history: what it repeats is found from its end, where the retained turns are; the rest is new."""
        before = self._history
        unused = {name: list(items) for name, items in self._told.items()}
        found: list[SeenItem | None] = []
        for piece in reversed(pieces):
            same = unused.get(piece.key)
            found.append(same.pop() if same else self._pruned(piece))
        found.reverse()
        self._history, self._epoch = [], self._epoch + 1
        summary: SeenItem | None = None
        for n, (piece, item) in enumerate(zip(pieces, found, strict=True)):
            if item is not None:
                item.flags += ("preserved",) if "preserved" not in item.flags else ()
                self._history.append((piece.key, item))
            elif n == 0:
                summary = self._append(_as_summary(piece))
            else:
                self._append(_not_typed(piece))
        kept = {id(item) for item in found if item is not None}
        removed = sum(item is None or id(item) not in kept for _, item in before)
        self._open = self._draft.compaction(
            key, tokens_before=self._prompt, items_removed=removed, summary_item_id=summary.item_id if summary else None
        )

    def _pruned(self, piece: Piece) -> SeenItem | None:
        """The result that a pruned copy of it stands for."""
        is_pruned = piece.kind is ItemKind.TOOL_RESULT and piece.text.startswith("[pruned]")
        found = self._results.get(piece.call_id or "") if is_pruned else None
        if found is not None:
            found.cleared_at = self._draft.at
        return found

    def _pay(self, body: dict[str, Any], key: str) -> None:
        usage = cached_inside(
            body.get("input_total_tokens"),
            body.get("cache_read_tokens"),
            body.get("cache_write_tokens"),
            body.get("output_tokens"),
        )
        self._prompt = whole(body.get("input_total_tokens"))[0]
        length = whole(body.get("history_len"))[0]
        request_id = self._draft.call(key, usage)
        self._calls.append((self._epoch, length if length is not None else len(self._history), request_id))
        if self._open is not None:
            self._open.tokens_after, self._open = self._prompt, None

    def reading(self) -> Reading:
        """All rows; what a call brought forth stands in the history after what it was sent, before the next call."""
        for epoch, place, item in self._made:
            before = [(length, n) for n, (own, length, _) in enumerate(self._calls) if own == epoch and length <= place]
            item.request_id = self._calls[max(before)[1]][2] if before else None
        return self._draft.finish()


def _as_summary(piece: Piece) -> Piece:
    return Piece(ItemKind.COMPACTION_SUMMARY, piece.role, piece.text, piece.key)


def _not_typed(piece: Piece) -> Piece:
    """Nobody typed what only a compaction tells."""
    return Piece(ItemKind.INJECTED, piece.role, piece.text, piece.key) if piece.kind is ItemKind.USER_TEXT else piece
