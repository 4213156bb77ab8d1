"""A file of the user's own is replaced: only by one program at a time, only while it is what was read, never without a backup.

Ended anywhere, it leaves the old file, or the new one and the backup. Litter beside has one name and is written over next time.
"""

import contextlib
import fcntl
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tasks.domain.errors import StorageError, UsageError
from tasks.store import durable


@dataclass(frozen=True, slots=True)
class Held:
    """A file that nobody else of us replaces meanwhile."""

    path: Path
    """Of the file itself, links followed."""
    content: bytes
    stat: os.stat_result


@contextlib.contextmanager
def held(path: Path, *, most: int) -> Iterator[Held]:
    """The file and its content. UsageError when it is no file to read, holds over `most` bytes, or is held by another."""
    real = Path(os.path.realpath(path))
    descriptor = _opened(real)
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise UsageError("it is no file")
        if about.st_size > most:
            raise UsageError(f"it has {about.st_size:,} bytes, and no document is that long")
        _lock(descriptor)
        with open(descriptor, "rb", closefd=False) as file:
            found = Held(real, file.read(), about)
        _same(found)
        yield found
    except OSError as error:
        raise UsageError(error.strerror or str(error)) from None
    finally:
        os.close(descriptor)


def backup_of(held: Held, mark: str) -> Path:
    """Where the backup of a file is; named by its content, so that an earlier backup is never written over."""
    digest = hashlib.sha256(held.content).hexdigest()[:12]
    return held.path.with_name(f"{held.path.name}.{mark}-{digest}.bak")


def replace(held: Held, content: bytes, mark: str) -> Path:
    """Write the backup, then the content in the place of the file; where the backup is. StorageError when the disk refuses."""
    backup = backup_of(held, mark)
    try:
        _back_up(held, backup)
        with _beside(held, content, "document") as beside:
            _same(held)
            durable.step("rename:document")
            os.replace(beside, held.path)
            durable.step("renamed:document")
        durable.sync_folder(held.path.parent)
    except OSError as error:
        raise StorageError(
            f"{error.strerror or error}; the document is whole all the same: mend the cause and try again"
        ) from None
    return backup


def _back_up(held: Held, backup: Path) -> None:
    if backup.exists():
        if backup.read_bytes() == held.content:
            durable.sync_folder(backup.parent)
            return
        raise UsageError(f"{backup.name} is there already and holds something else; move it away")
    with _beside(held, held.content, "backup") as beside:
        durable.step("rename:backup")
        os.replace(beside, backup)
        durable.step("renamed:backup")
    durable.sync_folder(backup.parent)


@contextlib.contextmanager
def _beside(held: Held, content: bytes, what: str) -> Iterator[Path]:
    """The content on disk beside the file, with the file's mode; away again when it is not put in a place."""
    beside = held.path.with_name(f".{held.path.name}.migrating")
    beside.unlink(missing_ok=True)
    try:
        durable.step(f"write:{what}")
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), stat.S_IMODE(held.stat.st_mode))
            durable.step(f"fsync:{what}")
            durable.sync(file)
        durable.step(f"written:{what}")
        yield beside
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(error.strerror or str(error)) from None


def _lock(descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError("another program holds it; try again when that is done") from None


def _same(held: Held) -> None:
    """The file under this name is still the one that was read."""
    now = os.stat(held.path)
    kept = held.stat
    if (now.st_ino, now.st_dev, now.st_size, now.st_mtime_ns) != (kept.st_ino, kept.st_dev, kept.st_size, kept.st_mtime_ns):
        raise UsageError("it changed while it was read; try again when its agent is done")
