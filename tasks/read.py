"""One unit of ingest: copy what is new of a batch of logs to raw/, read them whole, write the parts of what was seen.

A worker keeps no state between batches and returns counts and file names, never text.
"""

import contextlib
import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from tasks.domain.errors import DamageError, StorageError
from tasks.domain.kinds import Form, ItemKind, ToolCategory
from tasks.domain.records import Books, Record, Reject, SourceHint
from tasks.domain.seen import Reading, SeenItem, SeenSession
from tasks.identify import UNCLAIMED
from tasks.readers import forms, registry
from tasks.recognize import recognize
from tasks.redaction.replace import Redactor
from tasks.store import content, databases, parts, raw
from tasks.store.hashed import Hashed
from tasks.store.layout import Layout
from tasks.store.manifest import Part
from tasks.store.places import Place
from tasks.store.schemas import (
    RECORDS,
    REJECTS,
    SEEN_COMPACTIONS,
    SEEN_ITEMS,
    SEEN_REQUESTS,
    SEEN_SESSIONS,
    Table,
)
from tasks.tokens.counter import DEFAULT_ENCODING, Counter, encoding_for
from tasks.tokens.taxonomy import category

POLICY = {"retries": 1, "retry_delay_seconds": 5}


@dataclass(frozen=True, slots=True)
class Unit:
    """One generation of one log to read."""

    source_id: str
    generation: int
    agent: str
    native_id: str
    path: str
    size: int
    committed: int
    digest: str
    """sha256 of the committed bytes; the copy must agree."""
    is_final: bool
    kept: tuple[int, int] = (0, 0)
    """(packed, plain) bytes of the copy in raw/ that were committed."""
    copy_from: Place | None = None
    """Where to copy from what is not in raw/ yet; None when raw/ already holds it."""
    whole: str = ""
    """sha256 of all bytes of a log that is copied."""
    form: Form = Form.LINES


@dataclass(frozen=True, slots=True)
class Batch:
    """Units of similar total size, read by one worker."""

    data: str
    commit: int
    units: tuple[Unit, ...]
    counted: dict[str, int] = field(default_factory=dict)
    """Token counts of texts that an earlier night counted, by encoding and hash."""


@dataclass(frozen=True, slots=True)
class Read:
    """What became of one unit."""

    unit: Unit
    problem: str | None = None
    books: Books = field(default_factory=Books)
    raw_bytes: int = 0
    digest: str = ""
    sessions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchRead:
    """Parts written and one report per unit."""

    parts: tuple[Part, ...]
    reads: tuple[Read, ...]


def read_batch(batch: Batch) -> BatchRead:
    """Copy and read every unit. A log that fails costs itself, not the batch."""
    layout = Layout(Path(batch.data))
    tables: dict[str, list[pa.Table]] = {}
    reads: list[Read] = []
    for owner_units in _by_owner(batch.units):
        reads += _read_owner(layout, batch, owner_units, tables)
    schemas = {table.name: table for table in (RECORDS, REJECTS, SEEN_SESSIONS, SEEN_REQUESTS, SEEN_ITEMS, SEEN_COMPACTIONS)}
    written = parts.write_all(layout, ((schemas[name], pa.concat_tables(rows)) for name, rows in sorted(tables.items())))
    tables.clear()
    pa.default_memory_pool().release_unused()
    return BatchRead(tuple(written), tuple(reads))


def _read_owner(layout: Layout, batch: Batch, units: list[Unit], tables: dict[str, list[pa.Table]]) -> list[Read]:
    """Adds the rows of one log, all its generations or none; what was read is let go of before parts are written."""
    done = [_read_one(layout, unit) for unit in units]
    if any(read.problem for read, _, _ in done):
        return [read for read, _, _ in done]
    try:
        found = [row for read, reading, rejects in done for row in _rows(layout, batch, read.unit, reading, rejects)]
    except (AttributeError, TypeError, ValueError, OverflowError, pa.ArrowException) as error:
        problem = f"the {units[0].agent} reader gave what no table takes ({type(error).__name__}): please report it"
        return [Read(read.unit, problem) for read, _, _ in done]
    for table, rows in found:
        tables.setdefault(table.name, []).append(rows)
    return [read for read, _, _ in done]


def _by_owner(units: Sequence[Unit]) -> Iterable[list[Unit]]:
    owners: dict[str, list[Unit]] = {}
    for unit in sorted(units, key=lambda unit: (unit.source_id, unit.generation)):
        owners.setdefault(unit.source_id, []).append(unit)
    return owners.values()


def _read_one(layout: Layout, unit: Unit) -> tuple[Read, Reading, list[Reject]]:
    path = layout.raw_log(unit.agent, unit.source_id, unit.generation)
    try:
        return _copied_and_read(layout, path, unit)
    except StorageError:
        raise
    except DamageError as error:
        problem = str(error)
    except OSError as error:
        problem = f"{error.strerror or error}: left for the next night"
    except MemoryError:
        problem = "reading it needs more memory than there is: left for the next night"
    except Exception as error:
        problem = f"the {unit.agent} reader failed ({type(error).__name__}): please report it"
    return Read(unit, problem), Reading(), []


def _copied_and_read(layout: Layout, path: Path, unit: Unit) -> tuple[Read, Reading, list[Reject]]:
    """Copy what is new and read the copy whole. A copy that turns out damaged is made anew while the log is still there."""
    if not unit.copy_from:
        return _interpret(layout, path, unit, unit.kept[0])
    if not unit.form.grows:
        return _as_it_is_now(layout, path, unit, unit.copy_from)
    if unit.kept[0]:
        with contextlib.suppress(DamageError):
            kept, kept_plain = unit.kept
            length = raw.copy(unit.copy_from, path, kept=kept, kept_plain=kept_plain, size=unit.size)
            return _interpret(layout, path, unit, length)
    length = raw.copy(unit.copy_from, path, kept=0, kept_plain=0, size=unit.size)
    return _interpret(layout, path, replace(unit, kept=(0, 0)), length)


def _as_it_is_now(layout: Layout, path: Path, unit: Unit, place: Place) -> tuple[Read, Reading, list[Reject]]:
    """A log that is written whole again may be another than it was when it was looked at: if it is still the same log's, what
    was copied is read."""
    length = raw.copy(place, path, kept=0, kept_plain=0, size=None)
    try:
        return _interpret(layout, path, unit, length)
    except content.ChangedError:
        stored = functools.partial(raw.open_copy, path, length)
        size, digest = recognize(stored, _hint(unit), layout.scratch)
        return _interpret(layout, path, replace(unit, size=size, committed=size, digest=digest, whole=digest), length)


def _interpret(layout: Layout, path: Path, unit: Unit, length: int) -> tuple[Read, Reading, list[Reject]]:
    """Read the first `length` packed bytes of a copy, and see that they are what they should be."""
    books, rejects = Books(), []

    def good(found: Iterable[Record | Reject]) -> Iterator[Record]:
        for one in found:
            if isinstance(one, Reject):
                rejects.append(one)
            else:
                yield one

    reader = None if unit.agent == UNCLAIMED else registry.by_agent(unit.agent)
    with contextlib.ExitStack() as open_until_read:
        hashed = Hashed(open_until_read.enter_context(raw.open_copy(path, length)), unit.committed)
        if unit.form is Form.DATABASE and reader is not None:
            copy = open_until_read.enter_context(databases.unpacked(hashed.buffered(), layout.scratch))
            found = good(databases.rows(copy, reader.tables))
            books.bytes_seen = books.bytes_in_rows = hashed.length
        else:
            found = good(forms.read(hashed.buffered(), unit.form, reader, books, final=unit.is_final))
        reading = reader.read(found, _hint(unit)) if reader else Reading()
        for _ in found:
            pass
    _check(path, unit, hashed)
    if not books.balanced:
        message = f"the books of {unit.path} do not balance: {asdict(books)}"
        raise DamageError(message)
    sessions = tuple(sorted({session.session_id for session in reading.sessions}))
    digest = hashed.digest() if unit.is_final else hashed.at_mark
    return Read(unit, None, books, length, digest, sessions), reading, rejects


def _hint(unit: Unit) -> SourceHint:
    return SourceHint(unit.agent, unit.path, unit.source_id, unit.native_id, unit.form)


def _check(path: Path, unit: Unit, found: Hashed) -> None:
    """A torn frame raises nothing by itself, and a log may be rewritten under our hands: lengths and hashes are compared."""
    is_whole = found.length == unit.size and found.at_mark == unit.digest and unit.whole in ("", found.digest())
    if is_whole:
        return
    if unit.copy_from and not unit.kept[0]:
        message = "the log was rewritten while it was read"
        raise content.ChangedError(message)
    raise raw.damaged(path, f"holds other bytes than the {unit.size} that were committed")


def _rows(
    layout: Layout, batch: Batch, unit: Unit, reading: Reading, rejects: list[Reject]
) -> Iterator[tuple[Table, pa.Table]]:
    redactor = _redactor(str(layout.key))
    place = {"source_id": unit.source_id, "generation": unit.generation}
    first_at = _first_times(reading.items)
    yield RECORDS, parts.from_rows(RECORDS, reading.records, place, batch.commit)
    yield REJECTS, parts.from_rows(REJECTS, rejects, place, batch.commit)
    columns = {"first_at": [first_at.get(session.session_id) for session in reading.sessions]}
    columns |= _redacted_session(reading.sessions, redactor)
    yield SEEN_SESSIONS, parts.from_rows(SEEN_SESSIONS, reading.sessions, place, batch.commit, columns)
    for table, rows in ((SEEN_REQUESTS, reading.requests), (SEEN_COMPACTIONS, reading.compactions)):
        yield table, parts.from_rows(table, rows, place, batch.commit, {"ordinal": list(range(len(rows)))})
    yield (
        SEEN_ITEMS,
        parts.from_rows(SEEN_ITEMS, reading.items, place, batch.commit, _texts(reading, unit.agent, redactor, batch.counted)),
    )


def _first_times(items: Sequence[SeenItem]) -> dict[str, Any]:
    first: dict[str, Any] = {}
    for item in items:
        if item.at is not None:
            first.setdefault(item.session_id, item.at)
    return first


def _redacted_session(sessions: Sequence[SeenSession], redactor: Redactor) -> dict[str, list[Any]]:
    return {
        name: [_clean(redactor, getattr(session, name)) for session in sessions]
        for name in ("title", "cwd", "project", "git_branch")
    }


def _clean(redactor: Redactor, text: str | None) -> str | None:
    return redactor.redact(text).text if text else text


def _texts(reading: Reading, unit_agent: str, redactor: Redactor, counted: dict[str, int]) -> dict[str, list[Any]]:
    """Columns that depend on the text: redacted text and its hash; characters and tokens of the text as logged."""
    counters = _counters(reading, unit_agent)
    columns: dict[str, list[Any]] = {name: [] for name in ("text", "text_sha256", "tokens", "token_encoding", "flags", "path")}
    for item in reading.items:
        counter = counters.get(item.session_id) or _counter(DEFAULT_ENCODING)
        clean = redactor.redact(item.text)
        digest = parts.text_hash(clean.text)
        tokens = counted.get(f"{counter.name}:{digest}") if not clean.count else None
        flags = [*item.flags, *(("secret_redacted",) if clean.count else ())]
        if tokens is None:
            count = counter.count(item.text)
            tokens = count.tokens
            flags += ["tokens_estimated"] if count.estimated else []
        values = (clean.text, digest, tokens, counter.name, flags, _clean(redactor, item.path))
        for name, value in zip(columns, values, strict=True):
            columns[name].append(value)
    columns["tool_category"] = _categories(reading.items, unit_agent)
    columns["chars"] = [len(item.text) for item in reading.items]
    columns["ordinal"] = list(range(len(reading.items)))
    return columns


def _categories(items: Sequence[SeenItem], agent: str) -> list[ToolCategory | None]:
    """What each tool does, by its call; a result is what its call was, even if that has another name in the log."""
    by_call: dict[str, ToolCategory] = {}
    found: list[ToolCategory | None] = []
    for item in items:
        is_call = item.kind is ItemKind.TOOL_CALL
        known = by_call.get(item.call_id) if item.call_id and not is_call else None
        if known is None and item.tool_name:
            known = category(agent, item.tool_name, item.text if is_call else None)
        if is_call and item.call_id and known:
            by_call[item.call_id] = known
        found.append(known)
    return found


def _counters(reading: Reading, agent: str) -> dict[str, Counter]:
    """The counter of each session: its last model's encoding, which is one for almost every model there is."""
    models = {request.session_id: request.model for request in reading.requests if request.model}
    return {session_id: _counter(encoding_for(agent, model)) for session_id, model in models.items()}


@functools.cache
def _counter(encoding: str) -> Counter:
    return Counter(encoding)


@functools.cache
def _redactor(key: str) -> Redactor:
    return Redactor(Path(key).read_bytes())
