"""Byte-exact copies of the logs under raw/: zstd frames, one for what a night added and one for its unfinished last line."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import zstandard

from tasks.domain.errors import DamageError
from tasks.store import durable
from tasks.store.content import BLOCK, open_log, unpacked

LEVEL = 3


@dataclass(frozen=True, slots=True)
class Copied:
    """Where the copy of one log ends, in compressed bytes."""

    committed: int
    """End of the frames with complete lines: the next night cuts the file back to here."""
    total: int


def copy(source: str, target: Path, *, kept: Copied, kept_plain: int, committed: int, size: int) -> Copied:
    """Add bytes [kept_plain, size) of a log to its copy. What the copy holds beyond `kept` was never committed and goes."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    durable.step("write:raw")
    with open_log(source) as log, target.open("r+b" if kept.committed else "wb") as file:
        file.truncate(kept.committed)
        file.seek(kept.committed)
        _skip(log, kept_plain)
        _frame(log, file, committed - kept_plain)
        end = file.tell()
        _frame(log, file, size - committed)
        total = file.tell()
        file.flush()
        durable.step("fsync:raw")
        durable.sync(file)
    target.chmod(0o600)
    durable.sync_folder(target.parent)
    durable.step("copied:raw")
    return Copied(end, total)


def open_copy(path: Path) -> BinaryIO:
    """The plain bytes of a copy."""
    return unpacked(path.open("rb"))


def check_length(path: Path, found: int, expected: int) -> None:
    """A torn frame raises nothing by itself, so lengths are compared."""
    if found != expected:
        message = f"{path} holds {found} bytes of its log, {expected} were committed. Restore it from a backup."
        raise DamageError(message)


def _frame(log: BinaryIO, file: BinaryIO, length: int) -> None:
    if length <= 0:
        return
    with zstandard.ZstdCompressor(level=LEVEL).stream_writer(file, closefd=False) as frame:
        for block in _blocks(log, length):
            frame.write(block)


def _blocks(log: BinaryIO, length: int) -> Iterator[bytes]:
    while length > 0:
        block = log.read(min(BLOCK, length))
        if not block:
            message = "the log became shorter while it was copied"
            raise OSError(message)
        length -= len(block)
        yield block


def _skip(log: BinaryIO, length: int) -> None:
    if length and log.seekable():
        log.seek(length)
        return
    for _ in _blocks(log, length):
        pass
