"""What a reader is. One file per agent, one row in `registry.py`; readers do not know each other."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from tasks.domain.records import Record, SourceHint
from tasks.domain.seen import Reading


class Reader(Protocol):
    """Turns the records of one log file into rows. Pure: no disk, no clock, no state between files."""

    agent: str
    """As in `sources.agent` and at the front of every id."""
    version: int
    """Raised when the reader learns more: its sources are then read again from raw/."""

    def claims(self, head: Sequence[dict[str, Any]]) -> bool:
        """Whether these first objects of a file are this agent's. Content decides, and no two readers claim one file."""
        ...

    def identify(self, head: Sequence[dict[str, Any]], path: str) -> str:
        """The native session id that the file is about; from the path only where the content names none."""
        ...

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        """All rows of the file. Never raises on odd content: what it cannot interpret becomes `unknown` or a flag."""
        ...
