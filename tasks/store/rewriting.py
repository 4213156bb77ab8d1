"""Rows of a table in pieces as large as a part, for those who write parts anew."""

from collections.abc import Iterator

import duckdb
import pyarrow as pa

from tasks.store import catalog
from tasks.store.schemas import Table

PART_BYTES = 256 << 20
"""Uncompressed rows per rewritten part."""
BATCH_ROWS = 8_192


def pieces(con: duckdb.DuckDBPyConnection, table: Table, rows: str) -> Iterator[pa.Table]:
    """The rows of a table that a relation gives, in stored order, cut where a part is full."""
    columns = ", ".join(catalog.quoted_name(name) for name in table.schema.names)
    order = ", ".join(catalog.quoted_name(name) for name in (*table.sort, "commit"))
    reader = con.sql(f"select {columns} from {rows} order by {order}").to_arrow_reader(BATCH_ROWS)
    held: list[pa.RecordBatch] = []
    size = 0
    for batch in reader:
        if held and size + batch.nbytes > PART_BYTES:
            yield pa.Table.from_batches(held)
            held, size = [], 0
        held.append(batch)
        size += batch.nbytes
    if held:
        yield pa.Table.from_batches(held)
