"""Lakes of given rows for tests, in memory or on disk: the tables of the schemas, the views of `sql/views`, plain dicts."""

import datetime as dt
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as pa

from tasks.store import manifest, parts, sql
from tasks.store.layout import Layout
from tasks.store.schemas import DAY, MONEY, TABLES, TIME, Table


def lake(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> duckdb.DuckDBPyConnection:
    """A connection with all tables and views; columns and tables that `rows` leaves out are null and empty."""
    con = duckdb.connect()
    con.execute("create schema lake")
    for table in TABLES.values():
        con.register("arriving", _arrow(table, rows.get(table.name, ())))
        con.execute(f"create table lake.{table.name} as select * from arriving")
        con.unregister("arriving")
    for name in sql.names("views"):
        con.execute(f"create view {name} as {sql.load(f'views/{name}').text}")
    return con


def _typed(value: Any, kind: pa.DataType) -> Any:
    if isinstance(value, str) and kind == TIME:
        return dt.datetime.fromisoformat(value)
    if isinstance(value, str) and kind == DAY:
        return dt.date.fromisoformat(value)
    return Decimal(str(value)) if kind == MONEY and value is not None else value


def plain(value: Any) -> Any:
    """A value of an answer as JSON writes it: times in ISO form, money as a number."""
    if isinstance(value, dt.datetime | dt.date):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else value


def on_disk(layout: Layout, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> int:
    """Commits a snapshot that holds exactly these rows, and says its number."""
    layout.prepare()
    snapshot = manifest.latest(layout).snapshot + 1
    tables = [(TABLES[name], _arrow(TABLES[name], given)) for name, given in rows.items()]
    manifest.commit(layout, manifest.Manifest(snapshot, tuple(parts.write_all(layout, tables))))
    return snapshot


def _arrow(table: Table, given: Sequence[Mapping[str, Any]]) -> pa.Table:
    types = dict(zip(table.schema.names, table.schema.types, strict=True))
    unknown = {name for row in given for name in row} - types.keys()
    assert not unknown, f"{table.name} has no column {unknown}"
    return pa.Table.from_pylist([{n: _typed(v, types[n]) for n, v in row.items()} for row in given], schema=table.schema)
