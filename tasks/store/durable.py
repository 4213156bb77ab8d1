"""Writes that survive a crash: whole or not at all, and on disk before anything names them.

`on_step` is called before and after each write, fsync, link and rename with the step's name; tests use it to end the
process or fail the call right there.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from tasks.domain.errors import StorageError

on_step: Callable[[str], None] = lambda name: None  # noqa: E731


def step(name: str) -> None:
    """Tell the watcher where we are."""
    on_step(name)


def refused(path: Path, error: OSError) -> StorageError:
    """What to say when the data folder refuses a write."""
    reason = error.strerror or str(error)
    return StorageError(
        f"{path}: {reason}. The snapshot before stands and nothing half-written counts: mend the cause and run again."
    )


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Errors of the disk in here are a StorageError that names the file. A file that is there already is no such error."""
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        raise refused(path, error) from None


def sync_folder(folder: Path) -> None:
    """Make renames and links in a folder permanent."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync(file: BinaryIO) -> None:
    """Make what was written to an open file permanent."""
    os.fsync(file.fileno())


def write_soon(path: Path, content: bytes) -> None:
    """Write beside and rename over, without waiting for the disk: for what can be made again."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with writing(path):
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as file:
            file.write(content)
        os.replace(beside, path)


def write_whole(path: Path, content: bytes | memoryview, mode: int = 0o600) -> None:
    """Write beside, fsync, rename over, fsync the folder. A reader sees the old file or the new one."""
    with writing(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside = _write_beside(path, content, mode)
        step(f"rename:{path.parent.name}")
        os.replace(beside, path)
        step(f"renamed:{path.parent.name}")
        sync_folder(path.parent)


def write_exclusive(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Like `write_whole`, but a file that is already there wins: FileExistsError."""
    with writing(path):
        beside = _write_beside(path, content, mode)
        try:
            step(f"link:{path.name.partition('-')[0]}")
            os.link(beside, path)
            step(f"linked:{path.name.partition('-')[0]}")
        finally:
            beside.unlink(missing_ok=True)
        sync_folder(path.parent)


def _write_beside(path: Path, content: bytes | memoryview, mode: int) -> Path:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    step(f"write:{path.parent.name}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with open(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        step(f"fsync:{path.parent.name}")
        os.fsync(file.fileno())
    return beside
