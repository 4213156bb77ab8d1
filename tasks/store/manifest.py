"""The manifest is the commit: it names every part of one snapshot, and what in them has been replaced since.

manifest-<n>.json is written whole and exclusively, so of two writers one wins and a reader never sees half a snapshot.
"""

import hashlib
import json
import re
from collections.abc import Container
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tasks.domain.errors import DamageError
from tasks.store import durable
from tasks.store.layout import Layout

_NAME = re.compile(r"manifest-(\d+)\.json")


@dataclass(frozen=True, slots=True)
class Part:
    """One immutable Parquet file of a table."""

    table: str
    file: str
    rows: int
    bytes: int
    sha256: str
    version: int = 1
    """Of the table's schema. Manifests before the first change of a schema did not say it."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One snapshot of the lake."""

    snapshot: int = 0
    parts: tuple[Part, ...] = ()
    superseded: dict[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    """family -> (owner, commit) pairs whose rows no longer count."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Versions, counts, run id: what a person or a later run wants to know of this commit."""

    def of(self, table: str) -> tuple[Part, ...]:
        """The parts of one table."""
        return tuple(part for part in self.parts if part.table == table)

    def part_paths(self, layout: Layout) -> list[Path]:
        """Absolute paths of all parts, in manifest order."""
        return [path_of(layout, part) for part in self.parts]


def path_of(layout: Layout, part: Part) -> Path:
    """Where a part lies."""
    return (layout.table(part.table) / part.file).absolute()


def latest(layout: Layout) -> Manifest:
    """The newest snapshot; an empty one before the first commit."""
    newest = max(snapshots(layout), default=0)
    return read(layout, newest) if newest else Manifest()


def snapshots(layout: Layout) -> list[int]:
    """Numbers of the manifests on disk, ascending."""
    if not layout.lake.is_dir():
        return []
    found = (_NAME.fullmatch(entry.name) for entry in layout.lake.iterdir())
    return sorted(int(match[1]) for match in found if match)


def read(layout: Layout, snapshot: int) -> Manifest:
    """One manifest. DamageError when it is not what was written."""
    path = layout.manifest(snapshot)
    try:
        document = json.loads(path.read_bytes())
        if document.pop("sha256") != _checksum(document) or document["snapshot"] != snapshot:
            raise ValueError
        return Manifest(
            snapshot=snapshot,
            parts=tuple(Part(**part) for part in document["parts"]),
            superseded={f: tuple((o, c) for o, c in pairs) for f, pairs in document["superseded"].items()},
            facts=document["facts"],
        )
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise DamageError(message) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        message = f"{path} is damaged. Remove it to serve the snapshot before, then run `midwatch ingest` again."
        raise DamageError(message) from None


def commit(layout: Layout, manifest: Manifest) -> None:
    """Publish a snapshot. FileExistsError when another writer published this number first."""
    document = {
        "snapshot": manifest.snapshot,
        "parts": [{name: getattr(part, name) for name in Part.__slots__} for part in manifest.parts],
        "superseded": {family: sorted(pairs) for family, pairs in sorted(manifest.superseded.items())},
        "facts": manifest.facts,
    }
    document["sha256"] = _checksum(document)
    durable.write_exclusive(layout.manifest(manifest.snapshot), json.dumps(document, indent=1, sort_keys=True).encode())


def check_parts(layout: Layout, manifest: Manifest, *, by_hash: Container[str] = ()) -> None:
    """DamageError that names the parts which are not as they were written: by their size, those of some tables by their hash.

    Half of all flipped bits change what DuckDB reads and raise nothing.
    """
    checked = ((part, _wrong(layout, part, by_hash=part.table in by_hash)) for part in manifest.parts)
    damaged = [f"{path_of(layout, part)}: {wrong}" for part, wrong in checked if wrong]
    if damaged:
        more = f" (and {len(damaged) - 1} more parts)" if len(damaged) > 1 else ""
        remedy = f"Restore it from a backup, or remove {layout.lake}: the next ingest builds it again from raw/."
        message = f"{damaged[0]}{more}. {remedy}"
        raise DamageError(message)


def _wrong(layout: Layout, part: Part, *, by_hash: bool) -> str | None:
    path = path_of(layout, part)
    try:
        size = path.stat().st_size
        if size != part.bytes:
            return f"{size} bytes, {part.bytes} were written"
        if by_hash:
            with path.open("rb") as file:
                return (
                    None if hashlib.file_digest(file, "sha256").hexdigest() == part.sha256 else "other bytes than were written"
                )
    except OSError as error:
        return error.strerror or str(error)
    return None


def _checksum(document: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
