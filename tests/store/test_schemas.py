"""Every column is filled by somebody, and a lake of any version is read as it was written."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
import specimen

from tasks.store import catalog, durable, manifest, parts
from tasks.store.layout import Layout
from tasks.store.manifest import Manifest, Part
from tasks.store.schemas import TABLES, Table

VERSIONS = Path(__file__).parent / "versions"
FROZEN = sorted(VERSIONS.glob("*/v*.parquet"))
NOBODY_FILLS = {
    "items_removed": "no log says how many items a compaction removed; counting them needs the window of the call before",
}


ADDED = {
    ("sources", "form"): "lines",
    ("records", "origin"): "",
    **{
        (table, name): None
        for table in ("seen_items", "items")
        for name in ("opaque_chars", "image_width", "image_height", "cleared_at")
    },
    **{(table, name): None for table in ("seen_items", "placements") for name in ("branch", "branch_after")},
    **{("reconciliation", name): None for name in ("scale", "output_tokens_estimated", "cost_output_estimated_usd")},
    **{("reconciliation", f"cost_{part}_usd"): None for part in ("explained", "overhead", "residual", "output")},
    **{("residency", name): None for name in ("share_cached", "cost_usd", "later_uses", "last_used_request_no")},
    **{("residency", f"cost_{part}_usd"): None for part in ("cache_read", "cache_write", "uncached")},
    ("cache_misses", "cost_usd"): None,
    **{(table, "place"): 0 for table in ("seen_items", "seen_requests", "seen_compactions")},
}
"""What rows hold in a column that their version did not have."""


def version_of(frozen: Path) -> int:
    return int(frozen.stem.removeprefix("v"))


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The lake of the specimen."""
    with catalog.connect(Layout(specimen.data(tmp_path_factory.mktemp("specimen")))) as con:
        yield con


@pytest.mark.parametrize(
    "table", [table for name, table in TABLES.items() if name != "evaluations"], ids=lambda table: table.name
)
def test_every_column_is_filled_by_somebody(lake: duckdb.DuckDBPyConnection, table: Table):
    """A list counts as filled when one row's has a word in it. Evaluations need a large session: tests/test_evaluate.py."""
    lists = {name for name, kind in table.columns if str(kind).startswith("list")}
    counts = [f"count(*) filter (where len({name}) > 0)" if name in lists else f'count("{name}")' for name in _names(table)]
    filled = lake.execute(f"select {', '.join(counts)} from lake.{table.name}").fetchone() or ()
    empty = {name for name, count in zip(_names(table), filled, strict=True) if not count}
    assert empty == NOBODY_FILLS.keys() & set(_names(table))


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_stored_order_is_total(lake: duckdb.DuckDBPyConnection, table: Table):
    """Equal rows make equal bytes only when nothing is left to chance."""
    key = ", ".join(table.sort)
    assert lake.execute(f"select {key} from lake.{table.name} group by {key} having count(*) > 1").fetchall() == []


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_owner_and_order_are_columns_and_names_are_unique(table: Table):
    assert {table.owner, *table.sort} <= set(_names(table))
    assert len(set(_names(table))) == len(_names(table))


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_schema_of_a_version_never_changes(table: Table):
    """Raise `version` in tasks/store/schemas.py, run tests/store/freeze.py, and say in the change how old parts are read."""
    present = VERSIONS / table.name / f"v{table.version}.parquet"
    assert present.exists(), f"version {table.version} of {table.name} was never frozen"
    frozen = pq.read_schema(present)
    assert list(zip(frozen.names, frozen.types, strict=True)) == list(zip(table.schema.names, table.schema.types, strict=True))
    assert {name: frozen.metadata[name] for name in table.schema.metadata} == table.schema.metadata


@pytest.mark.parametrize("path", FROZEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_part_of_any_version_is_read_as_it_was_written(path: Path, tmp_path: Path):
    """Columns that its version lacks are what the steps say, all others are what they were."""
    table, layout = TABLES[path.parent.name], Layout(tmp_path)
    written = pq.read_table(path)
    durable.write_whole(layout.table(table.name) / path.name, path.read_bytes(), mode=0o400)
    part = Part(table.name, path.name, written.num_rows, path.stat().st_size, "", version_of(path))
    manifest.commit(layout, Manifest(1, (part,)))
    with catalog.connect(layout) as con:
        read = con.sql(f"select * from lake.{table.name} order by {', '.join(table.sort)}").to_arrow_table()
    assert read.column_names == _names(table)
    assert [{name: row[name] for name in written.column_names} for row in read.to_pylist()] == written.to_pylist()
    for name in set(_names(table)) - set(written.column_names):
        assert set(read.column(name).to_pylist()) == {ADDED[table.name, name]}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_todays_writer_writes_the_rows_of_the_frozen_part(table: Table, tmp_path: Path):
    frozen = pq.read_table(VERSIONS / table.name / f"v{table.version}.parquet")
    part = parts.write(Layout(tmp_path), table, frozen)
    assert part
    again = pq.read_table(manifest.path_of(Layout(tmp_path), part))
    assert (again.schema, again.to_pylist()) == (frozen.schema, frozen.to_pylist())


def _names(table: Table) -> list[str]:
    names: list[str] = table.schema.names
    return names
