"""A session document is replaced whole, with its backup beside it, or stays as it was: wherever that ends or fails."""

import fcntl
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from kills import killed_at

from tasks.migrate import Outcome, migrate_files
from tasks.store import durable

FROZEN = Path(__file__).parent / "migrations" / "versions"
OLDER = (1, 2, 3, 4)
CURRENT = json.loads((FROZEN / "v5.json").read_text("utf-8"))


@pytest.fixture
def reach() -> Iterator[Callable[[Callable[[str], None]], None]]:
    """Sets who is told of every step."""

    def set_up(watch: Callable[[str], None]) -> None:
        durable.on_step = watch

    yield set_up
    durable.on_step = lambda name: None


def document(folder: Path, version: int = 3) -> Path:
    """A frozen document in a folder of the test's own."""
    folder.mkdir(exist_ok=True)
    return Path(shutil.copy(FROZEN / f"v{version}.json", folder / "session.json"))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def backups(path: Path) -> list[bytes]:
    return [one.read_bytes() for one in path.parent.glob(f"{path.name}.*.bak")]


def content(path: Path) -> dict:
    return json.loads(path.read_text("utf-8"))


@pytest.mark.parametrize("version", OLDER)
def test_a_document_gets_todays_version_and_a_backup_of_the_very_bytes(tmp_path: Path, version: int):
    path = document(tmp_path, version)
    before = path.read_bytes()
    (done,) = migrate_files([path], dry_run=False).files
    assert (done.outcome, done.version, len(done.steps)) == (Outcome.MIGRATED, version, 5 - version)
    assert content(path) == CURRENT
    assert path.read_bytes() == (FROZEN / "v5.json").read_bytes()
    assert Path(done.backup or "").read_bytes() == before
    assert backups(path) == [before]


def test_a_current_document_is_not_touched(tmp_path: Path):
    path = document(tmp_path, 5)
    odd = path.read_bytes().replace(b",\n", b" ,\n")
    path.write_bytes(odd)
    before = path.stat()
    (done,) = migrate_files([path], dry_run=False).files
    assert (done.outcome, done.backup) == (Outcome.CURRENT, None)
    assert (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) == (odd, before.st_mtime_ns, before.st_ino)
    assert names(tmp_path) == ["session.json"]


def test_a_second_migration_changes_nothing(tmp_path: Path):
    path = document(tmp_path)
    migrate_files([path], dry_run=False)
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
    assert migrate_files([path], dry_run=False).files[0].outcome is Outcome.CURRENT
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == before


def test_a_dry_run_shows_before_and_after_and_writes_nothing(tmp_path: Path):
    path = document(tmp_path)
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    (done,) = migrate_files([path], dry_run=True).files
    assert done.outcome is Outcome.WOULD_MIGRATE
    assert '"schema_version": 3' in done.before[0]
    assert '"schema_version": 5' in done.after[0]
    assert '"arguments": "{' in done.before[2]
    assert '"args": {' in done.after[2]
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert names(tmp_path) == ["session.json"]


def test_the_dry_run_names_the_backup_that_is_then_made(tmp_path: Path):
    path = document(tmp_path)
    (would,) = migrate_files([path], dry_run=True).files
    (done,) = migrate_files([path], dry_run=False).files
    assert would.backup == done.backup


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_file_and_backup_keep_the_mode_of_the_file(tmp_path: Path, mode: int):
    path = document(tmp_path)
    path.chmod(mode)
    (done,) = migrate_files([path], dry_run=False).files
    assert [stat.S_IMODE(Path(one).stat().st_mode) for one in (path, done.backup or "")] == [mode, mode]


def test_a_link_stays_a_link_to_the_migrated_file(tmp_path: Path):
    path = document(tmp_path / "real")
    link = tmp_path / "link.json"
    link.symlink_to(path)
    assert migrate_files([link], dry_run=False).exit_code == 0
    assert link.is_symlink()
    assert content(link) == content(path) == CURRENT
    assert len(backups(path)) == 1


BAD = {
    "unknown.json": (b'{"schema_version": 6, "messages": []}', "unknown schema version: 6"),
    "text.json": (b'{"schema_version": "5", "messages": []}', 'unknown schema version: "5"'),
    "float.json": (b'{"schema_version": 5.0, "messages": []}', "unknown schema version: 5.0"),
    "none.json": (b'{"messages": []}', "unknown schema version: none is given"),
    "torn.json": (b'{"schema_version": 1, "mess', "it is not JSON"),
    "list.json": (b"[]", "it is JSON, but no object"),
    "other.json": (b'{"schema_version": 1, "name": "loom"}', "it has no list of messages"),
    "twice.json": (b'{"schema_version": 1, "messages": [], "a": 1, "a": 2}', "the key 'a' is there twice"),
    "deep.json": (b'{"schema_version": 1,\n"messages": [' + b"[" * 5_000 + b"]" * 5_000 + b"]}", "nested too deep"),
    "empty.json": (b"", "it is not JSON"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_known_document_is_told_and_not_touched(tmp_path: Path, name: str):
    raw, reason = BAD[name]
    path = tmp_path / name
    path.write_bytes(raw)
    report = migrate_files([path], dry_run=False)
    assert report.exit_code == 2
    assert reason in (report.files[0].reason or "")
    assert path.read_bytes() == raw
    assert names(tmp_path) == [name]


@pytest.mark.parametrize("kind", ["absent", "folder", "pipe", "long"])
def test_what_cannot_be_read_is_told_at_once(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / kind
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "long":
        path.write_bytes(b"{" + b" " * 100)
        monkeypatch.setattr("tasks.migrate.MOST_BYTES", 50)
    report = migrate_files([path], dry_run=False)
    assert report.exit_code == 2
    assert report.files[0].reason


def test_one_bad_document_does_not_stop_the_others(tmp_path: Path):
    bad = tmp_path / "bad.json"
    bad.write_bytes(b"{}")
    good = [document(tmp_path / name, version) for name, version in (("a", 1), ("b", 5), ("c", 4))]
    report = migrate_files([good[0], bad, *good[1:]], dry_run=False)
    assert [one.outcome.value for one in report.files] == ["migrated", "failed", "current", "migrated"]
    assert report.exit_code == 3
    assert [content(path) for path in good] == [CURRENT] * 3


def test_a_document_that_another_program_holds_is_left_alone(tmp_path: Path):
    path = document(tmp_path)
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        report = migrate_files([path], dry_run=False)
    assert "another program holds it" in (report.files[0].reason or "")
    assert content(path)["schema_version"] == 3


def test_a_document_that_its_agent_writes_meanwhile_is_left_to_it(tmp_path: Path, reach):
    path = document(tmp_path)

    def write(name: str) -> None:
        if name == "written:document":
            path.write_bytes(b'{"schema_version": 3, "messages": [], "new": true}')

    reach(write)
    report = migrate_files([path], dry_run=False)
    assert "it changed while it was read" in (report.files[0].reason or "")
    assert content(path)["new"] is True


def test_a_backup_is_never_written_over(tmp_path: Path):
    path = document(tmp_path)
    (would,) = migrate_files([path], dry_run=True).files
    Path(would.backup or "").write_bytes(b"something else")
    report = migrate_files([path], dry_run=False)
    assert "holds something else" in (report.files[0].reason or "")
    assert content(path)["schema_version"] == 3
    assert Path(would.backup or "").read_bytes() == b"something else"


def test_the_backup_is_on_disk_before_the_document_is_written(tmp_path: Path, reach):
    steps: list[str] = []
    reach(steps.append)
    migrate_files([document(tmp_path)], dry_run=False)
    what = ("write", "fsync", "written", "rename", "renamed")
    assert steps == [f"{step}:{file}" for file in ("backup", "document") for step in what]


def test_ended_at_every_step_it_is_the_old_document_or_the_new_one_and_its_backup(tmp_path: Path):
    old = (FROZEN / "v1.json").read_bytes()
    new = (FROZEN / "v5.json").read_bytes()
    at, seen = 1, set()
    path = document(tmp_path, 1)
    while killed_at(at, partial(_migrate, path)):
        found = path.read_bytes()
        assert found in (old, new)
        assert found == old or backups(path) == [old]
        assert set(backups(path)) <= {old}
        seen.add(found)
        assert migrate_files([path], dry_run=False).exit_code == 0
        assert (path.read_bytes(), backups(path)) == (new, [old])
        assert sorted(one.suffix for one in tmp_path.iterdir()) == [".bak", ".json"]
        shutil.rmtree(tmp_path)
        path = document(tmp_path, 1)
        at += 1
    assert at == 11
    assert seen == {old, new}


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), MemoryError()], ids=["disk full", "no memory"])
def test_failing_at_every_step_leaves_the_old_document_and_no_litter(tmp_path: Path, reach, fault: BaseException):
    for at in range(1, 11):
        path = document(tmp_path / str(at))
        before, count = path.read_bytes(), 0

        def fail(name: str, at: int = at) -> None:
            nonlocal count
            count += 1
            if count == at:
                raise fault

        reach(fail)
        report = migrate_files([path], dry_run=False)
        reach(lambda name: None)
        assert report.exit_code == 1
        assert path.read_bytes() == before or (at == 10 and content(path) == CURRENT)
        assert not list(path.parent.glob(".*"))
        assert migrate_files([path], dry_run=False).exit_code == 0
        assert content(path) == CURRENT


def _migrate(path: Path) -> None:
    """A migration that nobody ends succeeds."""
    assert migrate_files([path], dry_run=False).exit_code == 0
