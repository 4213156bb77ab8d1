"""Opens a file as its plain bytes, whatever it is packed in, and never waits on a pipe or follows a link."""

import errno
import gzip
import hashlib
import io
import os
import stat
import zlib
from collections.abc import Iterable
from typing import BinaryIO, cast

import zstandard

from tasks.domain.errors import StorageError

BLOCK = 1 << 20
MAX_BYTES = 8 << 30
MAX_RATIO = 100
RATIO_FREE_BYTES = 64 << 20
"""Up to here any ratio is fine: small logs of repeated lines compress very well."""
_ZSTD, _GZIP = b"\x28\xb5\x2f\xfd", b"\x1f\x8b"


class LogError(OSError):
    """A log of the archive that cannot be read, or changes while it is."""


class ChangedError(LogError):
    """What was copied of a log is not what it was when it was looked at."""


class BombError(LogError):
    """A compressed file that grows beyond all measure."""


class _Bounded(io.RawIOBase):
    """A decompressed stream that stops a bomb, and whose damage is an OSError."""

    def __init__(self, inner: BinaryIO, packed_bytes: int) -> None:
        self._inner = inner
        self._limit = min(MAX_BYTES, max(RATIO_FREE_BYTES, packed_bytes * MAX_RATIO))
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            data = self._inner.read(len(buffer))
        except (zstandard.ZstdError, zlib.error, EOFError, gzip.BadGzipFile) as error:
            message = f"damaged compressed file: {error}"
            raise LogError(message) from None
        self._given += len(data)
        if self._given > self._limit:
            message = f"decompresses to more than {self._limit} bytes"
            raise BombError(message)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._inner.close()
        super().close()


def open_file(path: str) -> BinaryIO:
    """The bytes of a regular file as they are. LogError when it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            message = f"{error.strerror}: raise the limit (`ulimit -n`) or use fewer --workers. Nothing half-done was kept"
            raise StorageError(message) from None
        raise LogError(error.errno, error.strerror) from None
    file = open(descriptor, "rb")  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        message = "not a regular file"
        raise LogError(message)
    return file


def plain(file: BinaryIO, size: int) -> BinaryIO:
    """What a file of so many bytes holds; zstd and gzip are told by their first bytes."""
    magic = file.read(4)
    file.seek(0)
    if magic == _ZSTD:
        return _bounded(unpacked(file), size)
    if magic[:2] == _GZIP:
        return _bounded(cast(BinaryIO, gzip.GzipFile(fileobj=file)), size)
    return file


def unpacked(file: BinaryIO, *, closefd: bool = True) -> BinaryIO:
    """A zstd file as one stream, across its frames."""
    reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True, closefd=closefd)
    return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, reader), BLOCK))


def digests(stream: BinaryIO, offsets: Iterable[int]) -> dict[int, str]:
    """sha256 of the first n bytes for each offset; offsets beyond the end are absent."""
    wanted = sorted(set(offsets))
    running, position = hashlib.sha256(), 0
    found: dict[int, str] = {}
    for offset in wanted:
        while position < offset:
            block = stream.read(min(BLOCK, offset - position))
            if not block:
                return found
            running.update(block)
            position += len(block)
        found[offset] = running.copy().hexdigest()
    return found


def _bounded(inner: BinaryIO, packed_bytes: int) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_Bounded(inner, packed_bytes), BLOCK))


def up_to(log: BinaryIO, size: int) -> bytes | None:
    """All that is left, None if it is more than `size` bytes. Room is taken for what there is, not for what there may be."""
    blocks, length = list[bytes](), 0
    while block := log.read(BLOCK):
        blocks.append(block)
        length += len(block)
        if length > size:
            return None
    return b"".join(blocks)
