"""What a reader is. One file per agent, one row in `registry.py`; readers do not know each other."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from tasks.domain.kinds import Form
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading


class Reader(ABC):
    """Turns the records of one log into rows. Pure: no disk, no clock, no state between logs."""

    agent: ClassVar[str]
    """As in `sources.agent` and at the front of every id."""
    version: ClassVar[int] = 1
    """Raised when the reader learns more: its sources are then read again from raw/."""
    forms: ClassVar[frozenset[Form]] = frozenset({Form.LINES})
    """The forms of log that it may claim."""
    folder: ClassVar[re.Pattern[str] | None] = None
    """Form.FOLDER: matches the path of each file that belongs to such a folder, whose path is the group `root`. Names only
    propose what is looked at together; `claims` decides."""
    tables: ClassVar[tuple[str, ...]] = ()
    """Form.DATABASE: the tables whose rows it reads, in this order; a row's `data` are its columns."""
    rewrites_first_record: ClassVar[bool] = False
    """Form.LINES: the first line changes in place, so that it names no log."""

    @abstractmethod
    def claims(self, head: Head) -> bool:
        """Whether a log that begins like this is this agent's. Content decides, and no two readers claim one log."""

    @abstractmethod
    def identify(self, head: Head, path: str) -> str:
        """The native id of the session (or document) that the log is about; from the path only where the content names none."""

    @abstractmethod
    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        """All rows of the log. Never raises on odd content: what it cannot interpret becomes `unknown` or a flag."""

    def line_kind(self, line: str) -> str:
        """Form.TEXT: lines of the same kind that follow each other are one record, and the kind is its `origin`."""
        return "line"
