"""Bytes -> records. Knows JSON lines and their accidents, and no agent's vocabulary.

Lines are split at 0x0A alone: other line separators occur raw inside JSON strings. orjson reads nearly every line; what it
refuses goes through slower ways that repair (lone surrogates, invalid UTF-8, NaN, raw control characters, lone backslashes),
take glued objects apart, and reject the rest by position. One line is held at a time.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from tasks.domain.records import Books, Record, Reject

MAX_LINE_BYTES = 64 * 2**20
"""Also the longest string: a string never outgrows its line, and a 60 MB tool output is a fair record."""
MAX_NESTING = 200
MAX_KEYS = 10_000

NOT_JSON = "not JSON"
FRAGMENT = "cut fragment"
NOT_AN_OBJECT = "not an object"
TORN_TAIL = "torn_tail"
LINE_TOO_LONG = f"line over {MAX_LINE_BYTES} bytes"
NESTED_TOO_DEEP = f"nesting over {MAX_NESTING}"
TOO_MANY_KEYS = f"object over {MAX_KEYS} keys"

_MAX_REPAIRS_LISTED = 100
_RESYNC_BUDGET_BYTES = 256 * 2**20
_BLANK = re.compile(rb"(?:[ \t\r\n]|\xef\xbb\xbf)*")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(?:([\"\\/bfnrt]|u[0-9a-fA-F]{4})|)")
"""An escape; without group 1 a lone backslash, as in a Windows path that somebody wrote by hand."""
_FIRST_TWO_KEYS = re.compile(rb'\{\s*("[^"\\]*")\s*:\s*(?:"[^"\\]*"|[\w.+-]+)\s*,\s*("[^"\\]*")\s*:')


def read_records(stream: BinaryIO, books: Books, *, final: bool = False) -> Iterator[Record | Reject]:
    """Records and rejects in file order, `books` filled on the way; the stream starts at byte 0 of the file.

    An unterminated last line stays pending for the next night, even when it is valid JSON: its writer may not be done.
    With `final` it is read like any other, and what is broken in it is rejected as `torn_tail`.
    """
    offset = line_no = 0
    while line := stream.readline(MAX_LINE_BYTES + 2):
        line_no += 1
        books.lines_seen += 1
        start = offset
        if len(line) > MAX_LINE_BYTES + 1 and line[-1] != 0x0A:
            length, is_ended, sha256 = _skip_line(stream, line)
            offset += length + is_ended
            books.bytes_seen += length + is_ended
            if is_ended or final:
                yield _book_reject(books, Reject(line_no, start, length, LINE_TOO_LONG, sha256))
                books.lines_rejected += 1
                books.bytes_blank += is_ended
            else:
                _book_pending(books, length)
            continue
        offset += len(line)
        books.bytes_seen += len(line)
        is_ended = line[-1] == 0x0A
        if not is_ended and not final:
            _book_pending(books, len(line))
            continue
        yield from _book_line(books, line, line_no, start, TORN_TAIL if not is_ended else None)


def _skip_line(stream: BinaryIO, head: bytes) -> tuple[int, bool, str]:
    """The length, end and hash of an over-long line, read piece by piece and not kept."""
    digest, length, piece = hashlib.sha256(), 0, head
    while piece:
        is_ended = piece[-1] == 0x0A
        body = piece[:-1] if is_ended else piece
        digest.update(body)
        length += len(body)
        if is_ended:
            return length, True, digest.hexdigest()
        piece = stream.readline(2**20)
    return length, False, digest.hexdigest()


def _book_pending(books: Books, length: int) -> None:
    books.bytes_pending += length
    books.lines_pending += 1


def _book_reject(books: Books, reject: Reject) -> Reject:
    books.bytes_rejected += reject.byte_length
    return reject


def _book_line(books: Books, line: bytes, line_no: int, start: int, torn: str | None) -> Iterator[Record | Reject]:
    """The parts of one line; every byte outside of them is blank."""
    raw = line.strip(b" \t\r\n")
    start += line.find(raw[:1]) if raw else 0
    length = len(line)
    del line
    in_rows = rejected = 0
    for part in _parts(raw, line_no, start, torn) if raw else ():
        if isinstance(part, Record):
            in_rows += part.byte_length
        else:
            rejected += part.byte_length
        yield part
    books.bytes_in_rows += in_rows
    books.bytes_rejected += rejected
    books.bytes_blank += length - in_rows - rejected
    if in_rows:
        books.lines_in_rows += 1
    elif rejected:
        books.lines_rejected += 1
    else:
        books.lines_blank += 1


def _parts(raw: bytes, line_no: int, start: int, torn: str | None) -> Iterator[Record | Reject]:
    """One record nearly always; else what a broken line is made of."""
    try:
        data = orjson.loads(raw)
    except ValueError:
        data = None
    if type(data) is dict:
        reason = _over_cap(data, raw)
        if reason is None:
            yield Record(line_no, start, len(raw), raw, data)
        else:
            yield _reject(raw, line_no, start, reason)
        return
    yield from _broken_line(raw, line_no, start, torn)


def _broken_line(raw: bytes, line_no: int, start: int, torn: str | None) -> Iterator[Record | Reject]:
    """Splits a line that is not one plain object: glued objects, cut fragments, marks between them."""
    at = _skip_blank(raw, 0)
    if at:
        yield from _parts(raw[at:], line_no, start + at, torn)
        return
    whole = _object(raw)
    if not isinstance(whole, str):
        yield Record(line_no, start, len(raw), raw, *whole)
        return
    # One character per byte: JSON's structure is ASCII, so positions in this text are byte offsets.
    text = raw.decode("latin-1")
    while at < len(raw):
        end, reason = _span(raw, text, at)
        piece = raw[at:end].rstrip(b" \t\r")
        if reason is None:
            found = _object(piece)
            if isinstance(found, str):
                reason = found
            else:
                yield Record(line_no, start + at, len(piece), piece, *found)
        if reason is not None:
            if torn and end == len(raw) and reason in (NOT_JSON, FRAGMENT):
                reason = torn
            yield _reject(piece, line_no, start + at, reason)
        at = _skip_blank(raw, end)


def _reject(raw: bytes, line_no: int, start: int, reason: str) -> Reject:
    return Reject(line_no, start, len(raw), reason, hashlib.sha256(raw).hexdigest())


def _skip_blank(raw: bytes, at: int) -> int:
    match = _BLANK.match(raw, at)
    return match.end() if match else at


def _span(raw: bytes, text: str, at: int) -> tuple[int, str | None]:
    """The end of the JSON value at `at`; or the end of the broken piece there, with the reason."""
    try:
        return LENIENT.raw_decode(text, at)[1], None
    except json.JSONDecodeError as error:
        reason = FRAGMENT if raw[at] == 0x7B else NOT_JSON
        return _resume(raw, text, at, error.pos), reason
    except RecursionError:
        return len(raw), NESTED_TOO_DEEP


def _resume(raw: bytes, text: str, at: int, broken_at: int) -> int:
    """Where the next whole object starts behind a broken piece; the end of the line if nowhere.

    Quotes inside a JSON string are escaped, so `{"` never starts inside one. An object that is merely a value *of* the
    fragment ends before the point where its grammar breaks. When a cut falls inside a string, the string closes at the next
    record's first quote and breaks two bytes behind its start; when it falls before a value, the next record takes that
    value's place and is known by its first two keys, which are those of the fragment.
    """
    tries = min(200, max(4, _RESYNC_BUDGET_BYTES // len(raw)))
    head = _FIRST_TWO_KEYS.match(raw, at)
    start = raw.find(b'{"', at + 1)
    while start >= 0 and tries > 0:
        if start >= broken_at - 2 or (head and _starts_alike(raw, start, head)):
            tries -= 1
            if _is_whole(raw, text, start):
                return start
        start = raw.find(b'{"', start + 1)
    return len(raw)


def _starts_alike(raw: bytes, start: int, head: re.Match[bytes]) -> bool:
    other = _FIRST_TWO_KEYS.match(raw, start)
    return other is not None and other.groups() == head.groups()


def _is_whole(raw: bytes, text: str, start: int) -> bool:
    """Whether an object starts here and ends where a record may end: at the line's end or before another object."""
    try:
        end = _skip_blank(raw, LENIENT.raw_decode(text, start)[1])
    except (json.JSONDecodeError, RecursionError):
        return False
    return end == len(raw) or raw[end] == 0x7B


def _object(raw: bytes) -> tuple[dict[str, Any], tuple[str, ...]] | str:
    """The object that these bytes are, repaired and with its flags; or the reason why they are none."""
    flags: list[str] = []
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "replace")
        flags.append("invalid_utf8")
    try:
        value = _STRICT.decode(text)
    except json.JSONDecodeError:
        try:
            value = LENIENT.decode(_ESCAPE.sub(_doubled, text))
        except json.JSONDecodeError:
            return NOT_JSON
        flags.append("odd_json")
    except RecursionError:
        return NESTED_TOO_DEEP
    del text
    if type(value) is not dict:
        return NOT_AN_OBJECT
    reason = _over_cap(value, raw)
    if reason is not None:
        return reason
    data, repairs = _repaired(value)
    flags.extend(["lone_surrogate"] * min(repairs, _MAX_REPAIRS_LISTED))
    return data, tuple(flags)


def _integer(digits: str) -> int | str:
    """Longer than any 64-bit number stays text: Python refuses to convert 4,301 digits, and no sum could use it."""
    return int(digits) if len(digits) <= 20 else digits


def _no_constant(name: str) -> float:
    raise json.JSONDecodeError(name, "", 0)


def _doubled(escape: re.Match[str]) -> str:
    return escape[0] if escape[1] else "\\\\"


_STRICT = json.JSONDecoder(parse_int=_integer, parse_constant=_no_constant)
LENIENT = json.JSONDecoder(parse_int=_integer, strict=False)
"""Finds where a JSON value ends, in text with one character per byte."""


def parsed(raw: bytes) -> tuple[dict[str, Any], tuple[str, ...]] | str:
    """The object that these bytes are and what was repaired in it; or the reason why they are none."""
    try:
        data = orjson.loads(raw)
    except ValueError:
        data = None
    if type(data) is not dict:
        return _object(raw)
    return _over_cap(data, raw) or (data, ())


def _over_cap(data: dict[str, Any], raw: bytes) -> str | None:
    """The cap that an object breaks. Counting brackets and colons first spares nearly every record the walk."""
    may_be_deep = len(raw) > 2 * MAX_NESTING and raw.count(b"{") + raw.count(b"[") > MAX_NESTING
    if not may_be_deep and (len(raw) < 5 * MAX_KEYS or raw.count(b":") <= MAX_KEYS):
        return None
    level: list[Any] = [data]
    for _ in range(MAX_NESTING):
        if any(type(value) is dict and len(value) > MAX_KEYS for value in level):
            return TOO_MANY_KEYS
        level = [inner for value in level for inner in (value.values() if type(value) is dict else value)]
        level = [value for value in level if type(value) is dict or type(value) is list]
        if not level:
            return None
    return NESTED_TOO_DEEP


def _repaired(value: Any) -> tuple[Any, int]:
    """The value with every lone surrogate, in keys too, as U+FFFD; and how many there were. Real pairs are joined by then."""
    if isinstance(value, str):
        return _LONE_SURROGATE.subn("\ufffd", value) if not value.isascii() else (value, 0)
    if isinstance(value, dict):
        pairs = [(_repaired(key), _repaired(inner)) for key, inner in value.items()]
        return {key: inner for (key, _), (inner, _) in pairs}, sum(k + v for (_, k), (_, v) in pairs)
    if isinstance(value, list):
        inners = [_repaired(inner) for inner in value]
        return [inner for inner, _ in inners], sum(count for _, count in inners)
    return value, 0
