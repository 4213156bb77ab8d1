"""The generated catalog shows exactly one snapshot, to anybody's DuckDB, wherever the lake lies."""

import os
import shutil
import stat
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tables import on_disk

from tasks.store import catalog, manifest, parts
from tasks.store.layout import Layout
from tasks.store.manifest import Manifest
from tasks.store.schemas import REJECTS, TABLES


def rejects(layout: Layout, commit: int, *rows: tuple[str, int]) -> tuple[manifest.Part, ...]:
    """A part of rejects by (source_id, line_no)."""
    columns: dict[str, list[Any]] = {"source_id": [source for source, _ in rows], "line_no": [line for _, line in rows]}
    absent = {name: None for name, _ in REJECTS.columns if name not in columns}
    part = parts.write(layout, REJECTS, parts.from_rows(REJECTS, [None] * len(rows), absent, commit, columns))
    assert part
    return (part,)


def shown(layout: Layout) -> list[tuple[Any, ...]]:
    with catalog.connect(layout) as con:
        return con.execute("select source_id, line_no from rejects order by all").fetchall()


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "data")
    layout.prepare()
    return layout


def test_lake_before_the_first_night_has_every_view_and_no_rows(layout: Layout):
    with catalog.connect(layout) as con:
        for table in TABLES:
            assert con.execute(f"select count(*) from lake.{table}").fetchone() == (0,)


def described(layout: Layout) -> dict[str, list[tuple[Any, ...]]]:
    with catalog.connect(layout) as con:
        return {
            table: con.execute(f"select column_name, column_type from (describe lake.{table})").fetchall() for table in TABLES
        }


def test_tables_have_the_same_columns_and_types_with_and_without_rows(layout: Layout):
    without = described(layout)
    on_disk(layout, {table: [{}] for table in TABLES})
    assert described(layout) == without
    assert {name: [column for column, _ in columns] for name, columns in without.items()} == {
        name: table.schema.names for name, table in TABLES.items()
    }


def test_rows_of_a_superseded_owner_vanish_and_those_of_its_new_commit_stay(layout: Layout):
    old, new = rejects(layout, 1, ("a", 1), ("a", 2), ("b", 1)), rejects(layout, 2, ("a", 9))
    manifest.commit(layout, Manifest(2, (*old, *new), {"source": (("a", 1),)}))
    assert shown(layout) == [("a", 9), ("b", 1)]


def test_owner_superseded_in_one_family_lives_on_in_another(layout: Layout):
    manifest.commit(layout, Manifest(1, rejects(layout, 1, ("a", 1)), {"session": (("a", 1),), "listing": (("a", 1),)}))
    assert shown(layout) == [("a", 1)]


def test_part_that_no_manifest_names_is_not_read(layout: Layout):
    manifest.commit(layout, Manifest(1, rejects(layout, 1, ("a", 1))))
    rejects(layout, 2, ("litter", 1))
    assert shown(layout) == [("a", 1)]


def test_reader_with_an_open_catalog_keeps_its_snapshot(layout: Layout):
    manifest.commit(layout, Manifest(1, rejects(layout, 1, ("a", 1))))
    with catalog.connect(layout) as con:
        manifest.commit(layout, Manifest(2, rejects(layout, 2, ("b", 1))))
        catalog.publish(layout, manifest.latest(layout))
        assert con.execute("select source_id from rejects").fetchall() == [("a",)]
    assert shown(layout) == [("b", 1)]


@pytest.mark.parametrize("name", ["moved", 'it\'s "here"', "über den Webstuhl", "a;b--c", "100%", "a*b", "[lake]", "{a,b}"])
def test_lake_that_was_moved_anywhere_is_read_there(layout: Layout, tmp_path: Path, name: str):
    manifest.commit(layout, Manifest(1, rejects(layout, 1, ("a", 1)), {"source": (("x", 1),)}))
    assert shown(layout) == [("a", 1)]
    shutil.move(layout.data, tmp_path / name)
    assert shown(Layout(tmp_path / name)) == [("a", 1)]


@pytest.mark.parametrize("content", [b"", b"no database", None], ids=["empty", "nonsense", "absent"])
def test_catalog_that_cannot_be_opened_is_made_again(layout: Layout, content: bytes | None):
    manifest.commit(layout, Manifest(1, rejects(layout, 1, ("a", 1))))
    catalog.publish(layout, manifest.latest(layout))
    layout.catalog.unlink()
    if content is not None:
        layout.catalog.write_bytes(content)
    assert shown(layout) == [("a", 1)]


def test_current_catalog_is_left_alone(layout: Layout):
    shown(layout)
    before = layout.catalog.stat().st_ino
    shown(layout)
    assert layout.catalog.stat().st_ino == before


def test_plain_duckdb_opens_it_from_any_folder(layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    manifest.commit(layout, Manifest(1, rejects(layout, 1, ("a", 1))))
    monkeypatch.chdir(layout.data.parent)
    catalog.publish(Layout(Path("data")), manifest.latest(layout))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with duckdb.connect(os.path.relpath(layout.catalog), read_only=True) as con:
        assert con.execute("select source_id from rejects").fetchall() == [("a",)]


def test_storage_format_is_one_that_older_releases_open(layout: Layout):
    with catalog.connect(layout) as con:
        (tags,) = con.execute("select tags['storage_version'] from duckdb_databases() where path is not null").fetchone() or (
            "",
        )
    assert tags.rstrip("+") == "v1.5.0"


def test_catalog_is_private_and_has_no_litter_beside_it(layout: Layout):
    shown(layout)
    assert stat.S_IMODE(layout.catalog.stat().st_mode) == 0o600
    assert [path.name for path in layout.lake.iterdir()] == ["midwatch.duckdb"]
