"""Where the bytes of one log are: a file, a member of a tar archive, or several of these that make one log together."""

import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from tasks.store import content, databases, folders, snapshots, tars


@dataclass(frozen=True, slots=True)
class Place:
    """What opens a log. Plain data: it goes to workers, and into the hints of the next night."""

    path: str
    """The file; for a member the tar archive that it is in, unpacked if need be; for several files their folder."""
    offset: int = -1
    """Of a member in its archive; -1 for a file of its own."""
    size: int = 0
    """Of a member, as stored."""
    packed: str = ""
    """The compressed archive from which `path` is made when it is missing."""
    files: tuple[tuple[str, "Place"], ...] = ()
    """Names and places of several files."""
    is_database: bool = False
    """The several files are a database and what stands beside it."""

    def open(self) -> BinaryIO:
        """The plain bytes of the log; several files as one tar archive. LogError when it cannot be read."""
        if self.is_database and all(place.offset < 0 for _, place in self.files):
            return snapshots.take(min((place.path for _, place in self.files), key=len))
        if self.files:
            return folders.pack((name, place.open) for name, place in self.files)
        if self.offset < 0:
            file = content.open_file(self.path)
            is_database = file.read(len(databases.MAGIC)) == databases.MAGIC
            file.seek(0)
            if is_database:
                file.close()
                return snapshots.take(self.path)
            return content.plain(file, os.fstat(file.fileno()).st_size)
        if self.packed and not Path(self.path).exists():
            tars.unpack(self.packed, Path(self.path))
        member = _Member(content.open_file(self.path), self.offset, self.size)
        return content.plain(cast(BinaryIO, io.BufferedReader(member, content.BLOCK)), self.size)

    @classmethod
    def of(cls, values: dict[str, Any]) -> "Place":
        """From what `dataclasses.asdict` made of one."""
        return cls(**{**values, "files": tuple((name, cls.of(place)) for name, place in values["files"])})


class _Member(io.RawIOBase):
    """A part of a file as a file."""

    def __init__(self, file: BinaryIO, offset: int, size: int) -> None:
        self._file, self._offset, self._size, self._at = file, offset, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        length = max(0, min(len(buffer), self._size - self._at))
        self._file.seek(self._offset + self._at)
        data = self._file.read(length)
        if len(data) < length:
            message = "the archive ends before this member does"
            raise content.LogError(message)
        buffer[:length] = data
        self._at += length
        return length

    def close(self) -> None:
        self._file.close()
        super().close()
