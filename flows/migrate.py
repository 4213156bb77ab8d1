"""What a person sees of a migration, before and after it: documents, each with its steps and its first lines."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from flows import console

if TYPE_CHECKING:
    from tasks.domain.settings import Settings
    from tasks.migrate import MigrateReport, Migration


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
