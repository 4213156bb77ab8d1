"""What a person sees of a migration, before and after it: documents with their first lines, a lake with its steps and files."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from flows import console
from flows.inputs import with_lake

if TYPE_CHECKING:
    from tasks.domain.settings import Settings
    from tasks.find_losses import Lost
    from tasks.migrate import MigrateReport, Migration
    from tasks.migrate_lake import LakePlan


def run_migrate_files(settings: "Settings", files: list[Path], *, dry_run: bool) -> int:
    """Migrates documents and says what became of each; 3 when some could not be, 1 or 2 when none could."""
    from tasks.migrate import migrate_files

    report = migrate_files(files, dry_run=dry_run)
    for one in report.files:
        if one.reason:
            console.say(f"{one.path}: {one.reason}")
    if settings.json_output:
        console.show(json.dumps({"files": [asdict(one) for one in report.files]}, ensure_ascii=False))
    elif not settings.quiet:
        console.show("\n".join(map(console.harmless, _told(report, dry_run=dry_run))))
    return report.exit_code


def run_migrate_lake(settings: "Settings", *, dry_run: bool) -> int:
    """Brings a lake to today's schema; or says what that would be, what will be read again, and what no row tells."""
    from tasks.find_losses import find_losses
    from tasks.migrate_lake import migrate_lake, plan_lake

    settings, note = with_lake(settings)
    if note:
        console.say(note)
    plan = plan_lake(settings)
    progress = console.progress(quiet=settings.quiet)
    if dry_run:
        lost = find_losses(settings, progress)
        machine = {**asdict(plan), "losses": [asdict(one) for one in lost]}
        lines = [*_steps(plan, dry_run=True), *_rereads(plan), *_losses(lost)]
    else:
        done = migrate_lake(settings, progress)
        machine = {**asdict(done), "rereads": asdict(plan)["rereads"]}
        lines = [*_steps(plan, dry_run=False), *_rereads(plan), f"snapshot {done.commit}"]
    if settings.json_output:
        console.show(json.dumps(machine, ensure_ascii=False))
    elif not settings.quiet:
        console.show("\n".join(map(console.harmless, lines)))
    return 0


def _told(report: "MigrateReport", *, dry_run: bool) -> Iterator[str]:
    for one in report.files:
        if one.outcome == "current":
            yield f"{one.path}: has the current version, {one.version}; not touched"
        elif one.outcome != "failed":
            yield from _changes(one, dry_run=dry_run)
    changed = sum(one.outcome in ("migrated", "would_migrate") for one in report.files)
    words = "would be migrated; nothing was written" if dry_run else "migrated"
    yield f"{changed:,} of {len(report.files):,} documents {words}"


def _changes(one: "Migration", *, dry_run: bool) -> Iterator[str]:
    yield f"{one.path}: version {one.version}, {one.bytes_before:,} bytes -> {one.bytes_after:,}"
    yield from (f"  {step}" for step in one.steps)
    if dry_run:
        yield from (f"  - {line}" for line in one.before)
        yield from (f"  + {line}" for line in one.after)
    yield f"  backup{' would be' if dry_run else ''} {one.backup}"


def _steps(plan: "LakePlan", *, dry_run: bool) -> Iterator[str]:
    """A table changed shape: old parts are written anew."""
    for step in plan.steps:
        yield f"{step.step}: {step.words}"
        yield f"  {step.files:,} files, {step.rows:,} rows, {step.bytes:,} bytes of {step.table}"
        if dry_run:
            yield from (f"  - {line}" for line in step.before)
            yield from (f"  + {line}" for line in step.after)
    words = "would be written anew; nothing was written" if dry_run else "written anew"
    yield f"{plan.files:,} files {words}" if plan.steps else "every part has the schema of today"
    for entry in plan.recorded:
        yield f"  before: {entry['step']}, {entry['files']} files, {entry['rows']} rows, {entry['at']}"


def _rereads(plan: "LakePlan") -> Iterator[str]:
    """A reader learned more: the next ingest reads the sources of its agent again."""
    for one in plan.rereads:
        older = ", ".join(map(str, one.reader_versions))
        yield (
            f"{one.agent}: {one.sources:,} logs, {one.bytes:,} bytes, were read by version {older} of its reader, now "
            f"{one.reader_version}; the next ingest reads them again from raw/"
        )


def _losses(lost: "list[Lost]") -> Iterator[str]:
    """A log drifted: what a reader should learn, perhaps."""
    if lost:
        yield "what no row tells, by agent, version and type of record (their logs are whole in raw/):"
    for one in lost:
        yield f"  {one.agent} {one.version or '-'} {one.type}: {', '.join(one.fields)}"
