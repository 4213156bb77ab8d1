"""The records of a log, by its form. Databases are not here: their rows come from `tasks.store.databases`."""

from collections.abc import Iterator
from typing import BinaryIO

from tasks.domain.kinds import Form
from tasks.domain.records import Books, Head, Record, Reject
from tasks.readers import documents, records, texts
from tasks.readers.folders import read_folder
from tasks.readers.protocol import Reader

HEAD_OBJECTS = 40


def read(
    stream: BinaryIO, form: Form, reader: Reader | None, books: Books, *, final: bool = False
) -> Iterator[Record | Reject]:
    """Records and rejects in the log's order. `final`: an unterminated last line is read like any other."""
    if form is Form.LINES:
        return records.read_records(stream, books, final=final)
    if form is Form.TEXT:
        return texts.read_text(stream, books, reader.line_kind if reader else lambda _: "line", final=final)
    if form is Form.DOCUMENT:
        return documents.read_document(stream.read(), books)
    if form is Form.FOLDER:
        return read_folder(stream, books)
    message = f"{form} is no stream of records"
    raise ValueError(message)


def document_head(raw: bytes) -> tuple[Head | None, bool]:
    """Of a document; None where these bytes are none. And whether it breaks off."""
    found, is_cut = documents.glance(raw)
    return (Head(Form.DOCUMENT, (found,)) if found else None), is_cut


def folder_head(stream: BinaryIO) -> Head:
    """Of a folder, by its first files, each as what `document_head` gives or its first line."""
    files: dict[str, Record] = {}
    for record in _records(read_folder(stream, Books())):
        name = record.origin.split("#", 1)[0]
        if name not in files and len(files) >= HEAD_OBJECTS:
            break
        files.setdefault(name, record)
    return Head(Form.FOLDER, tuple(record.data for record in files.values()), tuple(files))


def text_head(raw: bytes) -> Head:
    """Of text for people, by its first lines."""
    lines = raw.decode("utf-8", "replace").split("\n")
    return Head(Form.TEXT, ({"text": "\n".join(lines[: texts.HEAD_LINES])},))


def _records(found: Iterator[Record | Reject]) -> Iterator[Record]:
    return (part for part in found if isinstance(part, Record))
