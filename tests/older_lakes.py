"""Lakes as older versions of midwatch left them: made from one of today, by the frozen schemas of tests/store/versions."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tasks.store import manifest
from tasks.store.layout import Layout
from tasks.store.manifest import Part

VERSIONS = Path(__file__).parent / "store" / "versions"


def downgraded(data: Path, *tables: str) -> int:
    """Writes the parts of some tables (of none: of all) as version 1 wrote them; how many these are."""
    layout = Layout(data)
    now = manifest.latest(layout)
    changed = [part for part in now.parts if part.version > 1 and (not tables or part.table in tables)]
    document = json.loads(layout.manifest(now.snapshot).read_bytes())
    del document["sha256"]
    entries = {(entry["table"], entry["file"]): entry for entry in document["parts"]}
    for part in changed:
        entries[part.table, part.file] |= _older(layout, part)
    for entry in document["parts"]:
        if entry["version"] == 1:
            del entry["version"]  # as manifests were before any part had another
    document["sha256"] = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    layout.manifest(now.snapshot).write_bytes(json.dumps(document).encode())
    layout.catalog.unlink(missing_ok=True)
    return len(changed)


def _older(layout: Layout, part: Part) -> dict[str, Any]:
    schema = pq.read_schema(VERSIONS / part.table / "v1.parquet")
    rows = pq.read_table(manifest.path_of(layout, part)).select(schema.names).cast(schema)
    path = layout.table(part.table) / "older.parquet"
    pq.write_table(rows, path, compression="zstd")
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    path.rename(path.with_name(f"part-{digest[:32]}.parquet"))
    return {"file": f"part-{digest[:32]}.parquet", "bytes": len(content), "sha256": digest, "version": 1}
