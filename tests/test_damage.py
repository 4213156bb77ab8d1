"""Files of the lake are cut, flipped or removed: the file is named with what to do, or made again; never a wrong answer."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from lakes import ask, fingerprint, night
from logs import ClaudeLog, CodexLog

from tasks import plan, record
from tasks.domain.errors import DamageError
from tasks.store import catalog, manifest
from tasks.store.layout import Layout

Hurt = Callable[[bytes], bytes | None]
HURTS: dict[str, Hurt] = {
    "cut": lambda content: content[: len(content) // 2],
    "flipped": lambda content: _flipped(content, len(content) // 2),
    "emptied": lambda content: b"",
    "removed": lambda content: None,
}


def _flipped(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :]


def _hurt(path: Path, hurt: Hurt) -> None:
    after = hurt(path.read_bytes())
    mode = path.stat().st_mode
    path.unlink()
    if after is not None:
        path.write_bytes(after)
        path.chmod(mode)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive and its lake after two nights; tests hurt copies of it."""
    root = tmp_path_factory.mktemp("whole")
    weave = ClaudeLog("weave").prompt("Warp the loom.").answer("Warping.", "Done.")
    weave.write(root / "archive")
    CodexLog("dye").prompt("Mix the madder.").answer("Mixed.").write(root / "archive")
    night(root / "archive", root / "data")
    weave.prompt("Now the weft.").answer("Wefting.").write(root / "archive")
    night(root / "archive", root / "data")
    return root


@pytest.fixture
def place(whole: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may hurt."""
    shutil.copytree(whole, tmp_path / "place")
    return tmp_path / "place"


@pytest.mark.parametrize("hurt", ["cut", "emptied", "removed"])
@pytest.mark.parametrize("table", ["items", "seen_items", "sources"])
def test_a_part_of_another_size_is_named_by_every_reader_and_the_next_run(hurt: str, table: str, place: Path) -> None:
    layout = Layout(place / "data")
    part = manifest.path_of(layout, manifest.latest(layout).of(table)[0])
    _hurt(part, HURTS[hurt])

    for work in (lambda: catalog.connect(layout), lambda: night(place / "archive", place / "data")):
        with pytest.raises(DamageError, match=part.name) as told:
            work()
        assert "remove" in str(told.value)


@pytest.mark.parametrize("table", ["sources", "seen_items", "seen_requests"])
def test_no_flipped_bit_goes_on_into_the_next_snapshot(table: str, place: Path) -> None:
    layout = Layout(place / "data")
    ClaudeLog("new").prompt("Knot.").answer("Knotted.").write(place / "archive")
    part = manifest.path_of(layout, manifest.latest(layout).of(table)[0])
    _hurt(part, HURTS["flipped"])

    with pytest.raises(DamageError, match=part.name):
        night(place / "archive", place / "data")
    assert manifest.latest(layout).snapshot == 2


@pytest.mark.parametrize("hurt", ["cut", "emptied"])
def test_a_damaged_manifest_is_named(hurt: str, place: Path) -> None:
    layout = Layout(place / "data")
    _hurt(layout.manifest(2), HURTS[hurt])

    with pytest.raises(DamageError, match=r"manifest-2\.json is damaged\. Remove it"):
        catalog.connect(layout)


def test_no_flipped_bit_of_a_manifest_passes_unseen(place: Path) -> None:
    layout = Layout(place / "data")
    content, whole, caught = layout.manifest(2).read_bytes(), manifest.latest(layout), 0
    for at in range(0, len(content), 7):
        _hurt(layout.manifest(2), lambda _, at=at: _flipped(content, at))
        try:
            assert manifest.latest(layout) == whole
        except DamageError:
            caught += 1
    assert caught > len(content) // 7 * 0.7


def test_without_its_newest_manifest_the_lake_comes_back_with_the_next_run(place: Path, whole: Path) -> None:
    layout = Layout(place / "data")
    layout.manifest(2).unlink()
    assert ask(place / "data", "select snapshot from lake.snapshot") == [(1,)]

    night(place / "archive", place / "data")

    assert fingerprint(place / "data") == fingerprint(whole / "data")


@pytest.mark.parametrize("hurt", HURTS)
@pytest.mark.parametrize("name", ["catalog", "hints"])
def test_what_is_generated_is_made_again(name: str, hurt: str, place: Path, whole: Path) -> None:
    _hurt(getattr(Layout(place / "data"), name), HURTS[hurt])

    report = night(place / "archive", place / "data")

    assert not report.is_committed
    assert fingerprint(place / "data") == fingerprint(whole / "data")


def test_hints_that_lie_are_not_believed(place: Path) -> None:
    layout = Layout(place / "data")
    digest, content = layout.hints.read_bytes().split(b"\n", 1)
    hints = json.loads(content)
    for file in hints["files"].values():
        for sighting in file["sightings"]:
            sighting["committed"] = 1
    layout.hints.write_bytes(digest + b"\n" + json.dumps(hints).encode())

    assert not night(place / "archive", place / "data").is_committed


@pytest.mark.parametrize("hurt", HURTS)
def test_a_damaged_copy_of_a_log_that_is_still_there_is_made_again(hurt: str, place: Path, tmp_path: Path) -> None:
    for copy in Layout(place / "data").raw.rglob("*.zst"):
        _hurt(copy, HURTS[hurt])
    for log in (place / "archive").rglob("*.jsonl"):
        log.write_bytes(log.read_bytes() + b'{"type": "unheard-of"}\n')
    shutil.copytree(place / "archive", tmp_path / "archive")
    (tmp_path / "once" / "raw").mkdir(parents=True)
    shutil.copy(Layout(place / "data").key, tmp_path / "once" / "raw" / "key")
    night(tmp_path / "archive", tmp_path / "once")

    report = night(place / "archive", place / "data")

    assert not report.problems
    assert fingerprint(place / "data") == fingerprint(tmp_path / "once")


@pytest.mark.parametrize("hurt", HURTS)
def test_a_damaged_copy_of_a_log_that_is_gone_is_named_and_its_rows_stay(hurt: str, place: Path, monkeypatch) -> None:
    for module in (plan, record):
        monkeypatch.setattr(module, "REDACTION_VERSION", 10**6)
    copies = sorted(Layout(place / "data").raw.rglob("*.zst"))
    for copy in copies:
        _hurt(copy, HURTS[hurt])
    rows = ask(place / "data", "select count(*) from items")
    shutil.rmtree(place / "archive")
    (place / "archive").mkdir()

    report = night(place / "archive", place / "data")

    assert sorted(problem.reason.partition(":")[0] for problem in report.problems) == sorted(map(str, copies))
    assert ask(place / "data", "select count(*) from items") == rows


def test_a_lake_that_was_removed_is_built_again_from_raw_alone(place: Path, whole: Path) -> None:
    expected = fingerprint(whole / "data")
    layout = Layout(place / "data")
    shutil.rmtree(layout.lake)
    shutil.rmtree(place / "archive")
    (place / "archive").mkdir()

    night(place / "archive", place / "data")

    assert fingerprint(place / "data") == expected


def test_a_removed_lake_and_its_archive_end_in_the_same_lake(place: Path, whole: Path) -> None:
    shutil.rmtree(Layout(place / "data").lake)

    night(place / "archive", place / "data")

    assert fingerprint(place / "data") == fingerprint(whole / "data")


def test_another_key_is_refused_and_a_missing_one_is_made_anew(place: Path) -> None:
    layout = Layout(place / "data")
    for key in (b"", b"x" * 32, b"x" * 5):
        _hurt(layout.key, lambda _, key=key: key)
        with pytest.raises(DamageError, match="raw/key is not the key"):
            night(place / "archive", place / "data")
    layout.key.unlink()

    assert night(place / "archive", place / "data").is_committed
    assert not night(place / "archive", place / "data").is_committed


def test_a_damaged_list_of_runs_stops_nothing(place: Path) -> None:
    layout = Layout(place / "data")
    _hurt(layout.runs, HURTS["cut"])
    night(place / "archive", place / "data")
    assert len(layout.runs.read_bytes().splitlines()) == 2
