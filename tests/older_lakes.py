"""Lakes as older versions of midwatch left them: made from one of today, by the frozen schemas of tests/store/versions."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.store import manifest
from tasks.store.layout import Layout
from tasks.store.manifest import Part

VERSIONS = Path(__file__).parent / "store" / "versions"


ACCOUNT = ("reconciliation", "residency", "cache_misses")
"""Tables whose later columns say what an account could not say before."""


def downgraded(data: Path, *tables: str) -> int:
    """Writes the parts of some tables (of none: of all) as version 1 wrote them; how many these are."""
    parts = manifest.latest(Layout(data)).parts
    return _exchanged(data, [part for part in parts if part.version > 1 and (not tables or part.table in tables)], _older)


def untold(data: Path) -> int:
    """Empties what columns of later versions say in accounts, as they are after a migration; how many parts that took."""
    parts = manifest.latest(Layout(data)).parts
    return _exchanged(data, [part for part in parts if part.table in ACCOUNT], _emptied)


def _exchanged(data: Path, changed: Sequence[Part], how: Callable[[Layout, Part], dict[str, Any]]) -> int:
    layout = Layout(data)
    snapshot = manifest.latest(layout).snapshot
    document = json.loads(layout.manifest(snapshot).read_bytes())
    del document["sha256"]
    entries = {(entry["table"], entry["file"]): entry for entry in document["parts"]}
    for part in changed:
        entries[part.table, part.file] |= how(layout, part)
    for entry in document["parts"]:
        if entry.get("version") == 1:
            del entry["version"]  # as manifests were before any part had another
    document["sha256"] = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    layout.manifest(snapshot).write_bytes(json.dumps(document).encode())
    layout.catalog.unlink(missing_ok=True)
    return len(changed)


def _older(layout: Layout, part: Part) -> dict[str, Any]:
    schema = pq.read_schema(VERSIONS / part.table / "v1.parquet")
    rows = pq.read_table(manifest.path_of(layout, part)).select(schema.names).cast(schema)
    return _placed(layout, part, rows) | {"version": 1}


def _emptied(layout: Layout, part: Part) -> dict[str, Any]:
    rows = pq.read_table(manifest.path_of(layout, part))
    old = pq.read_schema(VERSIONS / part.table / "v1.parquet").names
    columns = [rows.column(field.name) if field.name in old else pa.nulls(len(rows), field.type) for field in rows.schema]
    return _placed(layout, part, pa.table(columns, schema=rows.schema))


def _placed(layout: Layout, part: Part, rows: pa.Table) -> dict[str, Any]:
    path = layout.table(part.table) / "older.parquet"
    pq.write_table(rows, path, compression="zstd")
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    path.rename(path.with_name(f"part-{digest[:32]}.parquet"))
    return {"file": f"part-{digest[:32]}.parquet", "bytes": len(content), "sha256": digest}
