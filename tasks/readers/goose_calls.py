"""Paid calls of Goose: rows of its ledger, which name no message; before there was a ledger, the sums of a session."""

from collections.abc import Sequence
from typing import Any

from tasks.domain.records import Record
from tasks.readers.draft import Draft
from tasks.readers.goose_rows import Message, Told
from tasks.readers.usage import Usage, cached_inside
from tasks.readers.values import moment, text

TOTAL = "total"
"""Key of the sums of a session. A ledger that begins later carries them forward as a row of its own, which is the same."""


class Calls:
    """The calls of one session, booked where their answers stand."""

    def __init__(self, draft: Draft, told: Told, model: str | None) -> None:
        self.draft, self.told, self.model = draft, told, model
        self.at_message = _answered(told.messages, told.ledger)
        self.booked: dict[int, str | None] = {}
        if not told.ledger:
            self._book_sums()

    def before(self, number: int) -> str | None:
        """Books what was paid for the message of this number, and gives the call that its words came out of."""
        messages = self.told.messages
        if not _is_answer(messages[number]):
            return None
        start = number
        while start and _is_answer(messages[start - 1]):
            start -= 1
        row = self.at_message.get(start)
        if row is None:
            return None
        if row not in self.booked:
            for earlier in range(row + 1):
                self._book(earlier)
        return self.booked[row]

    def compacted(self) -> None:
        """Books the call that wrote the summary that is about to be told."""
        row = next((row for row in self._compactions() if row not in self.booked), -1)
        for earlier in range(row + 1):
            self._book(earlier)

    def _compactions(self) -> list[int]:
        return [row for row, record in enumerate(self.told.ledger) if _is_compaction(record)]

    def rest(self) -> None:
        """Books the rows that no message answers: they follow the last one."""
        for row in range(len(self.told.ledger)):
            self._book(row)

    def _book(self, row: int) -> None:
        if row in self.booked:
            return
        record = self.told.ledger[row]
        said, is_sum = record.data, _is_sum(record)
        at = said.get("created_timestamp")
        self.draft.record(record, "usage_ledger", native_id=_name(record), at=at)
        spent = cached_inside(*(said.get(f"{name}_tokens") for name in ("input", "cache_read", "cache_write", "output")))
        flags = (*(("sum_of_calls",) if is_sum else ()), *(("compaction",) if _is_compaction(record) else ()))
        self.booked[row] = None
        if not spent.is_empty:
            key = TOTAL if is_sum else f"ledger:{_name(record)}"
            self.booked[row] = self.draft.call(key, spent, at=at, model=text(said.get("model")) or self.model, flags=flags)

    def _book_sums(self) -> None:
        """One row for all calls, since only their sum is known; older files know the last call alone."""
        data = self.told.data
        for prefix, flag in (("accumulated_", "sum_of_calls"), ("", "last_call_only")):
            spent = _sums(data, prefix)
            if not spent.is_empty and self.told.record is not None:
                at = data.get("updated_at") or (self.told.messages[-1].created if self.told.messages else None)
                self.draft.call(TOTAL, spent, at=at, model=self.model, flags=(flag,))
                return


def _sums(data: dict[str, Any], prefix: str) -> Usage:
    return cached_inside(*(data.get(f"{prefix}{name}_tokens") for name in ("input", "cache_read", "cache_write", "output")))


def _name(record: Record) -> str:
    return str(record.data.get("id") or record.line_no)


def _is_answer(message: Message) -> bool:
    return message.role == "assistant" and message.user_visible


def _is_compaction(record: Record) -> bool:
    return record.data.get("is_compaction") in (1, True)


def _is_sum(record: Record) -> bool:
    return bool(record.data.get("cost_source") == "carried_forward")


def _answered(messages: Sequence[Message], ledger: Sequence[Record]) -> dict[int, int]:
    """Ledger row by the number of the first message of the answer it paid: one for one where there are as many of both, else
    the last answer that had begun when the row was written."""
    starts = [
        number
        for number, message in enumerate(messages)
        if _is_answer(message) and not (number and _is_answer(messages[number - 1]))
    ]
    rows = [row for row, record in enumerate(ledger) if not _is_compaction(record) and not _is_sum(record)]
    if len(starts) == len(rows):
        return dict(zip(starts, rows, strict=True))
    found: dict[int, int] = {}
    for row in rows:
        written = moment(ledger[row].data.get("created_timestamp"))[0]
        begun = [start for start in starts if (at := moment(messages[start].created)[0]) and written and at <= written]
        if begun and begun[-1] not in found:
            found[begun[-1]] = row
    return found
