"""The night's main job: what is new in the archive goes to raw/, is read, resolved and committed as one snapshot."""

import hashlib
import json
import os
import secrets
import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import duckdb
import pyarrow as pa

from tasks import archive, plan, read
from tasks.archive import Survey
from tasks.domain.errors import DamageError, StorageError
from tasks.domain.ports import Progress, Runner
from tasks.domain.settings import Settings
from tasks.readers import registry
from tasks.record import Account, Problem, Reads, account, untouched, whole
from tasks.redaction.replace import REDACTION_VERSION
from tasks.resolve import resolve
from tasks.store import catalog, durable, manifest, notes, parts, sql
from tasks.store.layout import Layout
from tasks.store.lock import only_writer
from tasks.store.manifest import Manifest, Part
from tasks.store.schemas import RUNS, SOURCES, TABLES
from tasks.store.source_rows import SourceRow, newest, read_all

KEY_BYTES = 32
READ_AGAIN = ("seen_sessions", "seen_requests", "seen_items", "seen_compactions", "sessions")
"""Tables that a night's rows are made from, so that damage in them would go on into the next snapshot."""
CARRIED = ("migrations", "analysis_version", "accounted")
"""Facts of a snapshot that hold for the next one too."""
Superseded = dict[str, list[tuple[str, int]]]


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What a night did. Counts are of the whole lake after it, `states` of the files seen by it."""

    sessions: int
    requests: int
    items: int
    rejects: int
    """In the whole lake; `new_rejects` came this night."""
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
        return bool(self.problems) or self.new_rejects > 0


@dataclass(slots=True)
class _Night:
    """One run and the snapshot it started from."""

    layout: Layout
    settings: Settings
    before: Manifest
    con: duckdb.DuckDBPyConnection
    """Over the snapshot before."""
    rows: list[SourceRow]
    key_id: str
    started: float
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC).replace(tzinfo=None))

    @property
    def commit(self) -> int:
        return self.before.snapshot + 1

    def ask(self, question: str, owners: Iterable[str]) -> list[tuple[Any, ...]]:
        """Rows of the snapshot before, for a question about the table `owners`."""
        self.con.register("owners", pa.table({"source_id": pa.array(sorted(owners), pa.string())}))
        return self.con.execute(question).fetchall()


def ingest(settings: Settings, runner: Runner, progress: Progress) -> IngestReport:
    """Take in everything new, in one commit. LockHeldError when another run is at it."""
    layout = Layout(settings.data)
    try:
        with durable.writing(layout.data):
            layout.prepare()
            with only_writer(layout.lock):
                before = manifest.latest(layout)
                manifest.check_parts(layout, before, by_hash=(SOURCES.name,))
                with catalog.explained(layout, before):
                    return _ingest(settings, layout, before, runner, progress)
    except MemoryError:
        message = "out of memory. The snapshot before stands; run again with fewer --workers"
        raise StorageError(message) from None


def _ingest(settings: Settings, layout: Layout, before: Manifest, runner: Runner, progress: Progress) -> IngestReport:
    started = time.monotonic()
    with duckdb.connect(":memory:") as con:
        key_id = _key_id(layout, before)
        catalog.define(con, layout, before)
        rows = read_all(con) if before.snapshot else notes.read_all(layout)
        if before.facts.get("key", key_id) != key_id:
            rows = [replace(row, redaction_version=None) for row in rows]
        night = _Night(layout, settings, before, con, rows, key_id, started)
        found = archive.survey(
            settings.archive, layout, newest(night.rows).values(), _load_hints(layout, before),
            grace_hours=settings.final_grace_hours, progress=progress,
        )  # fmt: skip
        done_with = plan.retired(found, night.rows, settings.raw_generations, lambda owners: _holding(night, owners))
        reads, written = _read(night, plan.units(found, night.rows, done_with), runner, progress)
        told = account(found, night.rows, reads, night.started_at)
        read_whole = whole(reads)
        done_with = {key for key in done_with if key[0] in read_whole}
        outgrown = [row for row in night.rows if row.key in done_with]
        night.rows = [row for row in night.rows if row.key not in done_with]
        if not before.snapshot:
            told.changed += untouched(told, rows)
        report = _finish(night, told, reads, written)
        _discard(layout, outgrown)
        _save_hints(layout, found, reads, report.commit if report.is_committed else _ingested(before))
        _log_run(layout, night, report)
    return report


def _holding(night: _Night, owners: Iterable[str]) -> set[tuple[str, int]]:
    """Generations of these sources that tell an item or a call which no later one tells."""
    question = """
        with told as (
            select source_id, generation, 'item ' || item_id as id from lake.seen_items where source_id in (from owners)
            union all
            select source_id, generation, 'call ' || request_id from lake.seen_requests where source_id in (from owners)
        )
        select source_id, max(generation) from told group by source_id, id
    """
    return set(night.ask(question, owners))


def _discard(layout: Layout, rows: Iterable[SourceRow]) -> None:
    """Remove the copies of generations that the snapshot no longer knows."""
    for row in rows:
        layout.raw_note(row.agent or "", *row.key).unlink(missing_ok=True)
        layout.raw_log(row.agent or "", *row.key).unlink(missing_ok=True)


def _read(night: _Night, units: Sequence[read.Unit], runner: Runner, progress: Progress) -> tuple[Reads, list[Part]]:
    batches = [
        read.Batch(str(night.layout.data), night.commit, tuple(batch), _counted(night, batch)) for batch in plan.batches(units)
    ]
    progress.start("reading logs", len(batches))
    done = runner.map(read.read_batch, batches, label="read", policy=read.POLICY)
    progress.finish()
    reads = {(one.unit.source_id, one.unit.generation): one for batch in done for one in batch.reads}
    return reads, [part for batch in done for part in batch.parts]


def _counted(night: _Night, units: Sequence[read.Unit]) -> dict[str, int]:
    """Token counts of texts that these sources had before, so that a grown log pays for its new lines alone."""
    grown = {unit.source_id for unit in units if unit.kept != (0, 0) or not unit.copy_from}
    if not grown:
        return {}
    question = """
        select distinct token_encoding || ':' || text_sha256, tokens from lake.seen_items
        where source_id in (from owners) and not list_has_any(flags, ['secret_redacted', 'tokens_estimated'])
    """
    return dict(night.ask(question, grown))


def _finish(night: _Night, told: Account, reads: Reads, written: list[Part]) -> IngestReport:
    """Resolve and commit, or say that there is nothing to commit."""
    good = whole(reads)
    is_other_zone = night.before.facts.get("timezone", night.settings.timezone) != night.settings.timezone
    if not (good or told.changed or told.dropped or is_other_zone):
        return _report(night, night.before, told, [], is_committed=False)
    superseded = _superseded(night, good, {*told.dropped, *(row.source_id for row in told.changed)})
    written = [*written, *_listing_parts(night, told)]
    changed: list[str] = []
    if good or is_other_zone:
        manifest.check_parts(night.layout, night.before, by_hash=READ_AGAIN)
        touched = None if is_other_zone or not night.before.of("sessions") else sorted(_sessions(night, reads, good))
        draft = _draft(night, written, superseded)
        resolved = resolve(
            night.layout, draft, touched, timezone=night.settings.timezone, commit=night.commit, threads=night.settings.workers
        )
        written, changed = [*written, *resolved.parts], list(resolved.sessions)
        superseded["session"] = list(resolved.replaced)
    report = _report(night, _draft(night, written, superseded), told, changed, is_committed=True)
    written.append(_run_part(night, report, len(good)))
    _commit(night, told, _draft(night, written, superseded), report)
    return report


def _sessions(night: _Night, reads: Reads, good: set[str]) -> set[str]:
    """Sessions that the changed logs tell of, or told of before."""
    now = {session for (source_id, _), one in reads.items() if source_id in good for session in one.sessions}
    question = "select distinct session_id from lake.seen_sessions where source_id in (from owners)"
    return now | {row[0] for row in night.ask(question, good)}


def _superseded(night: _Night, good: set[str], listed: set[str]) -> Superseded:
    question = """
        select distinct source_id, commit from lake.records where source_id in (from owners)
        union select distinct source_id, commit from lake.rejects where source_id in (from owners)
    """
    listing = "select distinct source_id, commit from lake.sources where source_id in (from owners)"
    return {"source": sorted(night.ask(question, good)), "listing": sorted(night.ask(listing, listed))}


def _listing_parts(night: _Night, told: Account) -> list[Part]:
    """All rows of every owner that has a changed one: an owner is written again whole."""
    owners = {row.source_id for row in told.changed}
    rows = {(row.source_id, row.generation): row for row in night.rows if row.source_id in owners}
    rows |= {(row.source_id, row.generation): row for row in told.changed}
    ordered = [rows[key] for key in sorted(rows)]
    found = parts.write(night.layout, SOURCES, parts.from_rows(SOURCES, ordered, {}, night.commit))
    return [found] if found else []


def _draft(night: _Night, written: Sequence[Part], superseded: Superseded) -> Manifest:
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


def _commit(night: _Night, told: Account, draft: Manifest, report: IngestReport) -> None:
    facts: dict[str, Any] = {
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "counts": {name: getattr(report, name) for name in ("sessions", "requests", "items", "rejects")},
        "schema_versions": {name: table.version for name, table in TABLES.items()},
        "reader_versions": {reader.agent: reader.version for reader in registry.READERS},
        "redaction_version": REDACTION_VERSION,
        "timezone": night.settings.timezone,
        "key": night.key_id,
    }
    facts |= {name: night.before.facts[name] for name in CARRIED if name in night.before.facts}
    facts["ingested"] = draft.snapshot
    notes.write(night.layout, told.changed)
    manifest.commit(night.layout, replace(draft, facts=facts))
    catalog.publish(night.layout, draft)


def _report(night: _Night, snapshot: Manifest, told: Account, changed: list[str], *, is_committed: bool) -> IngestReport:
    with duckdb.connect(":memory:") as con:
        catalog.define(con, night.layout, snapshot)
        values = sql.run(con, sql.load("identity/after_night")).dicts()[0]
    counts = {name: values[name] for name in ("sessions", "requests", "items", "rejects")}
    books = {name: values[name] for name in ("seen", "in_rows", "rejected", "blank", "pending")}
    earlier = night.con.execute("select count(*) from lake.rejects").fetchone()
    return IngestReport(
        **counts,
        new_rejects=max(0, counts["rejects"] - (earlier or (0,))[0]),
        pending_bytes=books["pending"],
        bytes_seen=books["seen"],
        commit=snapshot.snapshot,
        is_committed=is_committed,
        states={state: count for state, count in sorted(told.states.items()) if count},
        problems=told.problems,
        changed_sessions=changed,
        books=books,
        tokens={name: values[name] for name in ("input_uncached", "cache_read", "cache_write", "output")},
        seconds=round(time.monotonic() - night.started, 3),
    )


def _key_id(layout: Layout, before: Manifest) -> str:
    """Which key redacts, made on the first night. Under a new key everything is read again, so that placeholders agree."""
    if not layout.key.exists():
        if layout.forgotten.exists():
            message = f"{layout.key} is missing, and {layout.forgotten} cannot be read without it. Restore it from a backup."
            raise DamageError(message)
        durable.write_whole(layout.key, secrets.token_bytes(KEY_BYTES))
        return _fingerprint(layout.key.read_bytes())
    key = layout.key.read_bytes()
    found = _fingerprint(key)
    if len(key) != KEY_BYTES or before.facts.get("key", found) != found:
        message = (
            f"{layout.key} is not the key that this lake was made with. Restore it from a backup, "
            "or remove it: the next ingest makes a new one and reads every log again from raw/."
        )
        raise DamageError(message)
    return found


def _fingerprint(key: bytes) -> str:
    return hashlib.sha256(b"midwatch key" + key).hexdigest()[:16]


def _load_hints(layout: Layout, before: Manifest) -> dict[str, Any]:
    """Stamps of the last night, if they belong to this snapshot; anything odd about them only costs a second look."""
    try:
        digest, content = layout.hints.read_bytes().split(b"\n", 1)
        hints = json.loads(content)
        if digest.decode() == _digest(content) and hints["snapshot"] == _ingested(before) and before.snapshot:
            return dict(hints)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return {}


def _ingested(before: Manifest) -> int:
    """The snapshot of the last ingest: one that only accounts for tokens, or tidies up, knows the same files."""
    return int(before.facts.get("ingested", before.snapshot))


def _save_hints(layout: Layout, found: Survey, reads: Reads, snapshot: int) -> None:
    good = whole(reads)
    failed = {one.unit.path for one in reads.values() if one.unit.source_id not in good}
    for path in failed:
        found.hints["files"].pop(path, None)
    content = json.dumps({"snapshot": snapshot, **found.hints}, sort_keys=True).encode()
    content = _digest(content).encode() + b"\n" + content
    if not layout.hints.exists() or layout.hints.read_bytes() != content:
        durable.write_whole(layout.hints, content)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _log_run(layout: Layout, night: _Night, report: IngestReport) -> None:
    line = {"at": night.started_at.isoformat(), "pid": os.getpid(), **asdict(report)}
    line.pop("changed_sessions")
    with layout.runs.open("ab") as file:
        file.write(json.dumps(line).encode() + b"\n")
