"""Parts: the same rows are the same file, typed as the schema says, whatever the rows are."""

import hashlib
import stat
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.store import parts
from tasks.store.layout import Layout
from tasks.store.manifest import Part, path_of
from tasks.store.schemas import COMPACTIONS, ITEMS, REJECTS, TABLES, Table


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path)
    layout.prepare()
    return layout


def rows_of(table: Table, *rows: dict[str, Any]) -> pa.Table:
    """Rows with the columns given; all others are null."""
    return pa.Table.from_pylist([dict.fromkeys(table.schema.names) | row for row in rows], schema=table.schema)


def written(layout: Layout, table: Table, rows: pa.Table) -> tuple[Part, Path]:
    part = parts.write(layout, table, rows)
    assert part is not None
    return part, path_of(layout, part)


def test_equal_rows_are_equal_bytes_under_one_name(tmp_path: Path):
    made = []
    for folder in ("one", "other"):
        part, path = written(Layout(tmp_path / folder), REJECTS, rows_of(REJECTS, {"reason": "torn_tail", "line_no": 3}))
        made.append((part, path.read_bytes()))
    assert made[0] == made[1]


def test_other_rows_have_another_name(layout: Layout):
    first, _ = written(layout, REJECTS, rows_of(REJECTS, {"line_no": 3}))
    second, _ = written(layout, REJECTS, rows_of(REJECTS, {"line_no": 4}))
    assert first.file != second.file


def test_part_tells_its_rows_bytes_and_hash(layout: Layout):
    part, path = written(layout, REJECTS, rows_of(REJECTS, {"line_no": 3}, {"line_no": 4}))
    content = path.read_bytes()
    assert (part.table, part.rows, part.bytes) == ("rejects", 2, len(content))
    assert part.sha256 == hashlib.sha256(content).hexdigest()
    assert part.file == f"part-{part.sha256[:32]}.parquet"


def test_nobody_can_write_to_a_part(layout: Layout):
    _, path = written(layout, REJECTS, rows_of(REJECTS, {"line_no": 3}))
    assert stat.S_IMODE(path.stat().st_mode) == 0o400


def test_no_rows_make_no_part(layout: Layout):
    assert parts.write(layout, REJECTS, rows_of(REJECTS)) is None
    assert parts.write_all(layout, [(REJECTS, rows_of(REJECTS)), (ITEMS, rows_of(ITEMS))]) == []
    assert not layout.table("rejects").exists()


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_columns_without_any_value_keep_their_types(layout: Layout, table: Table):
    _, path = written(layout, table, rows_of(table, {}))
    schema = pq.read_schema(path)
    assert schema.names == table.schema.names
    assert schema.types == table.schema.types


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_file_says_which_table_and_schema_it_is_of(layout: Layout, table: Table):
    _, path = written(layout, table, rows_of(table, {}))
    metadata = pq.read_schema(path).metadata
    assert (metadata[b"table"], metadata[b"schema_version"]) == (table.name.encode(), str(table.version).encode())


def test_long_texts_are_cut_into_row_groups_by_their_bytes(layout: Layout):
    text = "warp and weft " * 80_000
    _, path = written(layout, ITEMS, rows_of(ITEMS, *({"seq": n, "text": text} for n in range(100))))
    groups = pq.ParquetFile(path).metadata.num_row_groups
    assert 100 * len(text) / parts.ROW_GROUP_BYTES <= groups <= 5


def test_short_rows_stand_in_one_row_group(layout: Layout):
    _, path = written(layout, REJECTS, rows_of(REJECTS, *({"line_no": n} for n in range(3_000))))
    assert pq.ParquetFile(path).metadata.num_row_groups == 1


def test_row_larger_than_a_group_has_a_group_of_its_own(layout: Layout):
    rows = rows_of(ITEMS, *({"seq": n, "text": "x" * (parts.ROW_GROUP_BYTES + 1)} for n in range(2)))
    _, path = written(layout, ITEMS, rows)
    assert pq.ParquetFile(path).metadata.num_row_groups == 2


def test_values_come_from_columns_then_constants_then_the_objects_themselves():
    seen = [SimpleNamespace(line_no=n, byte_offset=0, byte_length=9, reason="mine", sha256="s") for n in (1, 2)]
    rows = parts.from_rows(REJECTS, seen, {"source_id": "a", "generation": 2}, 7, {"reason": ["given", None]})
    assert rows.to_pylist() == [
        {"source_id": "a", "generation": 2, "line_no": n, "byte_offset": 0, "byte_length": 9, "reason": reason,
         "sha256": "s", "commit": 7}
        for n, reason in ((1, "given"), (2, None))
    ]  # fmt: skip


def test_value_of_another_type_than_the_schemas_is_an_error_and_not_another_column():
    seen = [SimpleNamespace(**dict.fromkeys(COMPACTIONS.schema.names))]
    with pytest.raises(pa.ArrowException):
        parts.from_rows(COMPACTIONS, seen, {"at": "yesterday"}, 1)
    assert parts.from_rows(COMPACTIONS, seen, {"at": datetime(2026, 3, 2)}, 1).schema.field("at").type == pa.timestamp("us")


@pytest.mark.parametrize("text", ["", "wool", "é", "\ud800 torn"])
def test_every_text_has_a_hash(text: str):
    assert parts.text_hash(text) == hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
