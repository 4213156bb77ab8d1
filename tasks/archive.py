"""What is in the archive tonight: gather its logs, tell what each is, and decide what became of each source.

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
from tasks.domain.kinds import SourceState
from tasks.domain.ports import Progress
from tasks.gather import IN_ARCHIVE, gather
from tasks.identify import UNCLAIMED, Sighting, identify
from tasks.store import content, raw
from tasks.store.generations import Known, Observed, Plan, base_id, listing_id, plan_group, plan_whole
from tasks.store.layout import Layout
from tasks.store.source_rows import SourceRow
from tasks.store.walk import Found, Refused, shown


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
    """Look at every log under the roots. Only those whose stamps changed are opened."""
    result = Survey(roots=tuple(shown(str(root.resolve())) for root in roots))
    by_base: dict[str, list[SourceRow]] = defaultdict(list)
    for row in known:
        by_base[base_id(row.agent or "", row.native_id or "", row.first_record_sha256 or "")].append(row)
    result.hints = {"files": {}, "groups": {}, "archives": dict(hints.get("archives", {}))}
    entries = gather(roots, layout, result.hints["archives"])
    groups: dict[str, list[tuple[Sighting, bool]]] = defaultdict(list)
    look = _Look(layout, hints.get("files", {}), grace_hours, progress)
    for sighting, is_cached in _looked_at(entries, look, result):
        groups[sighting.base].append((sighting, is_cached))
    settled_groups = hints.get("groups", {})
    for base, seen in groups.items():
        members, all_cached = [sighting for sighting, _ in seen], all(is_cached for _, is_cached in seen)
        paths = sorted(member.path for member in members)
        result.hints["groups"][base] = paths
        if all_cached and settled_groups.get(base) == paths:
            result.quiet += paths
            continue
        result.plans += _plans(base, members, by_base.get(base, []), layout, result)
    _missing(result, [row for base, rows in by_base.items() if base not in groups for row in rows])
    return result


@dataclass(frozen=True, slots=True)
class _Look:
    """How the archive is looked at tonight."""

    layout: Layout
    cached: dict[str, Any]
    """By path what a log was found to be, and its stamps then."""
    grace_hours: float
    progress: Progress

    def sightings(self, entry: Found, result: Survey) -> tuple[list[Sighting], bool]:
        """What an entry is, and whether that was known. What will stay true is remembered for the next night."""
        hint = self.cached.get(entry.path, {})
        is_cached = hint.get("stamp") == entry.stamp
        found = [Sighting.of(one) for one in hint["sightings"]] if is_cached else self._identified(entry, result)
        if found and all(sighting.is_settled for sighting in found):
            result.hints["files"][entry.path] = {"stamp": entry.stamp, "sightings": [asdict(one) for one in found]}
        return found, is_cached

    def _identified(self, entry: Found, result: Survey) -> list[Sighting]:
        try:
            return identify(entry, self.grace_hours, self.layout.scratch)
        except StorageError:
            raise
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
        except Exception as error:
            reason = f"telling what it is failed ({type(error).__name__}): please report it"
        result.refused.append(Refused(entry.path, reason))
        return []


def _looked_at(entries: Sequence[Found | Refused], look: _Look, result: Survey) -> Iterator[tuple[Sighting, bool]]:
    look.progress.start("looking at the archive", len(entries))
    for entry in entries:
        look.progress.advance()
        result.present.add(entry.path)
        if isinstance(entry, Refused):
            result.refused.append(entry)
            continue
        result.present.update(part.path for part in entry.parts)
        result.files += max(1, len(entry.parts))
        found, is_cached = look.sightings(entry, result)
        result.listed += [sighting for sighting in found if sighting.listed]
        yield from ((sighting, is_cached) for sighting in found if not sighting.listed)
    look.progress.finish()


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
        with member.place.open() as log:
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

    if not members[0].form.grows:
        found = plan_whole(base, [row.known() for row in rows], [member.observed() for member in members])
        return [(plan, sightings[plan.observed.path] if plan.observed else None) for plan in found]
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
    """Whether a path is in one of these folders or archives, or is one of them."""
    return any(path == folder or path.startswith((folder.rstrip("/") + "/", folder + IN_ARCHIVE)) for folder in folders)


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
