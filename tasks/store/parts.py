"""Parts: immutable Parquet files named by the hash of their bytes. Orphans of a crash are harmless; only a manifest counts."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.store import durable
from tasks.store.layout import Layout
from tasks.store.manifest import Part
from tasks.store.schemas import Table

ROW_GROUP_BYTES = 32 << 20
ROW_GROUP_ROWS = 65_536


def from_rows(
    table: Table, rows: Sequence[Any], constants: dict[str, Any], commit: int, columns: dict[str, list[Any]] | None = None
) -> pa.Table:
    """Arrow rows of objects with attributes. `columns` replace attributes, `constants` fill, `commit` stamps every row."""
    given = columns or {}
    arrays = []
    for name, kind in table.columns:
        if name in constants:
            values = [constants[name]] * len(rows)
        else:
            values = given[name] if name in given else [getattr(row, name) for row in rows]
        arrays.append(pa.array(values, kind))
    arrays.append(pa.array([commit] * len(rows), pa.int64()))
    return pa.Table.from_arrays(arrays, schema=table.schema)


def text_hash(text: str) -> str:
    """sha256 of a text's UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def write(layout: Layout, table: Table, rows: pa.Table) -> Part | None:
    """Write one part; None for no rows. Equal rows give equal bytes and so the same name."""
    if rows.num_rows == 0:
        return None
    sink = pa.BufferOutputStream()
    pq.write_table(
        rows.cast(table.schema),
        sink,
        compression="zstd",
        compression_level=3,
        row_group_size=_group_rows(rows),
        use_dictionary=[
            name for name, kind in table.columns if name != "text" and kind in (pa.string(), pa.list_(pa.string()))
        ],
        write_statistics=[name for name in table.schema.names if name != "text"],
        store_schema=True,
        data_page_size=1 << 20,
    )
    content = memoryview(sink.getvalue())
    digest = hashlib.sha256(content).hexdigest()
    pa.default_memory_pool().release_unused()
    file = f"part-{digest[:32]}.parquet"
    durable.write_whole(layout.table(table.name) / file, content, mode=0o400)
    return Part(table.name, file, rows.num_rows, len(content), digest, table.version)


def write_all(layout: Layout, tables: Iterable[tuple[Table, pa.Table]]) -> list[Part]:
    """Write several parts, leaving out empty ones."""
    written = (write(layout, table, rows) for table, rows in tables)
    return [part for part in written if part]


def _group_rows(rows: pa.Table) -> int:
    per_row = max(1, int(rows.nbytes) // int(rows.num_rows))
    return max(1, min(ROW_GROUP_ROWS, ROW_GROUP_BYTES // per_row))
