"""A log, or a folder or database that is one, as its reader gives it: what tests of readers look at."""

import io
from collections.abc import Iterable
from datetime import datetime
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Any

from tasks.domain.kinds import Form
from tasks.domain.records import Books, Head, Record, Reject, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import forms, registry
from tasks.readers.protocol import Reader
from tasks.store import databases, folders

MANY_REJECTS = 200
KINDS = ("records", "sessions", "requests", "items", "compactions")


def lines(objects: Iterable[dict[str, Any]]) -> Head:
    """The head of a log in lines."""
    return Head(Form.LINES, tuple(objects))


def head_of(log: Path) -> Head:
    """As the archive is looked at: a database, a folder, lines, one document, text."""
    if log.is_dir():
        return forms.folder_head(packed(log))
    raw = log.read_bytes()
    if raw.startswith(databases.MAGIC):
        return databases.head(log)
    parts = list(islice(forms.read(io.BytesIO(raw), Form.LINES, None, Books(), final=True), MANY_REJECTS))
    head = forms.lines_head(iter(parts))
    if registry.find(head) is not None or (len(head.objects) > 1 and isinstance(parts[0], Record)):
        return head
    document = forms.document_head(raw)
    return document if document is not None else forms.text_head(raw)


def packed(folder: Path) -> io.BytesIO:
    files = [path for path in folder.rglob("*") if path.is_file()]
    with folders.pack((path.relative_to(folder).as_posix(), lambda path=path: path.open("rb")) for path in files) as archive:
        return io.BytesIO(archive.read())


def read(log: Path, path: str | None = None) -> tuple[Reader, Reading]:
    """The reader that claims a log and what it reads there; every byte is in the books."""
    head = head_of(log)
    reader = registry.find(head)
    assert reader is not None, f"nobody claims {log}"
    others = [other.agent for other in registry.READERS if head.form in other.forms and other.claims(head)]
    assert others == [reader.agent], f"more than one reader claims {log}"
    native_id = reader.identify(head, path or log.as_posix())
    hint = SourceHint(reader.agent, path or log.as_posix(), native_id=native_id, form=head.form)
    return reader, reader.read(records_of(log, head.form, reader), hint)


def records_of(log: Path, form: Form, reader: Reader) -> list[Record]:
    if form is Form.DATABASE:
        return list(databases.rows(log, reader.tables))
    books = Books()
    stream = packed(log) if form is Form.FOLDER else io.BytesIO(log.read_bytes())
    parts = list(forms.read(stream, form, reader, books, final=True))
    assert books.balanced, books
    whole = stream.getvalue()
    for part in parts:
        if isinstance(part, Record):
            assert whole[part.byte_offset : part.byte_offset + part.byte_length] == part.raw
    assert sum(part.byte_length for part in parts if isinstance(part, Reject)) == books.bytes_rejected
    return [part for part in parts if isinstance(part, Record)]


def plain(value: Any) -> Any:
    """A value as JSON writes it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value
