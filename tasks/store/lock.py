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
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return _told(descriptor)
    else:
        return None
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                message = (
                    f"another run is writing to {path.parent.parent}: {_told(descriptor)}. Wait for it, or use another --data."
                )
                raise LockHeldError(message) from None
            time.sleep(0.05)


def _told(descriptor: int) -> str:
    try:
        told = json.loads(os.pread(descriptor, 4096, 0))
        return f"process {told['pid']} since {told['since']}"
    except (ValueError, KeyError, TypeError):
        return "a process that has not said who it is"
