"""Brings session documents to the current version, each in its own place with a backup beside it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from tasks.domain.errors import MidwatchError, UsageError
from tasks.migrations import chain, exact
from tasks.store import replacing
from tasks.store.replacing import Held

MOST_BYTES = 512 * 2**20
SHOWN = 3
"""Messages of each document that are shown before and after."""
SHOWN_CHARS = 300


class Outcome(StrEnum):
    """What became of one document."""

    MIGRATED = "migrated"
    WOULD_MIGRATE = "would_migrate"
    CURRENT = "current"
    """Has the current version; not touched."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Migration:
    """One document: what became of it, and how it looks before and after."""

    path: str
    outcome: Outcome
    version: int | None = None
    steps: tuple[str, ...] = ()
    """What each step does, in words."""
    before: tuple[str, ...] = ()
    """The fields of the document, then its first messages, each cut to one line."""
    after: tuple[str, ...] = ()
    bytes_before: int = 0
    bytes_after: int = 0
    backup: str | None = None
    reason: str | None = None
    """Of a failure."""
    exit_code: int = 0
    """Of a failure, if it were the only one."""


@dataclass(frozen=True, slots=True)
class MigrateReport:
    """All documents, in the order that they were named in."""

    files: list[Migration] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """0 all done; 3 some; when none could be done, what the worst of them stands for."""
        failed = [one for one in self.files if one.outcome is Outcome.FAILED]
        if len(failed) < len(self.files):
            return 3 if failed else 0
        return min((one.exit_code for one in failed), default=0)


def migrate_files(paths: Iterable[Path], *, dry_run: bool) -> MigrateReport:
    """Every document on its own: one that cannot be migrated does not stop the others."""
    return MigrateReport([_migrated(path, dry_run=dry_run) for path in paths])


def _migrated(path: Path, *, dry_run: bool) -> Migration:
    try:
        with replacing.held(path, most=MOST_BYTES) as held:
            return _changed(str(path), held, dry_run=dry_run)
    except MidwatchError as error:
        return Migration(str(path), Outcome.FAILED, reason=str(error), exit_code=error.exit_code)
    except MemoryError:
        return Migration(str(path), Outcome.FAILED, reason="it needs more memory than there is", exit_code=1)


def _changed(path: str, held: Held, *, dry_run: bool) -> Migration:
    try:
        before = exact.parse(held.content)
        after = chain.migrate(before)
        version = chain.version_of(before) or 0
        if version == chain.CURRENT:
            return Migration(path, Outcome.CURRENT, version)
        if not isinstance(before.get("messages"), list):
            raise ValueError("it has no list of messages")
        content = exact.dump(after, held.content)
        if exact.parse(content) != after:
            raise ValueError("it would not be read back as it was written")
    except ValueError as error:
        raise UsageError(f"no session document: {error}") from None
    mark = f"v{version}"
    backup = replacing.backup_of(held, mark) if dry_run else replacing.replace(held, content, mark)
    return Migration(
        path, Outcome.WOULD_MIGRATE if dry_run else Outcome.MIGRATED, version,
        tuple(f"v{version + n} -> v{version + n + 1}: {_words(step)}" for n, step in enumerate(chain.path_from(version))),
        _shown(before), _shown(after), len(held.content), len(content), str(backup),
    )  # fmt: skip


def _words(step: Any) -> str:
    return (step.__doc__ or "").strip().rstrip(".")


def _shown(document: dict[str, Any]) -> tuple[str, ...]:
    fields = {name: value for name, value in document.items() if name != "messages"}
    return tuple(_line(value) for value in (fields, *document["messages"][:SHOWN]))


def _line(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"
