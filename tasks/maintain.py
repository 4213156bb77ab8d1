"""Keeps a lake of many nights as quick as one of a single night: few large parts, no superseded rows, no litter.

Rewrites rows exactly as they are read, those of older schemas as today's, so a snapshot before and after answers every question
alike. Files that only older snapshots name stay for an hour after the rewrite, for readers that still hold one.
"""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from tasks.domain.errors import UsageError
from tasks.domain.ports import Progress
from tasks.domain.settings import Settings
from tasks.store import catalog, manifest, migrations, parts, rewriting
from tasks.store.layout import Layout
from tasks.store.lock import only_writer
from tasks.store.manifest import Manifest, Part
from tasks.store.schemas import TABLES

MANY_PARTS = 24
"""Parts of one table, of which a night writes few, before a nightly run tidies up."""
GRACE_SECONDS = 3_600
MEMORY_LIMIT = "1GB"


@dataclass(frozen=True, slots=True)
class MaintainReport:
    """What a rewrite changed."""

    commit: int
    parts_before: int
    parts_after: int
    files_removed: int


def needs_maintenance(settings: Settings) -> bool:
    """Whether some table lies in so many parts that questions begin to wait for them."""
    newest = manifest.latest(Layout(settings.data))
    return any(len(newest.of(name)) > MANY_PARTS for name in TABLES)


def maintain(settings: Settings, progress: Progress) -> MaintainReport:
    """Write every table anew, commit, and remove what no snapshot that somebody may read still names."""
    layout = Layout(settings.data)
    with only_writer(layout.lock):
        before = manifest.latest(layout)
        if not before.snapshot:
            raise UsageError(f"there is no lake in {settings.data} yet; run `midwatch nightly --archive DIR` first")
        after = before
        is_old = bool(migrations.older_parts(before))
        if is_old or before.superseded or any(len(before.of(name)) > 1 for name in TABLES):
            after = _rewritten(layout, before, progress)
            manifest.commit(layout, after)
            catalog.publish(layout, after)
        removed = _sweep(layout)
    return MaintainReport(after.snapshot, len(before.parts), len(after.parts), removed)


def _rewritten(layout: Layout, before: Manifest, progress: Progress) -> Manifest:
    layout.scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    written: list[Part] = []
    progress.start("rewriting tables", len(TABLES))
    with duckdb.connect(":memory:", config={"memory_limit": MEMORY_LIMIT}) as con:
        con.execute(f"set temp_directory = {catalog.quoted(str(layout.scratch))}")
        catalog.define(con, layout, before)
        for table in TABLES.values():
            pieces = rewriting.pieces(con, table, f"lake.{table.name}")
            written += [part for rows in pieces if (part := parts.write(layout, table, rows))]
            progress.advance()
    progress.finish()
    at = datetime.now(UTC).isoformat(timespec="seconds")
    facts = migrations.recorded(before.facts, migrations.older_parts(before), (), at)
    return Manifest(before.snapshot + 1, tuple(written), {}, facts)


def _sweep(layout: Layout) -> int:
    """Remove parts that neither of the two newest snapshots names, and older manifests."""
    snapshots = manifest.snapshots(layout)
    for old in snapshots[:-2]:
        layout.manifest(old).unlink(missing_ok=True)
    named = {path for snapshot in snapshots[-2:] for path in manifest.read(layout, snapshot).part_paths(layout)}
    unnamed = [path for table in TABLES for path in layout.table(table).glob("*") if path.absolute() not in named]
    settled = [path for path in unnamed if _age_seconds(path) > GRACE_SECONDS]
    for path in settled:
        path.unlink(missing_ok=True)
    return len(settled)


def _age_seconds(path: Path) -> float:
    return time.time() - path.stat().st_mtime
