"""A stream that knows the hash of what went through it."""

import hashlib
import io
from typing import BinaryIO, cast

from tasks.store.content import BLOCK


class Hashed(io.RawIOBase):
    """Passes a stream on, keeping the sha256 of all bytes and of the first `mark` bytes."""

    def __init__(self, inner: BinaryIO, mark: int) -> None:
        self._inner = inner
        self._running = hashlib.sha256()
        self._mark = mark
        self.length = 0
        self.at_mark = self._running.hexdigest() if mark == 0 else ""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._inner.read(len(buffer))
        until = self._mark - self.length
        if 0 < until <= len(data):
            self._running.update(data[:until])
            self.at_mark = self._running.hexdigest()
            self._running.update(data[until:])
        else:
            self._running.update(data)
        self.length += len(data)
        buffer[: len(data)] = data
        return len(data)

    def digest(self) -> str:
        """sha256 of all that was read."""
        return self._running.hexdigest()

    def buffered(self) -> BinaryIO:
        """This stream with lines."""
        return cast(BinaryIO, io.BufferedReader(self, BLOCK))
