"""The manifest is the commit: whole, exclusive, and never believed when it is damaged."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tasks.domain.errors import DamageError
from tasks.store import manifest
from tasks.store.layout import Layout
from tasks.store.manifest import Manifest, Part

PART = Part("items", "part-0a.parquet", 3, 900, "0a" * 32)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path)
    layout.prepare()
    return layout


def committed(layout: Layout, *snapshots: int) -> None:
    for snapshot in snapshots:
        manifest.commit(layout, Manifest(snapshot, (PART,)))


def test_folder_without_a_lake_is_snapshot_zero_with_nothing_in_it(tmp_path: Path):
    assert manifest.latest(Layout(tmp_path / "nowhere")) == Manifest(0)


def test_what_was_committed_is_what_is_read(layout: Layout):
    told = Manifest(1, (PART,), {"source": (("a", 1), ("b", 2))}, {"timezone": "UTC", "counts": {"items": 3}})
    manifest.commit(layout, told)
    assert manifest.latest(layout) == told


def test_newest_is_the_highest_number_and_not_the_last_in_the_alphabet(layout: Layout):
    committed(layout, 9, 10, 2)
    assert manifest.snapshots(layout) == [2, 9, 10]
    assert manifest.latest(layout).snapshot == 10


@pytest.mark.parametrize("name", [".manifest-3.json.77", "manifest-3.json.tmp", "manifest-x.json", "manifest-3.json~"])
def test_litter_of_a_crash_is_no_snapshot(layout: Layout, name: str):
    committed(layout, 1)
    (layout.lake / name).write_text("{")
    assert manifest.snapshots(layout) == [1]


def test_part_lies_in_the_folder_of_its_table(layout: Layout):
    assert manifest.path_of(layout, PART) == layout.lake / "items" / "part-0a.parquet"
    assert manifest.path_of(layout, PART).is_absolute()


def test_writer_who_comes_second_with_a_number_changes_nothing(layout: Layout):
    manifest.commit(layout, Manifest(1, facts={"by": "first"}))
    with pytest.raises(FileExistsError):
        manifest.commit(layout, Manifest(1, facts={"by": "second"}))
    assert manifest.latest(layout).facts == {"by": "first"}


def test_of_many_processes_with_one_number_exactly_one_wins(layout: Layout):
    children = [_committing(layout, n) for n in range(8)]
    statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert sorted(statuses) == [0] + [1] * 7
    assert manifest.latest(layout).facts == {"by": statuses.index(0)}
    assert [path.name for path in layout.lake.iterdir()] == ["manifest-1.json"]


def _committing(layout: Layout, number: int) -> int:
    child = os.fork()
    if child == 0:
        try:
            manifest.commit(layout, Manifest(1, facts={"by": number}))
        except FileExistsError:
            os._exit(1)
        os._exit(0)
    return child


WHOLE: dict[str, Any] = {"snapshot": 1, "parts": [], "superseded": {}, "facts": {}}
DAMAGE = {
    "nothing": b"",
    "cut in the middle": json.dumps(WHOLE).encode()[:20],
    "not text": b"\xff\xfe\x00",
    "no object": b"[]",
    "a part without its rows": json.dumps({**WHOLE, "parts": [{"table": "items"}]}).encode(),
    "a part that is a name": json.dumps({**WHOLE, "parts": ["part-0a.parquet"]}).encode(),
    "pairs that are no pairs": json.dumps({**WHOLE, "superseded": {"source": ["a"]}}).encode(),
    "pairs without a family": json.dumps({**WHOLE, "superseded": [["a", 1]]}).encode(),
    "another snapshot's number": json.dumps({**WHOLE, "snapshot": 2}).encode(),
    **{f"no {name}": json.dumps({k: v for k, v in WHOLE.items() if k != name}).encode() for name in WHOLE},
}


@pytest.mark.parametrize("content", DAMAGE.values(), ids=DAMAGE)
def test_damaged_manifest_is_named_with_what_to_do(layout: Layout, content: bytes):
    layout.manifest(1).write_bytes(content)
    with pytest.raises(DamageError, match=r"manifest-1\.json is damaged\. Remove it to serve the snapshot before"):
        manifest.latest(layout)


def test_without_the_damaged_manifest_the_snapshot_before_is_served(layout: Layout):
    committed(layout, 1)
    layout.manifest(2).write_bytes(b"{")
    layout.manifest(2).unlink()
    assert manifest.latest(layout).snapshot == 1
