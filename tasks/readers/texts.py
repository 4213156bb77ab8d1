"""Text for people -> records: lines of one kind that follow each other, with their exact place. The reader says the kinds."""

from collections.abc import Callable, Iterator
from typing import BinaryIO

from tasks.domain.records import Books, Record

HEAD_LINES = 200


def read_text(stream: BinaryIO, books: Books, line_kind: Callable[[str], str], *, final: bool = False) -> Iterator[Record]:
    """Records in file order; `data` is `{"text": ...}` without the last newline. An unterminated last line stays pending."""
    kind, lines, first, start, offset = "", list[bytes](), 1, 0, 0
    for line_no, line in enumerate(stream, 1):
        books.bytes_seen += len(line)
        books.lines_seen += 1
        if not line.endswith(b"\n") and not final:
            books.bytes_pending += len(line)
            books.lines_pending += 1
            break
        now = line_kind(line.decode("utf-8", "replace").rstrip("\r\n"))
        if lines and now != kind:
            yield _record(b"".join(lines), kind, first, start, books)
            lines = []
        if not lines:
            kind, first, start = now, line_no, offset
        lines.append(line)
        books.lines_in_rows += 1
        offset += len(line)
    if lines:
        yield _record(b"".join(lines), kind, first, start, books)


def _record(raw: bytes, kind: str, line_no: int, start: int, books: Books) -> Record:
    body = raw.removesuffix(b"\n")
    books.bytes_in_rows += len(body)
    books.bytes_blank += len(raw) - len(body)
    text = body.decode("utf-8", "replace")
    flags = ("invalid_utf8",) if "\ufffd" in text and text.encode() != body else ()
    return Record(line_no, start, len(body), body, {"text": text}, flags, kind)
