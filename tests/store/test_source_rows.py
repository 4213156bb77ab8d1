"""The checkpoint as objects: what is read back is what was written, and times alone are no change."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import duckdb
import pytest
from tables import lake

from tasks.domain.kinds import SourceState
from tasks.store.source_rows import SourceRow, newest, read_all, says_the_same

ROW = SourceRow(
    "a", 0, "codex", "/1", "new", bytes=9, lines=1, committed_bytes=9, prefix_hash="9f", first_keys=("id", "ts"),
    mtime=datetime(2026, 3, 2),
)  # fmt: skip


def test_row_comes_back_from_the_lake_as_it_was():
    written = {name: getattr(ROW, name) for name in SourceRow.__slots__}
    with lake({"sources": [{**written, "first_keys": list(ROW.first_keys or ())}]}) as con:
        assert read_all(con) == [ROW]


def test_every_column_of_the_table_is_a_field():
    with lake({}) as con:
        assert {name for name, *_ in _described(con)} - {"commit"} == set(SourceRow.__slots__)


def _described(con: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    return con.execute("describe lake.sources").fetchall()


def test_newest_generation_of_what_was_read_counts_and_listings_do_not():
    older, listed = replace(ROW, generation=0), replace(ROW, source_id="empty-1", prefix_hash=None)
    assert newest([replace(ROW, generation=2), older, listed]) == {"a": replace(ROW, generation=2)}


@pytest.mark.parametrize("name", ["mtime", "first_seen_at", "last_changed_at"])
def test_times_of_a_night_are_no_change(name: str):
    assert says_the_same(ROW, replace(ROW, **{name: datetime(2027, 1, 1)}))


@pytest.mark.parametrize(("state", "is_same"), [("unchanged", True), ("appended", True), ("gone", False), ("rewritten", False)])
def test_states_of_a_log_that_is_there_say_the_same(state: str, is_same: bool):
    assert says_the_same(ROW, replace(ROW, state=SourceState(state))) == is_same


@pytest.mark.parametrize("change", [{"bytes": 10}, {"path": "/2"}, {"reader_version": 2}, {"bytes_pending": 1}])
def test_anything_else_is_a_change(change: dict[str, Any]):
    assert not says_the_same(ROW, replace(ROW, **change))
