"""Logs that are written, moved, cut and replaced while we read and between nights: 0 lost, 0 twice, and the event is told."""

import json
import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lakes import ask, logical_rows, night
from logs import ClaudeLog

from tasks import archive as survey_of
from tasks.store import raw
from tasks.store.layout import Layout


def _story(name: str = "weave", turns: int = 4) -> ClaudeLog:
    log = ClaudeLog(name)
    for turn in range(turns):
        log.prompt(f"Row {turn}.").answer(f"Row {turn} woven.")
    return log


def _states(data: Path) -> dict[str, str]:
    return dict(ask(data, "select parse_filename(path), state from sources order by generation"))


def _books_balance(data: Path) -> bool:
    (row,) = ask(
        data,
        "select coalesce(sum(bytes), 0), coalesce(sum(bytes_in_rows + bytes_rejected + bytes_blank + bytes_pending), 0),"
        " coalesce(sum(lines), 0), coalesce(sum(lines_in_rows + lines_rejected + lines_blank + lines_pending), 0)"
        " from sources where prefix_hash is not null",
    )
    return bool(row[0] == row[1] and row[2] == row[3])


def _counts(data: Path) -> tuple[int, int]:
    """(calls, prompts)."""
    (row,) = ask(data, "select (select count(*) from requests), (select count(*) from items where kind = 'user_text')")
    return row


def _copies_are_exact(data: Path) -> bool:
    """Every copy in raw/ unpacks to as many bytes as its row says were seen."""
    found = ask(data, "select agent, source_id, generation, bytes, raw_bytes from sources where prefix_hash is not null")
    for agent, source_id, generation, length, packed in found:
        with raw.open_copy(Layout(data).raw_log(agent, source_id, generation), packed) as log:
            if len(log.read()) != length:
                return False
    return True


def test_a_log_written_while_we_read_loses_nothing(tmp_path: Path) -> None:
    """A thousand lines a second, flushed in the middle of lines."""
    archive, data = tmp_path / "archive", tmp_path / "data"
    path = _story(turns=1).write(archive)
    session = ClaudeLog("weave").session_id
    enough = threading.Event()
    written = []

    def write() -> None:
        with path.open("ab", buffering=0) as log:
            while not enough.is_set():
                n = len(written)
                line = json.dumps({"type": "unheard-of", "uuid": f"u-{n}", "sessionId": session}).encode() + b"\n"
                log.write(line[: n % len(line)])
                if n % 10 == 0:
                    time.sleep(0.01)
                log.write(line[n % len(line) :])
                written.append(n)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(3):
            night(archive, data)
            assert _books_balance(data)
    finally:
        enough.set()
        writer.join()
    night(archive, data)

    found = ask(data, "select count(*), count(distinct native_id) from lake.records where type = 'unheard-of'")
    assert found == [(len(written), len(written))]
    assert _copies_are_exact(data)


def _rename(path: Path, log: ClaudeLog) -> None:
    path.rename(path.with_suffix(".1.jsonl"))
    _story("next").write(path.parents[2])


def _copytruncate(path: Path, log: ClaudeLog) -> None:
    shutil.copy(path, path.with_suffix(".1.jsonl"))
    os.truncate(path, 0)
    with path.open("ab") as again:
        again.write(b"".join(_story("next").lines()))


def _same_inode(path: Path, log: ClaudeLog) -> None:
    path.write_bytes(b"".join(_story("next").lines()))


def _shorter(path: Path, log: ClaudeLog) -> None:
    path.write_bytes(b"".join(log.lines()[:3]))


def _longer_other(path: Path, log: ClaudeLog) -> None:
    path.write_bytes(b"".join(log.lines()[:2] + _story("next", 9).lines()))


def _earlier(path: Path, log: ClaudeLog) -> None:
    path.write_bytes(path.read_bytes() + b"".join(_story("next").lines()))
    os.utime(path, (1, 1))


def _one_byte(path: Path, log: ClaudeLog) -> None:
    path.write_bytes(b"{")


def _emptied(path: Path, log: ClaudeLog) -> None:
    path.write_bytes(b"")


def _gone(path: Path, log: ClaudeLog) -> None:
    path.unlink()


def _unreadable(path: Path, log: ClaudeLog) -> None:
    path.unlink()
    path.symlink_to("/nowhere")


CHANGES: dict[str, tuple[Callable[[Path, ClaudeLog], None], str, int]] = {
    "rotated": (_rename, "moved", 8),
    "copied and truncated": (_copytruncate, "moved", 8),
    "written over in place": (_same_inode, "rewritten", 8),
    "cut shorter": (_shorter, "truncated", 4),
    "replaced by a longer one": (_longer_other, "rewritten", 13),
    "grown with an old time": (_earlier, "appended", 8),
    "one byte": (_one_byte, "rewritten", 4),
    "emptied": (_emptied, "rewritten", 4),
    "deleted": (_gone, "gone", 4),
    "a link now": (_unreadable, "gone", 4),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_becomes_of_a_log_its_calls_stay_and_are_counted_once(change: str, tmp_path: Path) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    log = _story()
    path = log.write(archive)
    night(archive, data, final_grace_hours=0)
    act, state, calls = CHANGES[change]
    act(path, log)

    night(archive, data)
    again = night(archive, data)

    told = f"select source_id from items where session_id = 'claude-code:{log.session_id}'"
    (found,) = ask(data, f"select list(distinct state) from sources where source_id in ({told})")
    assert state in found[0] or change == "a link now"
    assert _counts(data) == (calls, calls)
    assert not again.is_committed
    assert _books_balance(data)
    assert _copies_are_exact(data)


def _hooked(monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any]) -> None:
    """Acts between the survey's look at the logs and everything after it."""
    look = survey_of._looked_at

    def looked(*arguments: Any) -> Any:
        found = list(look(*arguments))
        act()
        return found

    monkeypatch.setattr(survey_of, "_looked_at", looked)


@pytest.mark.parametrize("is_second", [False, True])
@pytest.mark.parametrize("how", ["deleted", "shorter", "rewritten", "a folder"])
def test_a_log_that_changes_between_look_and_copy_is_left_for_the_next_night(
    how: str, is_second: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    log, other = _story(), _story("other")
    path = log.write(archive, 3 if is_second else None)
    other.write(archive)
    (archive / "older.jsonl").write_bytes(b"".join(log.lines()[:2]))
    whole = path.read_bytes()
    if is_second:
        night(archive, data)
        path.write_bytes(b"".join(log.lines()))
        whole = path.read_bytes()

    def change() -> None:
        path.unlink()
        if how == "shorter":
            path.write_bytes(whole[:50])
        elif how == "rewritten":
            path.write_bytes(whole.replace(b"woven", b"knots"))
        elif how == "a folder":
            path.mkdir()

    with monkeypatch.context() as patch:
        _hooked(patch, change)
        report = night(archive, data)
    assert [problem.path for problem in report.problems] == [str(path)]
    assert report.is_partial
    if path.is_dir():
        path.rmdir()
    path.write_bytes(whole)

    night(archive, data)
    night(archive, tmp_path / "once")

    assert _counts(data) == (8, 8)
    assert not ask(data, "select path from sources where state = 'unreadable'")
    for table in ("sessions", "requests", "placements"):
        assert logical_rows(data, (table,)) == logical_rows(tmp_path / "once", (table,))
    assert ask(data, "select count(*) from lake.records") == ask(tmp_path / "once", "select count(*) from lake.records")


def test_of_two_copies_that_grow_by_turns_the_longer_one_counts(tmp_path: Path) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    lines = _story(turns=6).lines()
    one, two = archive / "one.jsonl", archive / "two.jsonl"
    archive.mkdir()
    for n, (first, second) in enumerate([(3, 2), (3, 5), (8, 5), (8, 8), (8, 12)]):
        one.write_bytes(b"".join(lines[:first]))
        two.write_bytes(b"".join(lines[:second]))
        night(archive, data)
        assert _states(data)["two.jsonl" if first >= second else "one.jsonl"] == "copy", n
        assert ask(data, "select count(*) from lake.records") == [(max(first, second),)]
    assert not night(archive, data).is_committed


def test_a_shorter_copy_beside_a_deleted_log_takes_nothing_away(tmp_path: Path) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    path = _story().write(archive)
    (archive / "short.jsonl").write_bytes(b"".join(_story().lines()[:3]))
    night(archive, data)
    path.unlink()

    night(archive, data)

    assert _counts(data) == (4, 4)
    assert _states(data) == {path.name: "gone", "short.jsonl": "copy"}
    assert not night(archive, data).is_committed
    path.write_bytes(b"".join(_story(turns=5).lines()))
    night(archive, data)
    assert _counts(data) == (5, 5)
    assert _states(data) == {path.name: "appended", "short.jsonl": "copy"}


def test_links_are_listed_and_hard_links_are_copies(tmp_path: Path) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    path = _story().write(archive)
    os.link(path, archive / "hard.jsonl")
    (archive / "soft.jsonl").symlink_to(path)
    (archive / "loop").symlink_to(archive)

    report = night(archive, data)

    assert _counts(data) == (4, 4)
    assert report.states["copy"] == 1
    assert not night(archive, data).is_committed


def test_an_archive_of_one_file_twice_given_and_nested_counts_once(tmp_path: Path) -> None:
    from tasks.domain.ports import InProcess, Silent
    from tasks.domain.settings import Settings
    from tasks.ingest import ingest

    archive, data = tmp_path / "archive", tmp_path / "data"
    path = _story().write(archive)
    given = (path, archive, archive, archive / "projects", archive / "." / "projects")

    first = ingest(Settings(archive=given, data=data, workers=1), InProcess(), Silent())
    again = ingest(Settings(archive=given[::-1], data=data, workers=1), InProcess(), Silent())

    assert (first.requests, first.states) == (4, {"new": 1})
    assert not again.is_committed


def test_another_archive_on_another_night_leaves_the_first_alone(tmp_path: Path) -> None:
    one, two, data = tmp_path / "one", tmp_path / "two", tmp_path / "data"
    first = _story("first").write(one)
    _story("second").write(two)
    shutil.copy(first, two / "copy-of-first.jsonl")
    night(one, data)
    night(two, data)

    assert _counts(data) == (8, 8)
    assert "gone" not in _states(data).values()
    assert ask(data, f"select path from sources where path like '%{first.name}'") == [(str(first),)]
    for archive in (one, two, one):
        assert not night(archive, data).is_committed
    (two / "copy-of-first.jsonl").write_bytes(b"".join(_story("first", 5).lines()))
    night(two, data)
    assert _counts(data) == (9, 9)


def test_an_unfinished_line_waits_then_is_final_then_grows(tmp_path: Path) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    whole = b"".join(_story().lines())
    path = _story().write(archive)
    path.write_bytes(whole[:-40])
    assert night(archive, data).pending_bytes > 0
    assert _counts(data) == (3, 4)

    old = time.time() - 90_000
    os.utime(path, (old, old))
    report = night(archive, data)
    assert (report.pending_bytes, report.new_rejects) == (0, 1)
    assert not night(archive, data).is_committed

    path.write_bytes(whole)
    report = night(archive, data)
    assert (report.pending_bytes, report.rejects) == (0, 0)
    assert _counts(data) == (4, 4)
    assert _copies_are_exact(data)


def test_an_unfinished_line_of_a_log_that_goes_away_is_rejected(tmp_path: Path) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    path = _story().write(archive)
    path.write_bytes(path.read_bytes()[:-40])
    _story("other").write(archive)
    night(archive, data)
    path.unlink()

    report = night(archive, data)

    assert (report.pending_bytes, report.new_rejects) == (0, 1)
    assert ask(data, "select reason from rejects") == [("torn_tail",)]
    assert _books_balance(data)
    assert not night(archive, data).is_committed


def test_an_unfinished_line_that_its_writer_takes_back_leaves_an_exact_copy(tmp_path: Path) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    lines = _story().lines()
    path = _story().write(archive)
    path.write_bytes(b"".join(lines) + b'{"type": "user", "broken')
    night(archive, data)
    for tail in (b"", b'{"type": "other', b'{"type": "another"}\n'):
        path.write_bytes(b"".join(lines) + tail)
        night(archive, data)
        (agent, source_id) = ask(data, "select agent, source_id from sources")[0]
        with raw.open_copy(Layout(data).raw_log(agent, source_id, 0)) as log:
            assert log.read() == path.read_bytes()
        assert _books_balance(data)
    assert _counts(data) == (4, 4)


def test_a_first_line_longer_than_any_record_does_not_hide_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tasks.readers import records

    monkeypatch.setattr(records, "MAX_LINE_BYTES", 1000)
    archive, data = tmp_path / "archive", tmp_path / "data"
    path = _story().write(archive)
    path.write_bytes(b'{"long": "' + b"x" * 2000 + b'"}\n' + path.read_bytes())

    report = night(archive, data)

    assert (_counts(data), report.rejects) == ((4, 4), 1)


def test_one_old_line_without_an_end_is_read_however_long(tmp_path: Path) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    log = ClaudeLog("long").prompt("Count the threads: " + "1 2 3 4 " * 50_000)
    path = log.write(archive)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    os.utime(path, (1, 1))

    assert night(archive, data).pending_bytes == 0
    assert _counts(data) == (0, 1)


@pytest.mark.parametrize("suffix", [".zst", ".gz"])
def test_a_damaged_packed_log_costs_itself_alone(suffix: str, tmp_path: Path) -> None:
    import gzip

    import zstandard

    archive, data = tmp_path / "archive", tmp_path / "data"
    path = _story().write(archive)
    plain = b"".join(_story("packed", 40).lines())
    packed = zstandard.ZstdCompressor(write_checksum=True).compress(plain) if suffix == ".zst" else gzip.compress(plain)
    for name, damaged in {"cut": packed[: len(packed) // 2], "flipped": packed[:99] + b"\0\0\0\0\0\0" + packed[105:]}.items():
        path.with_name(f"{name}.jsonl{suffix}").write_bytes(damaged)

    report = night(archive, data)

    assert report.requests >= 4
    assert {Path(problem.path).name.partition(".")[0] for problem in report.problems} >= {"flipped"}
    assert not night(archive, data).is_committed
