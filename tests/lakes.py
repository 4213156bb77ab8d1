"""Lakes in memory for tests: the tables of the schemas, the views of `sql/views`, rows from plain dicts."""

import datetime as dt
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as pa

from tasks.store import sql
from tasks.store.schemas import DAY, MONEY, TABLES, TIME


def lake(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> duckdb.DuckDBPyConnection:
    """A connection with all tables and views; columns and tables that `rows` leaves out are null and empty."""
    con = duckdb.connect()
    con.execute("create schema lake")
    for table in TABLES.values():
        unknown = {c for row in rows.get(table.name, ()) for c in row} - set(table.schema.names)
        assert not unknown, f"{table.name} has no column {unknown}"
        types = dict(zip(table.schema.names, table.schema.types, strict=True))
        typed = [{name: _typed(value, types[name]) for name, value in row.items()} for row in rows.get(table.name, ())]
        con.register("arriving", pa.Table.from_pylist(typed, schema=table.schema))
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
