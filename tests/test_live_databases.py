"""Databases that somebody writes while they are read: what is taken in is one moment of them, and theirs is not touched."""

import json
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import loom
import pytest
from lakes import ask, night

from tasks.readers import registry

WRITER = """
import sqlite3, sys, time
con = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
n = 5
while True:
    con.execute("begin immediate")
    for _ in range(2):
        con.execute("insert into message values (?, 'loom', ?, ?)", (f"m{n}", f"thread {n} of m", n))
        n += 1
    con.execute("commit")
    time.sleep(0.002)
"""


@pytest.fixture(autouse=True)
def _loom_is_an_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "READERS", (*registry.READERS, loom.Loom()))


def journaled(path: Path, mode: str, count: int) -> sqlite3.Connection:
    loom.database(path, loom.messages(count))
    con = sqlite3.connect(path, isolation_level=None)
    con.execute(f"pragma journal_mode = {mode}")
    con.execute("pragma cache_size = 2")
    return con


def stamps(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in (folder, *folder.iterdir())}


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_database_that_is_written_all_the_time_gives_whole_transactions_from_the_first_on(mode: str, tmp_path: Path) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    journaled(archive / "loom.db", mode, 4).close()
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(archive / "loom.db")])
    counts = [0]
    try:
        for _ in range(3):
            time.sleep(0.5)
            night(archive, data)
            counts += [count for (count,) in ask(data, "select count(*) from items")]
            told = {text for (text,) in ask(data, "select text from items")}
            assert told == {f"thread {n} of m" for n in range(1, counts[-1] + 1)}
            assert counts[-1] % 2 == 0
    finally:
        writer.kill()
        writer.wait()
    assert counts == sorted(counts)
    if mode == "wal":
        assert counts[1] > 0
    night(archive, data)
    assert ask(data, "select count(*) from items") == loom.rows(archive / "loom.db", "select count(*) from message")


def test_what_a_hot_journal_takes_back_was_never_said(tmp_path: Path) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    con = journaled(tmp_path / "made" / "loom.db", "delete", 400)
    con.execute("begin immediate")
    con.execute("update message set says = 'HALF ' || says")
    shutil.copytree(tmp_path / "made", archive)
    con.close()
    assert "loom.db-journal" in {path.name for path in archive.iterdir()}
    before = stamps(archive)
    assert not night(archive, data).is_partial
    assert stamps(archive) == before
    assert {text for (text,) in ask(data, "select text from items")} == {str(one["says"]) for one in loom.messages(400)}
    assert ask(data, "select distinct form from sources") == [("database",)]


def test_what_is_not_committed_is_not_said_and_a_locked_database_is_read(tmp_path: Path) -> None:
    for mode, begin in (("wal", "begin immediate"), ("delete", "begin exclusive")):
        archive, data = tmp_path / mode, tmp_path / f"{mode}-data"
        con = journaled(archive / "loom.db", mode, 4)
        con.execute(begin)
        con.executemany("insert into message values (:id, :who, :says, :tokens)", loom.messages(500, "u"))
        before = stamps(archive)
        assert not night(archive, data).is_partial
        assert stamps(archive) == before
        assert ask(data, "select count(*) from items") == [(4,)]
        con.close()


def test_a_file_that_is_no_database_is_told_alone_whatever_lies_beside_it(tmp_path: Path) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    loom.document(archive / "session.json", loom.messages(4))
    for name, content in (("session.json-wal", b""), ("sealed.db", b"\x07\n" * 500), ("sealed.db-wal", b"\x08\n" * 500)):
        (archive / name).write_bytes(content)
    assert not night(archive, data).is_partial
    states = dict(ask(data, "select parse_filename(path), state from sources"))
    assert states == {
        "session.json": "new", "session.json-wal": "empty", "sealed.db": "unclaimed", "sealed.db-wal": "unclaimed",
    }  # fmt: skip


def test_a_table_that_sqlite_cannot_read_hides_no_other(tmp_path: Path) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    con = journaled(archive / "loom.db", "delete", 4)
    con.execute("pragma writable_schema = on")
    con.execute("insert into sqlite_master values ('table', 'vec', 'vec', 0, 'create virtual table vec using absent(a)')")
    con.close()
    assert not night(archive, data).is_partial
    assert ask(data, "select count(*) from items") == [(4,)]


def test_a_new_version_that_fails_takes_nothing_away_from_the_one_before(tmp_path: Path, monkeypatch) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    loom.document(archive / "session.json", loom.messages(4))
    night(archive, data)
    loom.document(archive / "session.json", loom.messages(6))
    read = loom.Loom.read

    def fails(self, records, hint):
        reading = read(self, records, hint)
        if len(reading.items) > 4:
            raise KeyError
        return reading

    monkeypatch.setattr(loom.Loom, "read", fails)
    assert night(archive, data).is_partial
    assert ask(data, "select count(*) from items") == [(4,)]
    assert ask(data, "select generation, state from sources where prefix_hash is not null") == [(0, "new")]
    monkeypatch.undo()
    monkeypatch.setattr(registry, "READERS", (*registry.READERS, loom.Loom()))
    assert not night(archive, data).is_partial
    assert ask(data, "select count(*) from items") == [(6,)]


def test_rows_that_no_table_takes_cost_their_log_alone(tmp_path: Path) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    loom.document(archive / "good.json", loom.messages(2))
    (archive / "odd.json").write_text(json.dumps({"loom": "odd", "messages": [{"id": "o", "who": "loom", "says": None}]}))
    report = night(archive, data)
    assert [problem.path.rsplit("/", 1)[1] for problem in report.problems] == ["odd.json"]
    assert ask(data, "select count(*) from items") == [(2,)]


def test_a_document_that_is_written_again_between_look_and_copy_is_read_as_it_is_now(tmp_path: Path, monkeypatch) -> None:
    from tasks import ingest

    archive, data = tmp_path / "archive", tmp_path / "data"
    path = loom.document(archive / "session.json", loom.messages(4))
    read = ingest._read

    def later(told, name="one"):
        def reads(*given):
            loom.document(path, loom.messages(told), name=name)
            return read(*given)

        monkeypatch.setattr(ingest, "_read", reads)

    later(6)
    assert not night(archive, data).is_partial
    assert ask(data, "select count(*) from items") == [(6,)]
    later(8, "two")
    loom.document(path, loom.messages(10))
    report = night(archive, data)
    assert "another log came to its place" in report.problems[0].reason
    assert ask(data, "select count(*) from items") == [(6,)]
    monkeypatch.setattr(ingest, "_read", read)
    night(archive, data)
    assert sorted(ask(data, "select session_id, count(*) from items group by all")) == [("loom:one", 6), ("loom:two", 8)]
    assert not night(archive, data).is_committed
