"""One JSON value -> records: the document itself, then each element of its lists of objects, with their exact places.

A document is rewritten whole and says everything again; its parts are records of their own, so that each can be named, hashed
and read back alone. A document that breaks off gives what stands before the break, and one reject.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tasks.domain.records import Books, Record, Reject
from tasks.readers import records

TOP = "[]"
"""Name of the list where the document is one."""
CUT = "cut document"
MAX_DOCUMENT_BYTES = 512 * 2**20
_BLANK = " \t\r\n"


@dataclass(slots=True)
class _Layout:
    """Where the parts of one document stand."""

    start: int = 0
    end: int = 0
    is_list: bool = False
    values: list[tuple[str, int, int]] = field(default_factory=list)
    """Key and span of each value that is no list of objects."""
    elements: list[tuple[str, int, int]] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    broken_at: int | None = None
    is_too_deep: bool = False
    """What stands where it breaks off is nested beyond all measure."""
    is_followed: bool = False
    """The value is whole, and something stands behind it."""


def read_document(raw: bytes, books: Books, *, base: int = 0, file: str = "") -> Iterator[Record | Reject]:
    """The records of one document, the document first. `base`: its place in the log; `file`: its name in a folder."""
    layout = _layout(raw)
    found = list(_parts(raw, layout, base, file))
    rejected = sum(part.byte_length for part in found if isinstance(part, Reject))
    cut = len(raw) - layout.broken_at if layout.broken_at is not None else 0
    in_rows = layout.end - layout.start + cut - rejected
    books.bytes_seen += len(raw)
    books.bytes_rejected += rejected
    books.bytes_in_rows += in_rows
    books.bytes_blank += len(raw) - rejected - in_rows
    lines = raw.count(b"\n") + (bool(raw) and not raw.endswith(b"\n"))
    books.lines_seen += lines
    books.lines_in_rows += lines if in_rows else 0
    books.lines_rejected += lines if rejected and not in_rows else 0
    books.lines_blank += lines if not rejected and not in_rows else 0
    yield from found


def _parts(raw: bytes, layout: _Layout, base: int, file: str) -> Iterator[Record | Reject]:
    lines = _Lines(raw)
    if layout.end > layout.start and not layout.is_list:
        data, flags = _document(raw, layout)
        span = raw[layout.start : layout.end]
        yield Record(lines.at(layout.start), base + layout.start, len(span), span, data, flags, file)
    for name, start, end in layout.elements:
        span = raw[start:end]
        element = records.parsed(span)
        if isinstance(element, str):
            yield Reject(lines.at(start), base + start, len(span), element, _hash(span))
        else:
            yield Record(lines.at(start), base + start, len(span), span, *element, f"{file}#{name}" if file else name)
    if layout.broken_at is not None:
        rest = raw[layout.broken_at :].rstrip()
        reason = records.NESTED_TOO_DEEP if layout.is_too_deep else CUT
        yield Reject(lines.at(layout.broken_at), base + layout.broken_at, len(raw) - layout.broken_at, reason, _hash(rest))


def glance(raw: bytes) -> tuple[dict[str, Any] | None, bool]:
    """The document, lists included, `{"[]": [...]}` where it is a list; None where these bytes begin with none, or with a
    whole one that other text follows. And whether it breaks off."""
    layout = _layout(raw)
    found: dict[str, Any] = {}
    for part in _parts(raw, layout, 0, ""):
        if isinstance(part, Record):
            if part.origin:
                listed = found.get(part.origin)
                if isinstance(listed, list):
                    listed.append(part.data)
                else:  # the same key again, with another value
                    found[part.origin] = [part.data]
            else:
                found = dict(part.data)
    is_cut = layout.broken_at is not None and not layout.is_too_deep
    return (None if layout.is_followed or not found else found), is_cut


def _document(raw: bytes, layout: _Layout) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The document without its lists of objects, in the order of its keys."""
    data: dict[str, Any] = {name: [] for name in layout.lists}
    flags: tuple[str, ...] = ()
    for name, start, end in layout.values:
        found = records.parsed(b'{"v":' + raw[start:end] + b"}")
        if isinstance(found, str):
            flags += (found,)
        else:
            data[name] = found[0].get("v")
            flags += found[1]
    return data, flags


def _layout(raw: bytes) -> _Layout:
    """Walks the top level. One character per byte: JSON's structure is ASCII, so positions are byte offsets."""
    text = raw.decode("latin-1")
    layout = _Layout(start=_skip(text, 3 if raw.startswith(b"\xef\xbb\xbf") else 0))
    at = layout.start
    try:
        if text[at : at + 1] == "{":
            at = _object(raw, text, at, layout)
        elif text[at : at + 1] == "[" and text[_skip(text, at + 1) : _skip(text, at + 1) + 1] in ("{", "]"):
            layout.is_list = True
            layout.lists.append(TOP)
            at = _list(text, at, TOP, layout)
        else:
            layout.broken_at = at if at < len(text) else None
            layout.end = at
            return layout
        layout.end = at
        if _skip(text, at) < len(text):
            layout.broken_at, layout.is_followed = _skip(text, at), True
    except (json.JSONDecodeError, RecursionError) as error:
        layout.is_too_deep = isinstance(error, RecursionError)
        layout.end = max([layout.start, *(end for _, _, end in (*layout.values, *layout.elements))])
        layout.broken_at = layout.end
    return layout


def _object(raw: bytes, text: str, at: int, layout: _Layout) -> int:
    at = _skip(text, at + 1)
    while text[at : at + 1] != "}":
        _expect(text, at, '"')
        end = records.LENIENT.raw_decode(text, at)[1]
        key = str(records.LENIENT.decode(raw[at:end].decode("utf-8", "replace")))
        at = _skip(text, _expect(text, _skip(text, end), ":"))
        inner = _skip(text, at + 1)
        if key and text[at : at + 1] == "[" and text[inner : inner + 1] == "{":
            layout.lists.append(key)
            at = _list(text, at, key, layout)
        else:
            end = records.LENIENT.raw_decode(text, at)[1]
            layout.values.append((key, at, end))
            at = end
        at = _skip(text, at)
        if text[at : at + 1] != "}":
            at = _skip(text, _expect(text, at, ","))
    return at + 1


def _list(text: str, at: int, name: str, layout: _Layout) -> int:
    at = _skip(text, at + 1)
    while text[at : at + 1] != "]":
        end = records.LENIENT.raw_decode(text, at)[1]
        layout.elements.append((name, at, end))
        at = _skip(text, end)
        if text[at : at + 1] != "]":
            at = _skip(text, _expect(text, at, ","))
    return at + 1


def _expect(text: str, at: int, mark: str) -> int:
    if text[at : at + 1] != mark:
        raise json.JSONDecodeError(mark, "", at)
    return at + 1


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


class _Lines:
    """Numbers of lines at offsets that only grow."""

    def __init__(self, raw: bytes) -> None:
        self._raw, self._at, self._line = raw, 0, 1

    def at(self, offset: int) -> int:
        if offset < self._at:
            self._at, self._line = 0, 1
        self._line += self._raw.count(b"\n", self._at, offset)
        self._at = offset
        return self._line


def _hash(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
