"""One writer at a time. The kernel's lock decides; the text in the file only tells who holds it."""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from tasks.domain.errors import LockHeldError

PATIENCE_SECONDS = 0.5


@contextlib.contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Hold the lock file, or raise LockHeldError naming the holder. A lock of a dead process is nobody's."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _take(descriptor, path)
        os.ftruncate(descriptor, 0)
        holder = {"pid": os.getpid(), "since": datetime.now(UTC).isoformat(timespec="seconds")}
        os.pwrite(descriptor, json.dumps(holder).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def holder(path: Path) -> str | None:
    """Who holds the lock right now, in words; None when it is free."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared: two who ask do not take each other for a writer
    except BlockingIOError:
        return _told(descriptor)
    else:
        return None
    finally:
        os.close(descriptor)


def refuse_if_held(path: Path) -> None:
    """Raise what `only_writer` would, before a caller loads all that a run needs. Holds nothing afterwards."""
    told = holder(path)
    if told is not None:
        raise _refusal(path, told)


def _refusal(path: Path, told: str) -> LockHeldError:
    return LockHeldError(f"another run is writing to {path.parent.parent}: {told}. Wait for it, or use another --data.")


def _take(descriptor: int, path: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise _refusal(path, _told(descriptor)) from None
            time.sleep(0.05)


def _told(descriptor: int) -> str:
    try:
        told = json.loads(os.pread(descriptor, 4096, 0))
        return f"process {told['pid']} since {told['since']}"
    except (ValueError, KeyError, TypeError):
        return "a process that has not said who it is"
