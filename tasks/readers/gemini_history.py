"""The conversation of one Gemini CLI session, folded from its operations: messages told again, taken back, replaced.

A message keeps the place where it was told first and the words that were told last. What was taken back or replaced stays in
the rows, off the path; what a compression replaced was on it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tasks.domain.kinds import ItemKind, Relation
from tasks.domain.seen import SeenCompaction, SeenItem
from tasks.readers import branches
from tasks.readers.draft import Draft
from tasks.readers.gemini_messages import MASK, NOTICE_TYPES, Block, blocks, kind_of, likeness, usage
from tasks.readers.values import canonical, digest, text, whole

_COMPRESSED = re.compile(r"compressed from (\d+) to (\d+) tokens")
_STICKY = ("pruned", "preserved")
"""What was once done to a thing stays said of it."""


@dataclass(slots=True)
class _Told:
    """A message as it is known so far."""

    key: str
    is_notice: bool
    likeness: str
    is_on_path: bool = True
    request_id: str | None = None
    items: dict[str, SeenItem] = field(default_factory=dict)


class History:
    """Applies operations in the order of the log and books what they say."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.told: dict[str, _Told] = {}
        self.live: dict[str, None] = {}
        """What is in the history now, in its order."""
        self.aliases: dict[str, str] = {}
        """New id of a message that a compression copied -> the id it was told under."""
        self.owners: dict[str, str] = {}
        """Key of a call -> the message that told it first."""
        self.counts: tuple[int, int] | None = None
        self.last: SeenCompaction | None = None
        self.at: datetime | None = None
        """When the operation was written that is being applied, where the log says it."""
        self.left: list[tuple[list[_Told], _Told | None]] = []
        """What was taken back together, and the message before it."""

    def tell(self, message: dict[str, Any], *, again: bool = False) -> _Told:
        """Books a message, new or known. `again`: a whole history is told, not this message."""
        key = self._key(message)
        known = self.told.get(key)
        told = known or _Told(key, kind_of(message) in NOTICE_TYPES, "")
        told.likeness = likeness(message) or told.likeness
        self.told[key] = told
        self._book_call(told, message)
        for block in blocks(message):
            self._say(told, block, message, again=again and known is not None)
        if key not in self.live:
            self.live[key] = None
            told.is_on_path = True
        if told.is_notice:
            self._note_counts(message)
        return told

    def _key(self, message: dict[str, Any]) -> str:
        named = text(message.get("id"))
        return self.aliases.get(named, named) if named else digest("message", canonical(message))

    def _book_call(self, told: _Told, message: dict[str, Any]) -> None:
        tokens = message.get("tokens")
        if not isinstance(tokens, dict) or kind_of(message) != "gemini":
            return
        told.request_id = self.draft.call(
            told.key, usage(tokens), at=message.get("timestamp"), model=text(message.get("model"))
        )
        for item in told.items.values():
            if item.kind is not ItemKind.TOOL_RESULT:
                item.request_id = told.request_id

    def _say(self, told: _Told, block: Block, message: dict[str, Any], *, again: bool) -> None:
        key = self._block_key(told, block)
        earlier = self._known_item(key, block.no)
        if earlier is not None and block.kind is ItemKind.TOOL_RESULT and block.text.lstrip().startswith(MASK):
            _flag(earlier, "pruned")
            earlier.cleared_at = earlier.cleared_at or self.at
            return
        is_task = block.kind is ItemKind.USER_TEXT and self.draft.session.relation is Relation.SUBAGENT
        is_answer = block.role == "model"
        is_cleared = block.kind is ItemKind.TOOL_RESULT and block.text.lstrip().startswith(MASK)
        item = self.draft.item(
            ItemKind.INJECTED if is_task else block.kind, block.text, role=block.role, key=key, block=block.no,
            at=block.at or message.get("timestamp"), native_id=told.key, request_id=told.request_id if is_answer else None,
            call_id=block.call_id, tool_name=block.tool_name, path=block.path, in_context=block.in_context,
            flags=(*block.flags, "pruned") if is_cleared else block.flags, size=block.size,
        )  # fmt: skip
        item.starts_turn = is_task
        if earlier is not None and again:
            item.line_no, item.byte_offset, item.byte_length = earlier.line_no, earlier.byte_offset, earlier.byte_length
        for flag in earlier.flags if earlier is not None else ():
            if flag in _STICKY:
                _flag(item, flag)
        item.cleared_at = earlier.cleared_at if earlier is not None else None
        told.items[item.item_id] = item

    def _block_key(self, told: _Told, block: Block) -> str:
        """A call is named by its own id, so that its result may come in any message; a second call of that id is another."""
        if not block.key.startswith("call/"):
            return f"{told.key}/{block.key}" if block.key else told.key
        owner = self.owners.setdefault(block.key, told.key) if block.kind is ItemKind.TOOL_CALL else None
        return block.key if owner in (None, told.key) else f"{told.key}/{block.key}"

    def _known_item(self, key: str, no: int) -> SeenItem | None:
        return self.draft.items.get(f"{self.draft.agent}:{self.draft.session.native_id}/{key}:{no}")

    def _note_counts(self, message: dict[str, Any]) -> None:
        """The program tells the counts of a compression in a notice, before or after it."""
        found = _COMPRESSED.search(canonical(message.get("content")))
        if found is None:
            return
        self.counts = whole(found[1])[0] or 0, whole(found[2])[0] or 0
        if self.last is not None and self.last.tokens_before is None:
            self.last.tokens_before, self.last.tokens_after = self.counts
            self.counts = None

    def rewind(self, named: str) -> None:
        """Takes back a message and all after it; all there are when it is none of them, as the program does."""
        key = self.aliases.get(named, named)
        order = list(self.live)
        start = order.index(key) if key in self.live else 0
        gone = [self.told[one] for one in order[start:]]
        for told in gone:
            told.is_on_path = False
        self.left.append((gone, self.told[order[start - 1]] if start else None))
        self.live = dict.fromkeys(order[:start])

    def replace(self, messages: Iterable[dict[str, Any]]) -> None:
        """A whole history in place of the one so far: a sync, a rollback, cleared results, or a compression."""
        messages = list(messages)
        before, known = self.live, set(self.told)
        self._find_copies(messages)
        self.live = {}
        now = list[_Told]()
        for message in messages:
            is_new = self._key(message) not in self.told
            now.append(self.tell(message, again=True))
            if is_new and len(now) > 1 and "tokens" not in message:
                _mark_assent(now[-2], now[-1])
        kept = {told.key for told in now}
        gone = [self.told[key] for key in before if key not in kept and not self.told[key].is_notice]
        summary = next((item for told in now if told.key not in known for item in _summaries(told)), None)
        if summary is not None:
            self._compact(summary, gone, [told for told in now if told.key in before])
        for told in gone:
            told.is_on_path = summary is not None
        self.live = {key: None for key in before if self.told[key].is_notice and key not in kept} | self.live

    def _find_copies(self, messages: list[dict[str, Any]]) -> None:
        """A compression may give new ids to what it keeps; equal messages of the old history are meant, in its order."""
        named = {text(message.get("id")) for message in messages}
        spare = [self.told[key] for key in self.live if key not in named and self.told[key].likeness]
        for message in messages:
            own, alike = text(message.get("id")), likeness(message)
            if own is None or own in self.told or own in self.aliases or not alike:
                continue
            found = next((told for told in spare if told.likeness == alike), None)
            if found is not None:
                self.aliases[own] = found.key
                spare.remove(found)

    def _compact(self, summary: SeenItem, gone: list[_Told], kept: list[_Told]) -> None:
        before, after = self.counts or (None, None)
        self.counts = None
        self.last = self.draft.compaction(
            f"compaction/{summary.native_id}", at=summary.at, tokens_before=before, tokens_after=after,
            items_removed=sum(len(told.items) for told in gone), summary_item_id=summary.item_id,
        )  # fmt: skip
        for told in kept:
            for item in told.items.values():
                _flag(item, "preserved")

    def settle(self) -> None:
        """Says of every item whether it is on the path, now that all is known."""
        for told in self.told.values():
            for item in told.items.values():
                item.on_path = told.is_on_path
        for gone, before in reversed(self.left):
            items = [item for told in gone if not told.is_on_path for item in told.items.values()]
            branches.leave(items, next(reversed(before.items.values()), None) if before else None)


def _summaries(told: _Told) -> Iterable[SeenItem]:
    return (item for item in told.items.values() if item.kind is ItemKind.COMPACTION_SUMMARY)


def _mark_assent(put_in: _Told, answer: _Told) -> None:
    """What "answers" a context that the program put in was put in too: no call made it."""
    kinds = {item.kind for item in put_in.items.values()}
    if kinds and kinds <= {ItemKind.COMPACTION_SUMMARY, ItemKind.INJECTED}:
        for item in answer.items.values():
            if item.kind is ItemKind.ASSISTANT_TEXT:
                item.kind = ItemKind.INJECTED


def _flag(item: SeenItem, flag: str) -> None:
    if flag not in item.flags:
        item.flags += (flag,)
