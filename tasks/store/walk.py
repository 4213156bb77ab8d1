"""Walks an archive: every regular file once, everything else listed with the reason why it is not opened."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tasks.domain.errors import UsageError
from tasks.domain.kinds import Form
from tasks.store.places import Place


@dataclass(frozen=True, slots=True)
class Found:
    """A log, one file or several, and the stamps that tell whether it may have changed."""

    path: str
    """Text that any table takes: bytes of the name that are not UTF-8 are shown as `\\xff`."""
    place: Place
    mtime_ns: int
    stamp: list[int]
    """Size, mtime, ctime and inode of each file. The ctime cannot be set by hand: it betrays a file whose size and mtime
    were put back."""
    form: Form | None = None
    """Where the walk can tell: several files are a folder, or a database with its write-ahead log."""
    parts: tuple["Found", ...] = ()
    """The several files, each as if it stood alone."""
    is_done: bool = False
    """Nobody goes on writing it: a member of an archive."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Something in the archive that is not opened."""

    path: str
    reason: str


def walk(root: Path) -> Iterator[Found | Refused]:
    """Files in the order of their paths. Links are never followed: inside the root they repeat, outside they do not belong."""
    try:
        status = root.stat()
    except OSError as error:
        message = f"--archive {root}: {error.strerror}. Name an existing file or folder."
        raise UsageError(message) from None
    top = os.path.realpath(root)
    if stat.S_ISDIR(status.st_mode):
        yield from _folder(top, top)
    else:
        yield _file(top, status)


def _folder(folder: str, top: str) -> Iterator[Found | Refused]:
    pending = [folder]
    while pending:
        current = pending.pop()
        try:
            with os.scandir(current) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            yield Refused(shown(current), f"folder cannot be read: {error.strerror}")
            continue
        folders = []
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            else:
                yield _entry(entry, top)
        pending.extend(reversed(folders))


def _entry(entry: os.DirEntry[str], top: str) -> Found | Refused:
    if entry.is_symlink():
        return Refused(shown(entry.path), _link_reason(entry.path, top))
    try:
        return _file(entry.path, entry.stat(follow_symlinks=False))
    except OSError as error:
        return Refused(shown(entry.path), f"cannot be read: {error.strerror}")


def _file(path: str, status: os.stat_result) -> Found | Refused:
    if not stat.S_ISREG(status.st_mode):
        return Refused(shown(path), "not a regular file")
    if not os.access(path, os.R_OK):
        return Refused(shown(path), "cannot be read: Permission denied")
    stamp = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
    return Found(shown(path), Place(path), status.st_mtime_ns, stamp)


def _link_reason(path: str, top: str) -> str:
    try:
        target = os.path.realpath(path, strict=True)
    except OSError as error:
        return f"link that leads nowhere: {error.strerror}"
    inside = target == top or target.startswith(top + os.sep)
    return "link to a place that is walked anyway, not followed" if inside else "link out of the archive, not followed"


def shown(path: str) -> str:
    """A path as text, different paths as different texts."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
