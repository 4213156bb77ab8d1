"""What is in the archive tonight: walk it, tell every file's agent and identity, and decide what became of each source.

Reads logs, writes nothing. `tasks.read` copies and reads what is new.
"""

import contextlib
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from tasks.domain.errors import DamageError, StorageError
from tasks.domain.kinds import Form, SourceState
from tasks.domain.ports import Progress
from tasks.domain.records import Books, Head, Record
from tasks.readers import records, registry
from tasks.store import content, raw
from tasks.store.generations import Known, Observed, Plan, base_id, listing_id, plan_group
from tasks.store.layout import Layout
from tasks.store.source_rows import SourceRow
from tasks.store.walk import Found, Refused, shown, walk

HEAD_BYTES = 256 << 10
HEAD_OBJECTS = 40
MANY_REJECTS = 200
"""So many lines that are no records before the first one, and a file is no log of lines (an indented document, say)."""
UNCLAIMED = "unclaimed"
_LINE_SUFFIXES = (".jsonl", ".jsonl.zst", ".jsonl.gz", ".ndjson")


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one file of the archive was found to be; cached by its stamps."""

    path: str
    mtime_ns: int
    at: str = ""
    """What opens it, where its name is no text."""
    agent: str = ""
    native_id: str = ""
    first_record_sha256: str = ""
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


@dataclass(slots=True)
class Survey:
    """The plan of a night."""

    plans: list[tuple[Plan, Sighting | None]] = field(default_factory=list)
    """What became of every source and file in a group where anything may have changed."""
    listed: list[Sighting] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    damaged: dict[str, str] = field(default_factory=dict)
    """Copies in raw/ that could not be compared with, and why."""
    files: int = 0
    quiet: list[str] = field(default_factory=list)
    """Files whose stamps, like those of all logs of the same session, are as the last night left them."""
    roots: tuple[str, ...] = ()
    present: set[str] = field(default_factory=set)
    hints: dict[str, Any] = field(default_factory=dict)


def survey(
    roots: Sequence[Path],
    layout: Layout,
    known: Iterable[SourceRow],
    hints: dict[str, Any],
    *,
    grace_hours: float,
    progress: Progress,
) -> Survey:
    """Look at every file under the roots. Only files whose stamps changed are opened."""
    result = Survey(roots=tuple(shown(str(root.resolve())) for root in roots))
    by_base: dict[str, list[SourceRow]] = defaultdict(list)
    for row in known:
        by_base[base_id(row.agent or "", row.native_id or "", row.first_record_sha256 or "")].append(row)
    groups = _sightings(roots, hints.get("files", {}), result, grace_hours, progress)
    settled_groups = hints.get("groups", {})
    for base, (members, all_cached) in groups.items():
        paths = sorted(member.path for member in members)
        result.hints["groups"][base] = paths
        if all_cached and settled_groups.get(base) == paths:
            result.quiet += paths
            continue
        result.plans += _plans(base, members, by_base.get(base, []), layout, result)
    _missing(result, [row for base, rows in by_base.items() if base not in groups for row in rows])
    return result


def identify(found: Found, grace_hours: float) -> Sighting:
    """Open one file and say what it is. OSError when it cannot be read."""
    age_hours = (datetime.now(UTC).timestamp() - found.mtime_ns / 1e9) / 3600
    is_final = age_hours >= grace_hours
    with content.open_log(found.at) as log:
        head = _head(log, is_final)
    objects = head.objects
    facts: dict[str, Any] = {"path": found.path, "at": found.at, "mtime_ns": found.mtime_ns}
    if not objects and not head.rejects:
        return _without_records(facts, head.books)
    reader = registry.find(Head(Form.LINES, tuple(objects)))
    if reader is None and (objects or not found.path.endswith(_LINE_SUFFIXES)):
        keys = tuple(sorted(objects[0])) if objects else ()
        return Sighting(**facts, listed=SourceState.UNCLAIMED, reason=_unclaimed_reason(keys), first_keys=keys)
    with content.open_log(found.at) as log:
        committed, size, digest, whole = _measure(log, is_final)
    if reader is None:
        name = hashlib.sha256(found.path.encode("utf-8", "replace")).hexdigest()[:24]
        facts |= {"agent": UNCLAIMED, "native_id": name, "first_record_sha256": digest, "reason": "no line is a JSON object"}
    else:
        facts |= {
            "agent": reader.agent,
            "native_id": reader.identify(Head(Form.LINES, tuple(objects)), found.path),
            "first_record_sha256": head.first_sha256,
        }
    return Sighting(**facts, committed=committed, size=size, digest=digest, whole=whole, is_final=is_final)


def _sightings(
    roots: Sequence[Path], cached: dict[str, Any], result: Survey, grace_hours: float, progress: Progress
) -> dict[str, tuple[list[Sighting], bool]]:
    groups: dict[str, tuple[list[Sighting], bool]] = {}
    result.hints = {"files": {}, "groups": {}}
    entries = {entry.path: entry for root in roots for entry in walk(root)}
    progress.start("looking at the archive", len(entries))
    for path, entry in entries.items():
        progress.advance()
        result.present.add(path)
        if isinstance(entry, Refused):
            result.refused.append(entry)
            continue
        result.files += 1
        hint = cached.get(path, {})
        is_cached = hint.get("stamp") == entry.stamp
        sighting = _from_hint(hint["sighting"]) if is_cached else _identified(entry, grace_hours, result)
        if sighting is None:
            continue
        if sighting.is_settled:
            result.hints["files"][path] = {"stamp": entry.stamp, "sighting": asdict(sighting)}
        if sighting.listed:
            result.listed.append(sighting)
            continue
        members, quiet = groups.get(sighting.base, ([], True))
        groups[sighting.base] = [*members, sighting], quiet and is_cached
    progress.finish()
    return groups


def _identified(found: Found, grace_hours: float, result: Survey) -> Sighting | None:
    try:
        return identify(found, grace_hours)
    except StorageError:
        raise
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
    except Exception as error:
        reason = f"telling what it is failed ({type(error).__name__}): please report it"
    result.refused.append(Refused(found.path, reason))
    return None


def _plans(
    base: str, members: list[Sighting], rows: list[SourceRow], layout: Layout, result: Survey
) -> list[tuple[Plan, Sighting | None]]:
    """Plans for a group. A file that vanishes while it is compared is listed, and the others are planned without it."""
    while True:
        try:
            return _plan(base, members, rows, layout, result)
        except _LostError as lost:
            result.refused.append(Refused(lost.path, lost.reason))
            members = [member for member in members if member.path != lost.path]
            result.hints["files"].pop(lost.path, None)
            result.hints["groups"].pop(base, None)


class _LostError(Exception):
    """A file that was there a moment ago cannot be read any more."""

    def __init__(self, path: str, error: OSError) -> None:
        super().__init__(path)
        self.path, self.reason = path, f"cannot be read: {error.strerror or error}"


@contextlib.contextmanager
def _opened(member: Sighting) -> Iterator[BinaryIO]:
    try:
        with content.open_log(member.at) as log:
            yield log
    except OSError as error:
        raise _LostError(member.path, error) from None


def _plan(
    base: str, members: list[Sighting], rows: list[SourceRow], layout: Layout, result: Survey
) -> list[tuple[Plan, Sighting | None]]:
    sightings = {member.path: member for member in members}
    by_id = {row.source_id: row for row in rows}
    seen: dict[tuple[str, int], str | None] = {}

    def prefix_of(file: Observed, length: int) -> str | None:
        if length == file.committed:
            return file.digest
        key = file.path, length
        if key not in seen:
            with _opened(sightings[file.path]) as log:
                seen[key] = content.digests(log, [length]).get(length)
        return seen[key]

    def stored_prefix_of(source: Known, length: int) -> str | None:
        row = by_id[source.source_id]
        path = layout.raw_log(row.agent or UNCLAIMED, row.source_id, row.generation)
        try:
            with raw.open_copy(path, row.raw_bytes) as log:
                return content.digests(log, [length]).get(length)
        except DamageError as error:
            result.damaged[str(path)] = str(error)
            return None

    def first_difference(file: Observed, other: Observed) -> str:
        with _opened(sightings[file.path]) as one, _opened(sightings[other.path]) as two:
            for line in one:
                if line != two.readline():
                    return hashlib.sha256(line).hexdigest()
        return file.digest

    plans = plan_group(
        base,
        [row.known() for row in rows],
        [member.observed() for member in members],
        prefix_of=prefix_of,
        stored_prefix_of=stored_prefix_of,
        first_difference=first_difference,
        is_walked=lambda path: is_under(path, result.roots),
    )
    return [(plan, sightings[plan.observed.path] if plan.observed else None) for plan in plans]


def _missing(result: Survey, rows: Iterable[SourceRow]) -> None:
    """Sources whose log is not among the present ones: gone, or their path holds another log now."""
    for row in rows:
        replaced = row.path in result.present
        state = SourceState.REWRITTEN if replaced else SourceState.GONE
        reason = "its path now holds another log" if replaced else None
        result.plans.append((Plan(state, row.source_id, row.generation, known=row.known(), reason=reason), None))
    unread = tuple(refused.path for refused in result.refused)
    result.plans = [
        (plan, sighting)
        for plan, sighting in result.plans
        if sighting is not None
        or (plan.known and is_under(plan.known.path, result.roots) and not is_under(plan.known.path, unread))
    ]


def is_under(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


@dataclass(slots=True)
class _Head:
    """The first records of a file, by which its agent and session are told."""

    books: Books = field(default_factory=Books)
    first_sha256: str = ""
    objects: list[dict[str, Any]] = field(default_factory=list)
    rejects: int = 0

    @property
    def is_enough(self) -> bool:
        """Long lines and rejects before the first record are read over, but a file of nothing else is not read to its end."""
        if len(self.objects) >= HEAD_OBJECTS or (not self.objects and self.rejects >= MANY_REJECTS):
            return True
        return self.books.bytes_seen >= HEAD_BYTES and (bool(self.objects) or self.rejects >= HEAD_OBJECTS)


def _head(log: BinaryIO, is_final: bool) -> _Head:
    head = _Head()
    for found in records.read_records(log, head.books, final=is_final):
        if isinstance(found, Record):
            head.first_sha256 = head.first_sha256 or hashlib.sha256(found.raw).hexdigest()
            head.objects.append(found.data)
        else:
            head.rejects += 1
        if head.is_enough:
            break
    return head


def _without_records(facts: dict[str, Any], seen: Books) -> Sighting:
    size = seen.bytes_seen
    if not seen.bytes_pending:
        return Sighting(**facts, size=size, committed=size, listed=SourceState.EMPTY, reason="nothing but white space")
    return Sighting(**facts, size=size, listed=SourceState.NEW, reason="no complete line yet")


def _unclaimed_reason(keys: Sequence[str]) -> str:
    if not keys:
        return "no reader claims it: not JSON lines"
    return f"no reader claims it: first keys {', '.join(keys[:12])}; see CONTRIBUTING.md, Add a reader"


def _measure(log: BinaryIO, is_final: bool) -> tuple[int, int, str, str]:
    """(bytes to read tonight, bytes of the file, sha256 of the former, sha256 of the latter)."""
    running = hashlib.sha256()
    complete, at_newline, position = 0, running.copy(), 0
    while block := log.read(content.BLOCK):
        cut = block.rfind(b"\n") + 1
        running.update(block[:cut])
        if cut:
            complete, at_newline = position + cut, running.copy()
        running.update(block[cut:])
        position += len(block)
    whole = running.hexdigest()
    return (position, position, whole, whole) if is_final else (complete, position, at_newline.hexdigest(), whole)


def _from_hint(values: dict[str, Any]) -> Sighting:
    return Sighting(**{**values, "first_keys": tuple(values["first_keys"])})


def listing_row(sighting: Sighting) -> SourceRow:
    """The row of a file that is listed and not read."""
    state = SourceState(sighting.listed)
    pending = sighting.size if state is SourceState.NEW else 0
    return SourceRow(
        listing_id(state, sighting.path), 0, None, sighting.path, state, reason=sighting.reason, bytes=sighting.size,
        bytes_pending=pending, bytes_blank=sighting.size - pending if state is SourceState.EMPTY else 0,
        lines=1 if pending else 0, lines_pending=1 if pending else 0, first_keys=sighting.first_keys or None,
        mtime=moment(sighting.mtime_ns),
    )  # fmt: skip


def refused_row(refused: Refused) -> SourceRow:
    """The row of something that could not be opened."""
    return SourceRow(
        listing_id(SourceState.UNREADABLE, refused.path), 0, None, refused.path, SourceState.UNREADABLE, reason=refused.reason
    )


def moment(stamp_ns: int) -> datetime:
    """A file's time as UTC."""
    return datetime.fromtimestamp(stamp_ns // 1000 / 1e6, UTC).replace(tzinfo=None)
