"""Tell what one log is: its form, its agent, its session, and the hashes that next night's log is compared with."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from tasks.domain.kinds import Form, SourceState
from tasks.domain.records import Books, Head, Record
from tasks.readers import documents, forms, records, registry
from tasks.readers.protocol import Reader
from tasks.store import content, databases, tars
from tasks.store.content import LogError
from tasks.store.generations import Observed, base_id
from tasks.store.places import Place
from tasks.store.walk import Found

HEAD_BYTES = 256 << 10
HEAD_OBJECTS = forms.HEAD_OBJECTS
MANY_REJECTS = 200
"""So many lines that are no records before the first one, and a file is no log of lines (an indented document, say)."""
UNCLAIMED = "unclaimed"
_LINE_SUFFIXES = (".jsonl", ".jsonl.zst", ".jsonl.gz", ".ndjson")


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one log of the archive was found to be; cached by its stamps."""

    path: str
    mtime_ns: int
    place: Place
    form: Form = Form.LINES
    agent: str = ""
    native_id: str = ""
    first_record_sha256: str = ""
    """Names the log beside its session; the form's name where the log says everything again."""
    committed: int = 0
    size: int = 0
    digest: str = ""
    """sha256 of the committed bytes."""
    whole: str = ""
    """sha256 of all bytes."""
    is_final: bool = False
    listed: str = ""
    """State of a file that is not read."""
    reason: str = ""
    first_keys: tuple[str, ...] = ()

    @property
    def base(self) -> str:
        return base_id(self.agent, self.native_id, self.first_record_sha256)

    @property
    def is_settled(self) -> bool:
        """Will say the same as long as the file's stamps do: no unfinished line that time or a writer may finish."""
        return self.size == self.committed and self.listed not in (SourceState.NEW, SourceState.UNREADABLE)

    def observed(self) -> Observed:
        return Observed(self.path, self.size, self.committed, self.digest, self.is_final)

    @classmethod
    def of(cls, values: dict[str, Any]) -> "Sighting":
        """From what `dataclasses.asdict` made of one."""
        own = {"place": Place.of(values["place"]), "form": Form(values["form"]), "first_keys": tuple(values["first_keys"])}
        return cls(**{**values, **own})


def identify(found: Found, grace_hours: float, scratch: Path) -> list[Sighting]:
    """Open one log and say what it is; several files that are no log together, one by one. OSError when it cannot be read."""
    if found.parts:
        head = _head_together(found, scratch)
        reader = registry.find(head) if head else None
        if head is None or reader is None:
            return [sighting for part in found.parts for sighting in identify(part, grace_hours, scratch)]
        return [_claimed(found, head, reader, head.form.value, is_final=True)]
    age_hours = (datetime.now(UTC).timestamp() - found.mtime_ns / 1e9) / 3600
    return [_alone(found, scratch, is_final=found.is_done or age_hours >= grace_hours)]


def _head_together(found: Found, scratch: Path) -> Head | None:
    with found.place.open() as stream:
        if found.form is Form.FOLDER:
            return forms.folder_head(stream)
        is_database = databases.is_begun(stream.read(content.BLOCK))
        stream.seek(0)
        return _database_head(stream, scratch) if is_database else None


def _database_head(stream: BinaryIO, scratch: Path) -> Head:
    with databases.unpacked(stream, scratch) as path:
        return databases.head(path)


def _alone(found: Found, scratch: Path, *, is_final: bool) -> Sighting:
    glance = look(found.place, scratch, is_final=is_final)
    head, lines = glance.head, glance.lines
    facts: dict[str, Any] = {"path": found.path, "place": found.place, "mtime_ns": found.mtime_ns}
    if lines is not None and not lines.objects and not lines.rejects and not head.objects:
        return _without_records(facts, lines.books)
    if glance.reader is not None:
        if glance.is_cut and not is_final:
            message = "breaks off, as if it were being written: left for the next night"
            raise LogError(message)
        first = lines.first_sha256 if lines is not None and head.form is Form.LINES else _first_line(found.place)
        is_named = head.form.grows and not glance.reader.rewrites_first_record
        mark = first if is_named else head.form.value
        return _claimed(found, head, glance.reader, mark, is_final=is_final or not head.form.grows)
    if head.form is Form.LINES and not head.objects and found.path.endswith(_LINE_SUFFIXES):
        return _nothing_but_rejects(found, facts, is_final=is_final)
    keys = _keys(head)
    reason = _unclaimed_reason(head, keys, found.path)
    return Sighting(**facts, listed=SourceState.UNCLAIMED, reason=reason, first_keys=keys)


def _claimed(found: Found, head: Head, reader: Reader, mark: str, *, is_final: bool) -> Sighting:
    committed, size, digest, whole = _measured(found.place, is_final=is_final)
    return Sighting(
        found.path, found.mtime_ns, found.place, head.form, reader.agent, reader.identify(head, found.path), mark, committed,
        size, digest, whole, is_final,
    )  # fmt: skip


def _nothing_but_rejects(found: Found, facts: dict[str, Any], *, is_final: bool) -> Sighting:
    """A log of lines, by its name, none of which can be read: kept, every line a reject."""
    committed, size, digest, whole = _measured(found.place, is_final=is_final)
    name = hashlib.sha256(found.path.encode("utf-8", "replace")).hexdigest()[:24]
    return Sighting(
        **facts, agent=UNCLAIMED, native_id=name, first_record_sha256=digest, reason="no line is a JSON object",
        committed=committed, size=size, digest=digest, whole=whole, is_final=is_final,
    )  # fmt: skip


@dataclass(slots=True)
class Glance:
    """What is seen first of a log, and who claims it."""

    head: Head
    reader: Reader | None
    lines: "_Lines | None" = None
    is_cut: bool = False
    """A document that breaks off."""


def look(place: Place, scratch: Path, *, is_final: bool = True) -> Glance:
    """Tell a log's form by its content. A form that a reader claims wins; of those, what the first bytes look like most."""
    with place.open() as log:
        magic = log.read(content.BLOCK)
    if databases.is_begun(magic):
        with place.open() as log:
            head = _database_head(log, scratch)
        return Glance(head, registry.find(head))
    with place.open() as log:
        lines = _first_lines(log, is_final)
    head = Head(Form.LINES, tuple(lines.objects))
    glance = Glance(head, registry.find(head) if lines.objects else None, lines)
    if lines.begins_broken or (glance.reader is None and len(lines.objects) <= 1):
        other = _as_document(place, magic) or _as_text(place)
        if other.reader is not None or (not lines.objects and other.head.objects):
            other.lines = lines
            return other
    return glance


def _as_document(place: Place, magic: bytes) -> Glance | None:
    if magic.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] not in (b"{", b"["):
        return None
    with place.open() as log:
        raw = content.up_to(log, documents.MAX_DOCUMENT_BYTES)
    if raw is None:
        return None
    head, is_cut = forms.document_head(raw)
    return Glance(head, registry.find(head), is_cut=is_cut) if head else None


def _as_text(place: Place) -> Glance:
    with place.open() as log:
        raw = log.read(HEAD_BYTES)
    head = forms.text_head(raw)
    return Glance(head if (reader := registry.find(head)) else Head(Form.TEXT, ()), reader)


@dataclass(slots=True)
class _Lines:
    """The first records of a file."""

    books: Books = field(default_factory=Books)
    first_sha256: str = ""
    objects: list[dict[str, Any]] = field(default_factory=list)
    rejects: int = 0
    begins_broken: bool = False
    """The first thing that is no white space is no record."""

    @property
    def is_enough(self) -> bool:
        """Long lines and rejects before the first record are read over, but a file of nothing else is not read to its end."""
        if len(self.objects) >= HEAD_OBJECTS or (not self.objects and self.rejects >= MANY_REJECTS):
            return True
        return self.books.bytes_seen >= HEAD_BYTES and (bool(self.objects) or self.rejects >= HEAD_OBJECTS)


def _first_lines(log: BinaryIO, is_final: bool) -> _Lines:
    lines = _Lines()
    for found in records.read_records(log, lines.books, final=is_final):
        if isinstance(found, Record):
            lines.first_sha256 = lines.first_sha256 or hashlib.sha256(found.raw).hexdigest()
            lines.objects.append(found.data)
        else:
            lines.begins_broken |= not lines.objects
            lines.rejects += 1
        if lines.is_enough:
            break
    lines.begins_broken |= not lines.objects and bool(lines.books.bytes_pending)
    return lines


def _first_line(place: Place) -> str:
    with place.open() as log:
        return hashlib.sha256(log.readline(content.BLOCK)).hexdigest()


def _without_records(facts: dict[str, Any], seen: Books) -> Sighting:
    size = seen.bytes_seen
    if not seen.bytes_pending:
        return Sighting(**facts, size=size, committed=size, listed=SourceState.EMPTY, reason="nothing but white space")
    return Sighting(**facts, size=size, listed=SourceState.NEW, reason="no complete line yet")


def _keys(head: Head) -> tuple[str, ...]:
    if head.form is Form.DATABASE:
        return head.names
    return tuple(sorted(head.objects[0])) if head.objects else ()


def _unclaimed_reason(head: Head, keys: Sequence[str], path: str) -> str:
    if not keys:
        if path.lower().endswith(tars.SUFFIXES):
            return "an archive inside an archive is not opened: unpack the outer one"
        if head.form is Form.DATABASE:
            return "no reader claims it: a database without tables"
        return "no reader claims it: not JSON"
    what = "tables" if head.form is Form.DATABASE else "first keys"
    return f"no reader claims it: {what} {', '.join(keys[:12])}; see CONTRIBUTING.md, Add a reader"


def _measured(place: Place, *, is_final: bool) -> tuple[int, int, str, str]:
    """(bytes to read tonight, bytes of the log, sha256 of the former, sha256 of the latter)."""
    running = hashlib.sha256()
    complete, at_newline, position = 0, running.copy(), 0
    with place.open() as log:
        while block := log.read(content.BLOCK):
            cut = block.rfind(b"\n") + 1
            running.update(block[:cut])
            if cut:
                complete, at_newline = position + cut, running.copy()
            running.update(block[cut:])
            position += len(block)
    whole = running.hexdigest()
    return (position, position, whole, whole) if is_final else (complete, position, at_newline.hexdigest(), whole)
