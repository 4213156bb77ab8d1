"""Paid calls of Goose: rows of its ledger, which name no message; before there was a ledger, the sums of a session."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import itemgetter
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
        self.begun = _begun(told.messages)
        self.at_message = _answered(told.messages, self.begun, told.ledger)
        self.booked: list[str | None] = []
        """The call of each row so far: rows are booked in their order."""
        self.compactions = [row for row, record in enumerate(told.ledger) if _is_compaction(record)]
        if not told.ledger:
            self._book_sums()

    def before(self, number: int) -> str | None:
        """Books what was paid for the message of this number, and gives the call that its words came out of."""
        start = self.begun.get(number)
        row = self.at_message.get(start) if start is not None else None
        if row is None:
            return None
        self._book_up_to(row)
        return self.booked[row]

    def compacted(self) -> None:
        """Books the call that wrote the summary that is about to be told."""
        self.compactions = self.compactions[bisect_left(self.compactions, len(self.booked)) :]
        if self.compactions:
            self._book_up_to(self.compactions[0])

    def rest(self) -> None:
        """Books the rows that no message answers: they follow the last one."""
        self._book_up_to(len(self.told.ledger) - 1)

    def _book_up_to(self, row: int) -> None:
        for record in self.told.ledger[len(self.booked) : row + 1]:
            self.booked.append(self._book(record))

    def _book(self, record: Record) -> str | None:
        said, is_sum = record.data, _is_sum(record)
        at = said.get("created_timestamp")
        self.draft.record(record, "usage_ledger", native_id=_name(record), at=at)
        spent = cached_inside(*(said.get(f"{name}_tokens") for name in ("input", "cache_read", "cache_write", "output")))
        flags = (*(("sum_of_calls",) if is_sum else ()), *(("compaction_call",) if _is_compaction(record) else ()))
        if spent.is_empty:
            return None
        key = TOTAL if is_sum else f"ledger:{_name(record)}"
        return self.draft.call(key, spent, at=at, model=text(said.get("model")) or self.model, flags=flags)

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


def _begun(messages: Sequence[Message]) -> dict[int, int]:
    """For the number of each message of an answer, that of the answer's first."""
    found: dict[int, int] = {}
    for number, message in enumerate(messages):
        if _is_answer(message):
            found[number] = found.get(number - 1, number)
    return found


def _answered(messages: Sequence[Message], begun: dict[int, int], ledger: Sequence[Record]) -> dict[int, int]:
    """Ledger row by the number of the first message of the answer it paid: one for one where there are as many of both, else
    the last answer that had begun when the row was written. Messages are in the order of their times."""
    starts = list(dict.fromkeys(begun.values()))
    rows = [row for row, record in enumerate(ledger) if not _is_compaction(record) and not _is_sum(record)]
    if len(starts) == len(rows):
        return dict(zip(starts, rows, strict=True))
    timed = [(at, start) for start in starts if (at := moment(messages[start].created)[0])]
    found: dict[int, int] = {}
    for row in rows:
        written = moment(ledger[row].data.get("created_timestamp"))[0]
        past = bisect_right(timed, written, key=itemgetter(0)) if written else 0
        if past:
            found.setdefault(timed[past - 1][1], row)
    return found
