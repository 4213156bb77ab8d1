"""Byte-exact copies of the logs under raw/: zstd frames, one for what each night added.

A copy only grows. What an older snapshot committed of it is never cut or written over, so a run that ends anywhere leaves that
readable; what lies beyond is litter of such a run, and the next one cuts it off.
"""

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import zstandard

from tasks.domain.errors import DamageError
from tasks.store import durable
from tasks.store.content import BLOCK, LogError, unpacked
from tasks.store.places import Place

LEVEL = 3


def copy(source: Place, target: Path, *, kept: int, kept_plain: int, size: int | None) -> int:
    """Bring a copy to the first `size` bytes of its log, or to all there are; its length in packed bytes.

    `kept` packed bytes that hold the log's first `kept_plain` stay; with 0 the copy is written anew, beside, and put in the
    place of what was there. LogError when the log fails, DamageError when the copy is shorter than `kept`.
    """
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = target if kept else target.with_name(f".{target.name}.{os.getpid()}")
    try:
        durable.step("write:raw")
        if kept and (not target.exists() or target.stat().st_size < kept):
            raise damaged(target, f"shorter than the {kept} bytes that were committed")
        with source.open() as log, open(beside, "r+b" if kept else "wb") as file:
            file.truncate(kept)
            file.seek(kept)
            _skip(log, kept_plain)
            _frame(log, file, None if size is None else size - kept_plain)
            total = file.tell()
            file.flush()
            durable.step("fsync:raw")
            durable.sync(file)
        beside.chmod(0o600)
        beside.replace(target)
        durable.sync_folder(target.parent)
        durable.step("copied:raw")
    except LogError:
        raise
    except OSError as error:
        raise durable.refused(target, error) from None
    return total


def open_copy(path: Path, length: int | None = None) -> BinaryIO:
    """The plain bytes of a copy, or of its first `length` packed bytes. DamageError when it is not there or not whole."""
    try:
        return cast(BinaryIO, io.BufferedReader(_Plain(path, length), BLOCK))
    except OSError as error:
        raise damaged(path, error.strerror or str(error)) from None


def damaged(path: Path, what: str) -> DamageError:
    """What to say of a copy that is not what was committed."""
    return DamageError(f"{path}: {what}. Restore it from a backup; rows that were read from it stay as they are")


class _Packed:
    """At most so many bytes of a file."""

    def __init__(self, file: BinaryIO, length: int | None) -> None:
        self._file, self._left = file, length

    def read(self, size: int) -> bytes:
        data = self._file.read(size if self._left is None else min(size, self._left))
        if self._left is not None:
            self._left -= len(data)
        return data


class _Plain(io.RawIOBase):
    """A copy unpacked across its frames, whose damage is told by the file's name."""

    def __init__(self, path: Path, length: int | None) -> None:
        self._path = path
        self._file = path.open("rb")
        self._inner = unpacked(cast(BinaryIO, _Packed(self._file, length)), closefd=False)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            data = self._inner.read(len(buffer))
        except (OSError, zstandard.ZstdError) as error:
            raise damaged(self._path, f"cannot be read ({error})") from None
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def _frame(log: BinaryIO, file: BinaryIO, length: int | None) -> None:
    if length is not None and length <= 0:
        return
    with zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).stream_writer(file, closefd=False) as frame:
        for block in _blocks(log, length):
            frame.write(block)


def _blocks(log: BinaryIO, length: int | None) -> Iterator[bytes]:
    while length is None or length > 0:
        try:
            block = log.read(BLOCK if length is None else min(BLOCK, length))
        except OSError as error:
            raise LogError(error.errno, error.strerror or str(error)) from None
        if not block and length is None:
            return
        if not block:
            message = "the log became shorter while it was copied"
            raise LogError(message)
        length = None if length is None else length - len(block)
        yield block


def _skip(log: BinaryIO, length: int) -> None:
    if length and log.seekable():
        log.seek(length)
        return
    for _ in _blocks(log, length):
        pass
