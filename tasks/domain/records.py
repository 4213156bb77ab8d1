"""What a log file is made of, before any reader gives it meaning."""

from dataclasses import dataclass, field
from typing import Any

from tasks.domain.kinds import Form


@dataclass(frozen=True, slots=True)
class Record:
    """One piece of a log, with its exact place in it: a line, an element of a document's list, a row of a database.

    Glued objects share a `line_no` and differ in `byte_offset`. `raw` are the bytes as logged; `data` is repaired text
    (lone surrogates and invalid UTF-8 became U+FFFD), and `flags` says what was repaired.
    """

    line_no: int
    """From 1, in the file that holds it; the number of the row in a database."""
    byte_offset: int
    """In the log's bytes as they are kept in raw/; 0 for a row of a database."""
    byte_length: int
    """Without the newline; 0 for a row of a database."""
    raw: bytes
    data: dict[str, Any]
    flags: tuple[str, ...] = ()
    origin: str = ""
    """Which part of the log it is, by form. Lines: nothing. Document: nothing for the document itself, its lists of objects
    empty, then the name of the list for each element (`[]` where the document is a list). Folder: path of the file, and
    `path#list` for an element of it. Database: the table. Text: the kind that the reader gave the lines."""


@dataclass(frozen=True, slots=True)
class Head:
    """What is seen first of a log, and told its agent and session by."""

    form: Form
    objects: tuple[dict[str, Any], ...]
    """Lines: the first objects. Document: the document whole, as `{"[]": [...]}` where it is a list. Folder: the first files.
    Database: the first row of each table, its columns as keys even where it has no row. Text: `{"text": the first lines}`."""
    names: tuple[str, ...] = ()
    """Folder: path of each of the objects, inside the folder. Database: table of each of the objects."""


@dataclass(frozen=True, slots=True)
class Reject:
    """A span that could not be read as a record: position, reason and hash, never its content."""

    line_no: int
    byte_offset: int
    byte_length: int
    reason: str
    sha256: str


@dataclass(slots=True)
class Books:
    """Where the bytes and lines of one file went. They balance: seen = in rows + rejected + blank + pending."""

    bytes_seen: int = 0
    bytes_in_rows: int = 0
    bytes_rejected: int = 0
    bytes_blank: int = 0
    """Newlines, white space between records, byte order marks."""
    bytes_pending: int = 0
    """An unterminated last line, left for the next night."""
    lines_seen: int = 0
    lines_in_rows: int = 0
    lines_rejected: int = 0
    lines_blank: int = 0
    lines_pending: int = 0

    @property
    def balanced(self) -> bool:
        bytes_out = self.bytes_in_rows + self.bytes_rejected + self.bytes_blank + self.bytes_pending
        lines_out = self.lines_in_rows + self.lines_rejected + self.lines_blank + self.lines_pending
        return bytes_out == self.bytes_seen and lines_out == self.lines_seen


@dataclass(slots=True)
class SourceHint:
    """What a reader may know of a file beside its content. Content decides; the path only fills gaps."""

    agent: str
    path: str
    """As found in the archive."""
    source_id: str = ""
    native_id: str = ""
    """What `identify` returned."""
    form: Form = Form.LINES
    extra: dict[str, Any] = field(default_factory=dict)
