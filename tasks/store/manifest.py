"""The manifest is the commit: it names every part of one snapshot, and what in them has been replaced since.

manifest-<n>.json is written whole and exclusively, so of two writers one wins and a reader never sees half a snapshot.
"""

import json
import re
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
        if document["snapshot"] != snapshot:
            raise ValueError
        return Manifest(
            snapshot=snapshot,
            parts=tuple(Part(**part) for part in document["parts"]),
            superseded={f: tuple((o, c) for o, c in pairs) for f, pairs in document["superseded"].items()},
            facts=document["facts"],
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        message = f"{path} is damaged ({type(error).__name__}). Remove it to serve the snapshot before, then run again."
        raise DamageError(message) from None


def commit(layout: Layout, manifest: Manifest) -> None:
    """Publish a snapshot. FileExistsError when another writer published this number first."""
    document = {
        "snapshot": manifest.snapshot,
        "parts": [{name: getattr(part, name) for name in Part.__slots__} for part in manifest.parts],
        "superseded": {family: sorted(pairs) for family, pairs in sorted(manifest.superseded.items())},
        "facts": manifest.facts,
    }
    durable.write_exclusive(layout.manifest(manifest.snapshot), json.dumps(document, indent=1, sort_keys=True).encode())
