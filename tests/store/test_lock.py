"""One writer at a time; who it is can be told; a dead one holds nothing."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.domain.errors import LockHeldError
from tasks.store.lock import holder, only_writer


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "state" / "lock"


def in_another_process(work: Callable[[], object]) -> None:
    """Runs the work in a forked process that ends right after it, without letting go of anything itself."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def test_second_writer_is_refused_within_two_seconds_and_told_who_holds_the_lock(lock: Path):
    with only_writer(lock):
        started = time.monotonic()
        with pytest.raises(LockHeldError, match=f"process {os.getpid()} since .*--data"), only_writer(lock):
            pytest.fail("two writers at once")
    assert time.monotonic() - started < 2


def test_lock_is_free_again_after_the_work(lock: Path):
    for _ in range(2):
        with only_writer(lock):
            assert holder(lock)
        assert holder(lock) is None


def test_lock_is_free_again_after_work_that_failed(lock: Path):
    with pytest.raises(ZeroDivisionError), only_writer(lock):
        _ = 1 / 0
    assert holder(lock) is None


def test_lock_of_a_dead_process_is_nobodys(lock: Path):
    in_another_process(lambda: only_writer(lock).__enter__())
    assert f"{os.getpid()}" not in lock.read_text()
    assert holder(lock) is None
    with only_writer(lock):
        assert holder(lock) == f"process {os.getpid()} since {_since(lock)}"


def test_lock_that_was_never_taken_has_no_holder_and_asking_makes_no_file(lock: Path):
    assert holder(lock) is None
    assert not lock.exists()


@pytest.mark.parametrize("told", [b"", b"{", b"[]", b'{"pid": 7}', b"\xff" * 9])
def test_holder_who_wrote_nonsense_still_holds(lock: Path, told: bytes):
    with only_writer(lock):
        lock.write_bytes(told)
        assert holder(lock) == "a process that has not said who it is"


def test_longer_text_of_the_holder_before_leaves_nothing_behind(lock: Path):
    lock.parent.mkdir()
    lock.write_bytes(b"x" * 4000)
    with only_writer(lock):
        assert (holder(lock) or "").startswith(f"process {os.getpid()} since 20")


def _since(lock: Path) -> str:
    return lock.read_text().partition('"since": "')[2].rstrip('"}')
