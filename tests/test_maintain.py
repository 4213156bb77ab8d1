"""A lake of many nights is rewritten into few parts, and nobody can tell by its answers."""

import os
from pathlib import Path

from lakes import fingerprint, night
from logs import ClaudeLog

from tasks import maintain
from tasks.domain.ports import Silent
from tasks.domain.settings import Settings
from tasks.store import manifest
from tasks.store.layout import Layout


def _many_nights(tmp_path: Path) -> tuple[Path, Path]:
    archive, data = tmp_path / "archive", tmp_path / "data"
    log = ClaudeLog("loom")
    for n in range(5):
        log.prompt(f"Row {n}.").answer(f"Woven {n}.").write(archive)
        ClaudeLog(f"other-{n}").prompt("Spin.").answer("Spun.").write(archive)
        night(archive, data)
    return archive, data


def _maintained(data: Path) -> maintain.MaintainReport:
    return maintain.maintain(Settings(data=data), Silent())


def test_a_rewrite_leaves_one_part_a_table_and_every_row(tmp_path: Path):
    _, data = _many_nights(tmp_path)
    before = fingerprint(data)

    report = _maintained(data)

    newest = manifest.latest(Layout(data))
    assert fingerprint(data) == before
    assert newest.superseded == {}
    assert {len(newest.of(part.table)) for part in newest.parts} == {1}
    assert report.parts_after < report.parts_before


def test_nights_go_on_after_a_rewrite_as_if_there_had_been_none(tmp_path: Path):
    archive, data = _many_nights(tmp_path)
    _maintained(data)
    quiet = night(archive, data)
    ClaudeLog("late").prompt("Card.").answer("Carded.").write(archive)
    night(archive, data)
    night(archive, tmp_path / "once")

    assert not quiet.is_committed
    assert fingerprint(data) == fingerprint(tmp_path / "once")


def test_a_tidy_lake_is_not_written_again(tmp_path: Path):
    _, data = _many_nights(tmp_path)
    first, second = _maintained(data), _maintained(data)

    assert first.commit == second.commit


def test_files_of_the_last_two_snapshots_stay_and_older_ones_go_after_an_hour(tmp_path: Path):
    _, data = _many_nights(tmp_path)
    layout = Layout(data)
    orphan = layout.table("items") / "part-of-a-run-that-died.parquet"
    orphan.write_bytes(b"")
    fresh = orphan.with_name("part-just-being-written.parquet")
    fresh.write_bytes(b"")
    os.utime(orphan, (0, 0))
    _maintained(data)

    assert (orphan.exists(), fresh.exists()) == (False, True)
    assert all(path.exists() for n in manifest.snapshots(layout) for path in manifest.read(layout, n).part_paths(layout))
    assert len(manifest.snapshots(layout)) == 2
