"""Brings the parts of a lake to today's schema: each old part is written anew as it is read, and a snapshot names the new one.

Nothing waits for it: old parts are read by way of the same steps. Every part is a file of its own name, and every few parts are
committed, so that a run which ends anywhere is gone on with by the next.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import duckdb

from tasks.domain.errors import DamageError, StorageError
from tasks.domain.ports import Progress
from tasks.domain.settings import Settings
from tasks.plan import outdated
from tasks.readers import registry
from tasks.store import catalog, durable, manifest, migrations, parts, rewriting
from tasks.store.layout import Layout
from tasks.store.lock import only_writer
from tasks.store.manifest import Manifest, Part
from tasks.store.schemas import TABLES
from tasks.store.source_rows import read_all

COMMIT_BYTES = 256 << 20
"""Of old parts that one commit replaces, about: what a run that ends early has to do again."""
MEMORY_LIMIT = "1GB"
SHOWN = 3
"""Rows of each step that are shown before and after."""
SHOWN_CHARS = 300
POLICY = {"retries": 1, "retry_delay_seconds": 5}


@dataclass(frozen=True, slots=True)
class Pending:
    """A step and the parts that it is still to be taken on."""

    step: str
    words: str
    table: str
    files: int
    rows: int
    bytes: int
    before: tuple[str, ...] = ()
    """Some rows as JSON, cut to one line each."""
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reread:
    """Sources of an agent that the next night reads again from raw/."""

    agent: str
    reader_versions: tuple[int, ...]
    """That read them last."""
    reader_version: int
    sources: int
    bytes: int


@dataclass(frozen=True, slots=True)
class LakePlan:
    """What is to be done, and what was done before."""

    files: int = 0
    """To be written anew; one may need several steps."""
    steps: list[Pending] = field(default_factory=list)
    rereads: list[Reread] = field(default_factory=list)
    recorded: list[dict[str, object]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LakeReport:
    """What was written anew."""

    commit: int
    files: int
    rows: int
    steps: list[str]


def plan_lake(settings: Settings) -> LakePlan:
    """All three remedies: steps for old parts, sources to read again, and what was recorded before. Writes nothing."""
    layout = Layout(settings.data)
    now = manifest.latest(layout)
    manifest.check_parts(layout, now)
    with catalog.explained(layout, now), duckdb.connect(":memory:") as con:
        catalog.define(con, layout, now)
        rows = outdated(read_all(con))
        steps = [_shown(con, layout, now, step) for step in _pending(now)]
    rereads = []
    for agent in sorted({row.agent or "" for row in rows}):
        own = [row for row in rows if row.agent == agent]
        versions = tuple(sorted({row.reader_version or 0 for row in own}))
        rereads.append(Reread(agent, versions, registry.by_agent(agent).version, len(own), sum(row.bytes for row in own)))
    return LakePlan(len(migrations.older_parts(now)), steps, rereads, list(now.facts.get("migrations", [])))


def _shown(con: duckdb.DuckDBPyConnection, layout: Layout, now: Manifest, pending: Pending) -> Pending:
    """With the first rows of an old part, before and after the step: their key, and the columns that only one of both has."""
    step = next(step for step in migrations.steps()[pending.table] if step.name == pending.step)
    part = min((part for part in now.of(pending.table) if part.version <= step.version), key=lambda part: part.file)
    file = f"read_parquet([{catalog.quoted(str(manifest.path_of(layout, part)))}])"
    rows = [migrations.upcast(part.table, part.version, file, until=step.version + n) for n in (0, 1)]
    columns = [con.sql(f"select * from {one}").columns for one in rows]
    key = TABLES[part.table].sort
    shown = []
    for one, own, other in zip(rows, columns, reversed(columns), strict=True):
        names = [name for name in own if name not in other and name not in key] if own != other else own
        shown.append(_first(con, one, key, names))
    return replace(pending, before=shown[0], after=shown[1])


def _first(con: duckdb.DuckDBPyConnection, rows: str, key: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    order = ", ".join(map(catalog.quoted_name, key))
    columns = ", ".join(map(catalog.quoted_name, dict.fromkeys((*key, *names))))
    question = f"select to_json(row)::text from (select {columns} from {rows} order by {order} limit {SHOWN}) as row"
    return tuple(text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…" for (text,) in con.execute(question).fetchall())


def is_pending(settings: Settings) -> bool:
    """Whether some part has an older schema than today's."""
    return bool(migrations.older_parts(manifest.latest(Layout(settings.data))))


def migrate_lake(settings: Settings, progress: Progress) -> LakeReport:
    """Write every old part anew, a commit for every few. Old files stay for readers of older snapshots, until `maintain`."""
    layout = Layout(settings.data)
    try:
        with durable.writing(layout.data), only_writer(layout.lock):
            before = manifest.latest(layout)
            with catalog.explained(layout, before):
                return _migrated(layout, before, progress)
    except MemoryError:
        raise StorageError("out of memory. The newest snapshot stands; run again, and it is gone on with") from None


def _migrated(layout: Layout, before: Manifest, progress: Progress) -> LakeReport:
    now, old = before, migrations.older_parts(before)
    progress.start("writing old parts anew", len(old))
    for batch in _batches(old):
        now = _rewritten(layout, now, batch)
        manifest.commit(layout, now)
        progress.advance(len(batch))
    progress.finish()
    if old:
        catalog.publish(layout, now)
    steps = [step.step for step in _pending(before)]
    return LakeReport(now.snapshot, len(old), sum(part.rows for part in old), steps)


def _pending(now: Manifest) -> list[Pending]:
    found = []
    for table, steps in migrations.steps().items():
        for step in steps:
            old = [part for part in now.of(table) if part.version <= step.version]
            if old:
                rows, size = sum(part.rows for part in old), sum(part.bytes for part in old)
                found.append(Pending(step.name, step.words, table, len(old), rows, size))
    return sorted(found, key=lambda pending: pending.step)


def _batches(old: list[Part]) -> Iterator[list[Part]]:
    """Parts of one table together, as many as a commit replaces."""
    batch: list[Part] = []
    for part in sorted(old, key=lambda part: (part.table, part.file)):
        if batch and (batch[0].table != part.table or sum(one.bytes for one in batch) + part.bytes > COMMIT_BYTES):
            yield batch
            batch = []
        batch.append(part)
    if batch:
        yield batch


def _rewritten(layout: Layout, now: Manifest, batch: list[Part]) -> Manifest:
    """The snapshot in which new parts stand in the places of these."""
    replaced = {part: _anew(layout, part) for part in batch}
    kept = [new for part in now.parts for new in replaced.get(part, [part])]
    whole = Manifest(now.snapshot + 1, tuple(kept), now.superseded)
    at = datetime.now(UTC).isoformat(timespec="seconds")
    facts = migrations.recorded(now.facts, batch, migrations.older_parts(whole), at)
    facts = {**facts, "schema_versions": {name: table.version for name, table in TABLES.items()}}
    return Manifest(whole.snapshot, whole.parts, whole.superseded, facts)


def _anew(layout: Layout, part: Part) -> list[Part]:
    """The rows of one part, each with the snapshot that wrote it, as today's writer writes them."""
    manifest.check_parts(layout, Manifest(0, (part,)), by_hash=TABLES)
    table = TABLES[part.table]
    layout.scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    with duckdb.connect(":memory:", config={"memory_limit": MEMORY_LIMIT}) as con:
        con.execute(f"set temp_directory = {catalog.quoted(str(layout.scratch))}")
        rows = catalog.rows_of(table, layout, part.version, [part])
        written = [new for piece in rewriting.pieces(con, table, rows) if (new := parts.write(layout, table, piece))]
    rows_written = sum(new.rows for new in written)
    if rows_written != part.rows:
        message = f"{manifest.path_of(layout, part)}: {part.rows:,} rows became {rows_written:,}; please report it"
        raise DamageError(message)
    return written
