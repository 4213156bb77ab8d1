"""The night's main job: what is new in the archive goes to raw/, is read, resolved and committed as one snapshot."""

import json
import os
import secrets
import time
import uuid
from collections import Counter as Tally
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from tasks import archive, read
from tasks.archive import Sighting, Survey
from tasks.domain.kinds import SourceState
from tasks.domain.ports import Progress, Runner
from tasks.domain.settings import Settings
from tasks.readers import registry
from tasks.redaction.replace import REDACTION_VERSION
from tasks.resolve import resolve
from tasks.store import catalog, durable, manifest, parts
from tasks.store.generations import Plan
from tasks.store.layout import Layout
from tasks.store.lock import only_writer
from tasks.store.manifest import Manifest, Part
from tasks.store.schemas import RUNS, SOURCES, TABLES
from tasks.store.source_rows import SourceRow, newest, read_all, says_the_same

BATCH_BYTES = 32 << 20
BATCH_UNITS = 400
_READ_AGAIN = {SourceState.NEW, SourceState.APPENDED, SourceState.REWRITTEN, SourceState.TRUNCATED}


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that could not be taken in as it is, in words."""

    path: str
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What a night did. Counts are of the whole lake after it, `states` of the files seen by it."""

    sessions: int
    requests: int
    items: int
    rejects: int
    pending_bytes: int
    bytes_seen: int
    commit: int
    is_committed: bool
    states: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    new_rejects: int = 0
    changed_sessions: list[str] = field(default_factory=list)
    tokens: dict[str, int] = field(default_factory=dict)
    books: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def is_partial(self) -> bool:
        """All good data is in, but something could not be read."""
        return bool(self.problems) or self.rejects > 0


@dataclass(slots=True)
class _Night:
    """Everything decided so far in one run."""

    layout: Layout
    settings: Settings
    before: Manifest
    rows: list[SourceRow]
    started: float = field(default_factory=time.monotonic)
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC).replace(tzinfo=None))
    states: Tally[str] = field(default_factory=Tally)
    problems: list[Problem] = field(default_factory=list)

    @property
    def commit(self) -> int:
        return self.before.snapshot + 1


def ingest(settings: Settings, runner: Runner, progress: Progress) -> IngestReport:
    """Take in everything new, in one commit. LockHeldError when another run is at it."""
    layout = Layout(settings.data)
    layout.prepare()
    with only_writer(layout.lock):
        _prepare_key(layout)
        before = manifest.latest(layout)
        with duckdb.connect(":memory:") as con:
            catalog.define(con, layout, before)
            rows = read_all(con)
        night = _Night(layout, settings, before, rows)
        hints = _load_hints(layout, before)
        found = archive.survey(
            settings.archive, layout, newest(rows).values(), hints, grace_hours=settings.final_grace_hours, progress=progress
        )
        units = _units(night, found)
        reads, written = _read(night, units, runner, progress)
        listing = _listing(night, found, reads)
        report = _finish(night, found, reads, written, listing)
        _save_hints(layout, found, reads, report.commit)
    _log_run(layout, night, report)
    return report


def _units(night: _Night, found: Survey) -> list[read.Unit]:
    """Every generation of every source that must be read again, one owner's units together."""
    by_owner: dict[str, list[read.Unit]] = {}
    known = newest(night.rows)
    for plan, sighting in found.plans:
        unit = _unit(plan, sighting, known.get(plan.source_id))
        if unit and plan.state is not SourceState.COPY:
            by_owner[plan.source_id] = [unit]
    for source_id, row in known.items():
        if source_id not in by_owner and _is_outdated(row):
            by_owner[source_id] = [_again(row)]
    for row in night.rows:
        units = by_owner.get(row.source_id)
        if units and row.has_rows and row.generation < units[-1].generation:
            units.insert(0, _again(row))
    return [unit for source_id in sorted(by_owner) for unit in sorted(by_owner[source_id], key=lambda unit: unit.generation)]


def _unit(plan: Plan, sighting: Sighting | None, row: SourceRow | None) -> read.Unit | None:
    if sighting and plan.observed and plan.state in _READ_AGAIN:
        seen = plan.observed
        grown = plan.state is SourceState.APPENDED and row is not None
        kept = (row.raw_committed_bytes, row.committed_bytes) if grown and row else (0, 0)
        return read.Unit(
            plan.source_id, plan.generation, sighting.agent, sighting.native_id, seen.path, seen.size, seen.committed,
            seen.digest, seen.is_final, copy_from=seen.path, kept=kept,
        )  # fmt: skip
    if plan.known and row and plan.state in (SourceState.GONE, SourceState.REWRITTEN) and row.bytes > row.committed_bytes:
        return _again(row)
    return None


def _again(row: SourceRow) -> read.Unit:
    """Read from raw/ alone. Nothing will be added to this generation by its log, so its last line is final unless it grows."""
    ended = row.state in (SourceState.GONE, SourceState.REWRITTEN, SourceState.TRUNCATED) or row.bytes == row.committed_bytes
    return read.Unit(
        row.source_id, row.generation, row.agent or archive.UNCLAIMED, row.native_id or "", row.path, row.bytes,
        row.committed_bytes, row.prefix_hash or "", ended,
    )  # fmt: skip


def _is_outdated(row: SourceRow) -> bool:
    if row.agent == archive.UNCLAIMED:
        return False
    return (row.reader_version, row.redaction_version) != (registry.by_agent(row.agent or "").version, REDACTION_VERSION)


def _read(
    night: _Night, units: Sequence[read.Unit], runner: Runner, progress: Progress
) -> tuple[dict[tuple[str, int], read.Read], list[Part]]:
    batches = [
        read.Batch(str(night.layout.data), night.commit, tuple(batch), _counted(night, batch)) for batch in _batches(units)
    ]
    progress.start("reading logs", len(batches))
    done = runner.map(read.read_batch, batches, label="read", policy=read.POLICY)
    progress.finish()
    reads = {(one.unit.source_id, one.unit.generation): one for batch in done for one in batch.reads}
    return reads, [part for batch in done for part in batch.parts]


def _batches(units: Sequence[read.Unit]) -> Iterable[list[read.Unit]]:
    """Cut by the sources alone, never by the number of workers; the generations of one source stay together."""
    batch: list[read.Unit] = []
    size = 0
    for unit in units:
        is_next_owner = batch and batch[-1].source_id != unit.source_id
        if is_next_owner and (size + unit.size > BATCH_BYTES or len(batch) >= BATCH_UNITS):
            yield batch
            batch, size = [], 0
        batch.append(unit)
        size += unit.size
    if batch:
        yield batch


def _counted(night: _Night, units: Sequence[read.Unit]) -> dict[str, int]:
    """Token counts of texts that these sources had before, so that a grown log pays for its new lines alone."""
    grown = sorted({unit.source_id for unit in units if unit.kept != (0, 0) or not unit.copy_from})
    if not grown or not night.before.of("seen_items"):
        return {}
    with duckdb.connect(":memory:") as con:
        catalog.define(con, night.layout, night.before)
        rows = con.execute(
            "select distinct text_sha256, tokens from lake.seen_items where list_contains($sources, source_id)"
            " and not list_has_any(flags, ['redacted', 'tokens_estimated'])",
            {"sources": grown},
        ).fetchall()
    return dict(rows)


def _listing(night: _Night, found: Survey, reads: dict[tuple[str, int], read.Read]) -> list[SourceRow]:
    """The rows of `sources` after this night that differ from those before it."""
    before = {(row.source_id, row.generation): row for row in night.rows}
    after: dict[tuple[str, int], SourceRow] = {}
    for plan, sighting in found.plans:
        for row in _planned_rows(night, plan, sighting, before, reads):
            after[row.source_id, row.generation] = row
    for (source_id, generation), one in reads.items():
        row = after.get((source_id, generation)) or before.get((source_id, generation))
        if row and not one.problem:
            after[source_id, generation] = _read_row(row, one)
    listed = [archive.listing_row(sighting) for sighting in found.listed] + [archive.refused_row(one) for one in found.refused]
    for row in listed:
        after[row.source_id, 0] = row
        if row.state == SourceState.UNREADABLE:
            night.problems.append(Problem(row.path, row.state, row.reason or ""))
    night.states.update(row.state for row in listed)
    night.states[SourceState.UNCHANGED] += found.quiet_files
    return [
        row if key not in before else replace(row, first_seen_at=before[key].first_seen_at)
        for key, row in after.items()
        if key not in before or not says_the_same(before[key], row)
    ]


def _planned_rows(
    night: _Night,
    plan: Plan,
    sighting: Sighting | None,
    before: dict[tuple[str, int], SourceRow],
    reads: dict[tuple[str, int], read.Read],
) -> Iterable[SourceRow]:
    row = before.get((plan.source_id, plan.generation))
    if plan.state is SourceState.COPY and sighting:
        night.states[plan.state] += 1
        yield replace(archive.listing_row(replace(sighting, listed=plan.state, reason=plan.reason or "")), copy_of=plan.source_id)
        return
    one = reads.get((plan.source_id, plan.generation))
    if one and one.problem:
        night.states[SourceState.UNREADABLE] += 1
        night.problems.append(Problem(one.unit.path, SourceState.UNREADABLE, one.problem))
        if row is None and sighting:
            yield archive.listing_row(replace(sighting, listed=SourceState.UNREADABLE, reason=one.problem))
        return
    night.states[plan.state] += 1
    if sighting is None and row:
        changed = row.state != plan.state
        yield replace(row, state=plan.state, reason=plan.reason, last_changed_at=night.started_at if changed else row.last_changed_at)
    elif sighting:
        yield _present_row(night, plan, sighting, row)
        older = before.get((plan.source_id, plan.generation - 1))
        if older and plan.state in (SourceState.REWRITTEN, SourceState.TRUNCATED):
            yield replace(older, state=plan.state, reason="an earlier content of this log, kept", last_changed_at=night.started_at)


def _present_row(night: _Night, plan: Plan, sighting: Sighting, row: SourceRow | None) -> SourceRow:
    state = plan.state
    if state is SourceState.UNCHANGED and row and row.state in (SourceState.NEW, SourceState.APPENDED, SourceState.MOVED):
        state = SourceState(row.state)
    base = row or SourceRow(plan.source_id, plan.generation, sighting.agent, sighting.path, state, first_seen_at=night.started_at)
    return replace(
        base, path=sighting.path, state=state, reason=plan.reason or sighting.reason or None, native_id=sighting.native_id,
        first_record_sha256=sighting.first_record_sha256, mtime=archive.moment(sighting.mtime_ns),
        last_changed_at=night.started_at if plan.state is not SourceState.UNCHANGED else base.last_changed_at,
    )  # fmt: skip


def _read_row(row: SourceRow, one: read.Read) -> SourceRow:
    committed = one.unit.size if one.unit.is_final else one.unit.committed
    version = None if row.agent == archive.UNCLAIMED else registry.by_agent(row.agent or "").version
    row = replace(
        row.with_books(one.books), committed_bytes=committed, prefix_hash=one.digest, reader_version=version,
        redaction_version=REDACTION_VERSION,
    )  # fmt: skip
    return replace(row, raw_bytes=one.raw_total, raw_committed_bytes=one.raw_committed) if one.unit.copy_from else row


def _finish(
    night: _Night, found: Survey, reads: dict[tuple[str, int], read.Read], written: list[Part], listing: list[SourceRow]
) -> IngestReport:
    good = {source_id for (source_id, _), one in reads.items() if not one.problem}
    stale = _stale_listings(night, found, listing)
    if not good and not listing and not stale:
        return _report(night, night.before, [], is_committed=False)
    owners = sorted({row.source_id for row in listing})
    rows = [row for row in night.rows if row.source_id in owners]
    current = {(row.source_id, row.generation): row for row in [*rows, *listing]}
    written = [*written, *_listing_parts(night, list(current.values()))]
    superseded = _superseded(night, good, {*owners, *stale})
    draft = _draft(night, written, superseded)
    changed: list[str] = []
    if good:
        sessions = {session for one in reads.values() if not one.problem for session in one.sessions}
        sessions |= _sessions_before(night, good)
        is_first = not night.before.of("sessions")
        resolved = resolve(
            night.layout, draft, None if is_first else sorted(sessions), timezone=night.settings.timezone,
            commit=night.commit, threads=night.settings.workers,
        )  # fmt: skip
        written, changed = [*written, *resolved.parts], list(resolved.sessions)
        superseded["session"] = [*superseded.get("session", []), *resolved.replaced]
        draft = _draft(night, written, superseded)
    report = _report(night, draft, changed, is_committed=True)
    written.append(_run_part(night, report, len(good)))
    _commit(night, _draft(night, written, superseded), report)
    return report


def _stale_listings(night: _Night, found: Survey, listing: list[SourceRow]) -> list[str]:
    """Listing rows whose file is no longer listed that way."""
    still = {row.source_id for row in listing}
    for sighting in found.listed:
        still.add(archive.listing_row(sighting).source_id)
    still |= {archive.refused_row(one).source_id for one in found.refused}
    copies = {
        archive.listing_row(replace(sighting, listed=SourceState.COPY)).source_id
        for plan, sighting in found.plans
        if plan.state is SourceState.COPY and sighting
    }
    quiet = {path for base, paths in found.hints["groups"].items() for path in paths} - {
        sighting.path for _, sighting in found.plans if sighting
    }
    return [
        row.source_id
        for row in night.rows
        if not row.has_rows
        and row.source_id not in still | copies
        and row.path not in quiet
        and archive.is_under(row.path, found.roots)
    ]


def _listing_parts(night: _Night, rows: list[SourceRow]) -> list[Part]:
    ordered = sorted(rows, key=lambda row: (row.source_id, row.generation, row.path))
    found = parts.write(night.layout, SOURCES, parts.from_rows(SOURCES, ordered, {}, night.commit))
    return [found] if found else []


def _superseded(night: _Night, good: set[str], listed: set[str]) -> dict[str, list[tuple[str, int]]]:
    with duckdb.connect(":memory:") as con:
        catalog.define(con, night.layout, night.before)
        read_rows = con.execute(
            "select distinct source_id, commit from lake.records where list_contains($owners, source_id)"
            " union select distinct source_id, commit from lake.rejects where list_contains($owners, source_id)",
            {"owners": sorted(good)},
        ).fetchall()
        listing = con.execute(
            "select distinct source_id, commit from lake.sources where list_contains($owners, source_id)", {"owners": sorted(listed)}
        ).fetchall()
    return {"source": sorted(read_rows), "listing": sorted(listing)}


def _sessions_before(night: _Night, sources: set[str]) -> set[str]:
    with duckdb.connect(":memory:") as con:
        catalog.define(con, night.layout, night.before)
        rows = con.execute(
            "select distinct session_id from lake.seen_sessions where list_contains($owners, source_id)", {"owners": sorted(sources)}
        ).fetchall()
    return {row[0] for row in rows}


def _draft(night: _Night, written: Sequence[Part], superseded: dict[str, list[tuple[str, int]]]) -> Manifest:
    older = night.before.superseded
    families = sorted({*older, *superseded})
    merged = {family: tuple(sorted({*older.get(family, ()), *superseded.get(family, ())})) for family in families}
    new = sorted(written, key=lambda part: (part.table, part.file))
    return Manifest(night.commit, (*night.before.parts, *new), {family: pairs for family, pairs in merged.items() if pairs})


def _run_part(night: _Night, report: IngestReport, sources: int) -> Part:
    row = {
        "run_id": uuid.uuid4().hex, "started_at": night.started_at, "seconds": time.monotonic() - night.started,
        "bytes_seen": report.bytes_seen, "sources_changed": sources, "sessions_changed": len(report.changed_sessions),
        "rejects": report.rejects, "exit_state": "partial" if report.is_partial else "done",
    }  # fmt: skip
    columns = {name: [value] for name, value in row.items()}
    part = parts.write(night.layout, RUNS, parts.from_rows(RUNS, [None], {}, night.commit, columns))
    if part is None:
        raise AssertionError
    return part


def _commit(night: _Night, draft: Manifest, report: IngestReport) -> None:
    facts: dict[str, Any] = {
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "counts": {name: getattr(report, name) for name in ("sessions", "requests", "items", "rejects")},
        "schema_versions": {name: table.version for name, table in TABLES.items()},
        "reader_versions": {reader.agent: reader.version for reader in registry.READERS},
        "redaction_version": REDACTION_VERSION,
        "timezone": night.settings.timezone,
    }
    manifest.commit(night.layout, replace(draft, facts=facts))
    catalog.publish(night.layout, draft)


def _report(night: _Night, snapshot: Manifest, changed: list[str], *, is_committed: bool) -> IngestReport:
    with duckdb.connect(":memory:") as con:
        catalog.define(con, night.layout, snapshot)
        counts = con.execute(
            "select (select count(*) from lake.sessions), (select count(*) from lake.requests), (select count(*) from lake.items),"
            " (select count(*) from lake.rejects)"
        ).fetchone()
        books = con.execute(
            "select coalesce(sum(bytes), 0)::bigint, coalesce(sum(bytes_in_rows), 0)::bigint, coalesce(sum(bytes_rejected), 0)::bigint,"
            " coalesce(sum(bytes_blank), 0)::bigint, coalesce(sum(bytes_pending), 0)::bigint"
            " from lake.sources where prefix_hash is not null or state in ('empty', 'new')"
        ).fetchone()
        tokens = con.execute(
            "select coalesce(sum(input_uncached_tokens), 0)::bigint, coalesce(sum(cache_read_tokens), 0)::bigint,"
            " coalesce(sum(cache_write_tokens), 0)::bigint, coalesce(sum(output_tokens), 0)::bigint from lake.requests"
        ).fetchone()
    sessions, requests, items, rejects = counts or (0, 0, 0, 0)
    named = dict(zip(("seen", "in_rows", "rejected", "blank", "pending"), books or (0,) * 5, strict=True))
    return IngestReport(
        sessions, requests, items, rejects, named["pending"], named["seen"], snapshot.snapshot, is_committed,
        {state: count for state, count in sorted(night.states.items()) if count}, night.problems,
        changed_sessions=changed,
        tokens=dict(zip(("input_uncached", "cache_read", "cache_write", "output"), tokens or (0,) * 4, strict=True)),
        books=named, seconds=round(time.monotonic() - night.started, 3),
    )  # fmt: skip


def _prepare_key(layout: Layout) -> None:
    if not layout.key.exists():
        durable.write_whole(layout.key, secrets.token_bytes(32))


def _load_hints(layout: Layout, before: Manifest) -> dict[str, Any]:
    """Stamps of the last night, if they belong to this snapshot; anything odd about them only costs a second look."""
    try:
        hints = json.loads(layout.hints.read_bytes())
        if hints["snapshot"] == before.snapshot and before.snapshot:
            return dict(hints)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return {}


def _save_hints(layout: Layout, found: Survey, reads: dict[tuple[str, int], read.Read], snapshot: int) -> None:
    failed = {one.unit.path for one in reads.values() if one.problem}
    for path in failed:
        found.hints["files"].pop(path, None)
    content = json.dumps({"snapshot": snapshot, **found.hints}, sort_keys=True).encode()
    if not layout.hints.exists() or layout.hints.read_bytes() != content:
        durable.write_whole(layout.hints, content)


def _log_run(layout: Layout, night: _Night, report: IngestReport) -> None:
    line = {"at": night.started_at.isoformat(), "pid": os.getpid(), **asdict(report)}
    line.pop("changed_sessions")
    with layout.runs.open("ab") as file:
        file.write(json.dumps(line).encode() + b"\n")


def data_folder(path: str) -> Layout:
    """The layout of a data folder named by a caller."""
    return Layout(Path(path))
