"""The disk or the memory fails at any step: nothing is lost or half there, the message is for a person, and a rerun heals."""

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lakes import fingerprint, night
from logs import ClaudeLog, CodexLog

from tasks.domain.errors import MidwatchError
from tasks.store import durable, manifest
from tasks.store.layout import Layout

KEY = b"k" * 32
FAULTS = {
    "disk full": lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    "bad disk": lambda: OSError(errno.EIO, os.strerror(errno.EIO)),
    "no handles": lambda: OSError(errno.EMFILE, os.strerror(errno.EMFILE)),
    "no memory": MemoryError,
}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Two agents, and a log that cannot be read."""
    root = tmp_path / "archive"
    ClaudeLog("weave").prompt("Warp the loom.").answer("Warping.", "Done.").write(root)
    CodexLog("dye").prompt("Mix the madder.").answer("Mixed.").write(root)
    return root


@pytest.fixture
def failing() -> Iterator[Callable[[int, Callable[[], BaseException]], list[str]]]:
    """Sets the step that fails; returns the list of steps that were reached."""

    def at(step: int, fault: Callable[[], BaseException]) -> list[str]:
        reached: list[str] = []

        def watch(name: str) -> None:
            reached.append(name)
            if len(reached) == step:
                raise fault()

        durable.on_step = watch
        return reached

    yield at
    durable.on_step = lambda name: None


@pytest.mark.parametrize("kind", ["disk full", "no memory"])
def test_a_fault_at_some_steps_is_told_and_healed(kind: str, archive: Path, tmp_path: Path, failing) -> None:
    _every_step(9, kind, archive, tmp_path, failing)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_at_every_step_is_told_and_healed(kind: str, archive: Path, tmp_path: Path, failing) -> None:
    _every_step(1, kind, archive, tmp_path, failing)


def _every_step(stride: int, kind: str, archive: Path, tmp_path: Path, failing) -> None:
    expected = _with_key(tmp_path / "whole")
    night(archive, expected)
    data = _with_key(tmp_path / "data")
    step = 1
    while True:
        reached = failing(step, FAULTS[kind])
        before = manifest.latest(Layout(data)).snapshot
        try:
            report = night(archive, data)
        except MidwatchError as error:
            assert str(tmp_path) in str(error) or "memory" in str(error)
            assert manifest.latest(Layout(data)).snapshot in (before, before + 1)
        else:
            if len(reached) < step:
                break
            assert kind == "no memory"
            assert report.is_partial
        assert _is_free(Layout(data).lock)
        failing(10**9, FAULTS[kind])
        _begin_again(Layout(data))
        step += stride

    assert step > 10
    assert fingerprint(data) == fingerprint(expected)


def _with_key(data: Path) -> Path:
    Layout(data).prepare()
    Layout(data).key.write_bytes(KEY)
    return data


def _begin_again(layout: Layout) -> None:
    """Take a commit back, and keep all the litter."""
    for snapshot in manifest.snapshots(layout):
        layout.manifest(snapshot).unlink()
    for note in layout.raw.rglob("*.json"):
        note.unlink()
    layout.hints.unlink(missing_ok=True)


def _is_free(lock: Path) -> bool:
    with lock.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return True
