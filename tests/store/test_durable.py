"""A file is written whole or not at all, and what fails on the way leaves what was there before."""

import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tasks.domain.errors import StorageError
from tasks.store import durable


@pytest.fixture
def fail_at() -> Iterator[Callable[[str], None]]:
    """Makes the disk fail when a step of that name is reached."""

    def set_up(wanted: str) -> None:
        def reach(name: str) -> None:
            if name == wanted:
                raise OSError(f"no space left at {name}")

        durable.on_step = reach

    before = durable.on_step
    yield set_up
    durable.on_step = before


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_file_has_the_content_and_the_mode_that_were_asked_for(tmp_path: Path, mode: int):
    path = tmp_path / "new" / "page"
    durable.write_whole(path, b"all of it", mode)
    assert path.read_bytes() == b"all of it"
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert names(path.parent) == ["page"]


def test_folder_made_on_the_way_is_private(tmp_path: Path):
    durable.write_whole(tmp_path / "private" / "page", b"")
    assert stat.S_IMODE((tmp_path / "private").stat().st_mode) == 0o700


def test_read_only_file_is_replaced_all_the_same(tmp_path: Path):
    for content in (b"first", b"second"):
        durable.write_whole(tmp_path / "part", content, mode=0o400)
    assert (tmp_path / "part").read_bytes() == b"second"


@pytest.mark.parametrize("step", ["write", "fsync", "rename"])
def test_failure_before_the_rename_leaves_the_old_file(tmp_path: Path, fail_at: Callable[[str], None], step: str):
    path = tmp_path / "page"
    durable.write_whole(path, b"old")
    fail_at(f"{step}:{tmp_path.name}")
    with pytest.raises(StorageError, match=r"no space left at .* mend the cause"):
        durable.write_whole(path, b"new and longer")
    assert path.read_bytes() == b"old"


def test_write_after_a_failed_one_succeeds_over_its_litter(tmp_path: Path, fail_at: Callable[[str], None]):
    path = tmp_path / "page"
    fail_at(f"fsync:{tmp_path.name}")
    with pytest.raises(StorageError, match=r"no space left at .* mend the cause"):
        durable.write_whole(path, b"half")
    fail_at("never")
    durable.write_whole(path, b"whole")
    assert path.read_bytes() == b"whole"
    assert names(tmp_path) == ["page"]


def test_exclusive_file_that_is_there_already_wins(tmp_path: Path):
    durable.write_exclusive(tmp_path / "manifest-1.json", b"first")
    with pytest.raises(FileExistsError):
        durable.write_exclusive(tmp_path / "manifest-1.json", b"second")
    assert (tmp_path / "manifest-1.json").read_bytes() == b"first"
    assert names(tmp_path) == ["manifest-1.json"]


def test_exclusive_file_is_not_there_when_the_link_fails(tmp_path: Path, fail_at: Callable[[str], None]):
    fail_at("link:manifest")
    with pytest.raises(StorageError, match=r"no space left at .* mend the cause"):
        durable.write_exclusive(tmp_path / "manifest-1.json", b"first")
    assert names(tmp_path) == []
