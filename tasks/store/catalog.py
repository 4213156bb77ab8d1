"""The generated catalog: a DuckDB file whose views read exactly the parts of one manifest.

Schema `lake` holds all live rows of each table; the views of sql/views and the table macros of sql/macros in `main` are what
analysts use. The file is built beside and renamed over, in the storage format that older DuckDB releases open too.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator, Sequence
from functools import cache

import duckdb
import pyarrow as pa

from tasks.domain.errors import StorageError, UsageError
from tasks.store import durable, migrations, sql
from tasks.store.layout import Layout
from tasks.store.manifest import Manifest, Part, check_parts, latest, path_of
from tasks.store.schemas import TABLES, Table

STORAGE = "v1.5.0"


def connect(layout: Layout) -> duckdb.DuckDBPyConnection:
    """The current snapshot, read only. Regenerates the catalog when it speaks of another snapshot or place."""
    manifest = latest(layout)
    check_parts(layout, manifest)
    with explained(layout, manifest):
        if not is_current(layout, manifest):
            publish(layout, manifest)
        return duckdb.connect(str(layout.catalog), read_only=True)


@contextlib.contextmanager
def explained(layout: Layout, manifest: Manifest) -> Iterator[None]:
    """What DuckDB cannot do in here is told as what is wrong: a damaged part, the disk, memory. Else its error stays."""
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        message = f"DuckDB needs more memory or disk than it may use: {error}. The snapshot before stands"
        raise StorageError(message) from None
    except duckdb.Error as error:
        check_parts(layout, manifest, by_hash=TABLES)
        if isinstance(error, duckdb.IOException):
            message = f"{layout.data}: {error}. The snapshot before stands: mend the cause and run again"
            raise StorageError(message) from None
        raise


def publish(layout: Layout, manifest: Manifest) -> None:
    """Write the catalog of a snapshot and put it in the place of the old one."""
    layout.prepare()
    beside = layout.lake / f".catalog.{os.getpid()}"
    beside.unlink(missing_ok=True)
    with duckdb.connect(":memory:") as con:
        con.execute(f"attach {quoted(str(beside))} as catalog (storage_version '{STORAGE}')")
        con.execute("use catalog")
        define(con, layout, manifest)
        for name in sql.names("views"):
            view = sql.load(f"views/{name}")
            con.execute(f"create or replace view {name} as {view.text}")
        for name in sql.names("macros"):
            con.execute(sql.macro(sql.load(f"macros/{name}")))
        con.execute("use memory")
        con.execute("detach catalog")
    with durable.writing(layout.catalog):
        beside.chmod(0o600)
        durable.step("rename:catalog")
        beside.replace(layout.catalog)


def define(con: duckdb.DuckDBPyConnection, layout: Layout, manifest: Manifest) -> None:
    """Create schema `lake` over a snapshot in an open connection."""
    con.execute("create schema if not exists lake")
    con.execute("create or replace table lake.snapshot (snapshot bigint, lake text, definition text)")
    con.execute("insert into lake.snapshot values (?, ?, ?)", [*_stamp(layout, manifest)])
    con.execute("create or replace table lake.superseded (family text, owner text, commit bigint)")
    pairs = [(family, owner, commit) for family, found in manifest.superseded.items() for owner, commit in found]
    if pairs:
        columns = list(zip(*pairs, strict=True))
        rows = pa.table({"family": list(columns[0]), "owner": list(columns[1]), "commit": list(columns[2])})
        con.register("superseded_rows", rows)
        con.execute("insert into lake.superseded select family, owner, commit from superseded_rows")
        con.unregister("superseded_rows")
    for table in TABLES.values():
        con.execute(f"create or replace view lake.{table.name} as {live_rows(table, layout, manifest)}")


def live_rows(table: Table, layout: Layout, manifest: Manifest) -> str:
    """SQL for the rows of a table that count in a snapshot."""
    parts = manifest.of(table.name)
    if not parts:
        columns = ", ".join(f"null::{duckdb_type(kind)} as {quoted_name(name)}" for name, kind in _columns(table))
        return f"select {columns} where false"
    columns = ", ".join(quoted_name(name) for name, _ in _columns(table))
    versions = [rows_of(table, layout, version, found) for version, found in migrations.by_version(parts).items()]
    told = versions[0] if len(versions) == 1 else f"({' union all '.join(f'select {columns} from {one}' for one in versions)})"
    rows = f"select {columns} from {told} as part"
    if not manifest.superseded.get(table.family):
        return rows
    return (
        f"{rows} where not exists (select 1 from lake.superseded as gone where gone.family = '{table.family}' "
        f"and gone.owner = part.{table.owner} and gone.commit = part.commit)"
    )


def rows_of(table: Table, layout: Layout, version: int, parts: Sequence[Part]) -> str:
    """Parts of one version, as rows of today's."""
    if version > table.version:
        message = (
            f"{layout.lake}: {table.name} was written in version {version} by a newer midwatch than this one, which knows "
            f"{table.version}. Update midwatch, or give --data another folder"
        )
        raise UsageError(message)
    files = ", ".join(quoted(str(path_of(layout, part))) for part in parts)
    return migrations.upcast(table.name, version, f"read_parquet([{files}], union_by_name = true)")


def quoted(text: str) -> str:
    """A SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def quoted_name(name: str) -> str:
    """A SQL identifier, safe for reserved words."""
    return '"' + name.replace('"', '""') + '"'


def duckdb_type(kind: pa.DataType) -> str:
    """The DuckDB type of a column of ours."""
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision}, {kind.scale})"
    if pa.types.is_list(kind):
        return f"{duckdb_type(kind.value_type)}[]"
    return _TYPES[kind]


_TYPES = {
    pa.string(): "varchar",
    pa.int32(): "integer",
    pa.int64(): "bigint",
    pa.bool_(): "boolean",
    pa.timestamp("us"): "timestamp",
    pa.date32(): "date",
    pa.float64(): "double",
}


def _columns(table: Table) -> list[tuple[str, pa.DataType]]:
    return [(field.name, field.type) for field in table.schema]


def is_current(layout: Layout, manifest: Manifest) -> bool:
    """Whether the catalog is of this snapshot and place, and defines what this program would."""
    if not layout.catalog.exists():
        return False
    with contextlib.suppress(duckdb.Error), duckdb.connect(str(layout.catalog), read_only=True) as con:
        return con.execute("select snapshot, lake, definition from lake.snapshot").fetchone() == _stamp(layout, manifest)
    return False


def _stamp(layout: Layout, manifest: Manifest) -> tuple[int, str, str]:
    """What a catalog is of: a snapshot, in a place, as this program defines tables and views."""
    return manifest.snapshot, str(layout.lake.absolute()), _definition()


@cache
def _definition() -> str:
    told = hashlib.sha256(repr([(table.name, table.version, table.columns) for table in TABLES.values()]).encode())
    for room in ("migrations", "views", "macros"):
        for name in sql.names(room):
            told.update(sql.load(f"{room}/{name}").text.encode())
    return told.hexdigest()[:16]
