"""An SQLite database that somebody may be writing, copied as it was at one moment. SQLite itself would write beside it."""

import os
import shutil
import tarfile
import tempfile
import time
from typing import BinaryIO, cast

from tasks.store import content
from tasks.store.content import BLOCK, LogError
from tasks.store.folders import SPOOL_BYTES

BESIDE = ("-wal", "-journal")
"""What stands beside a database: pages that are not in it yet, or those that a transaction it does not know the end of had."""
NAME = "log.db"
"""Of the database in the archive of these, whatever its name is."""
_TRIES = 12
_TICK_SECONDS = 0.02
"""Two writes within one tick of the system's clock leave the same time."""
_HEADER_BYTES = 32


def take(path: str) -> BinaryIO:
    """The database's bytes; with what stands beside it as one tar archive. LogError while it never stands still.

    Neither the database nor a rollback journal may change meanwhile. A write-ahead log may: it grows behind what is committed,
    until a checkpoint writes the database and begins the log anew.
    """
    for attempt in range(_TRIES):
        before = _stamps(path)
        if before[0][1] > time.time_ns() - _TICK_SECONDS * 1e9:
            time.sleep(_TICK_SECONDS)
            before = _stamps(path)
        copy = _copied(path, [suffix for suffix, stamp in zip(BESIDE, before[1:], strict=True) if stamp])
        if copy is not None and _stamps(path) == before:
            return copy
        time.sleep(_TICK_SECONDS * attempt)
    message = "it was being written all the time: left for the next night"
    raise LogError(message)


def _stamps(path: str) -> list[tuple[int, ...]]:
    """Of the database, its write-ahead log and its rollback journal: what is another once one of them does not stand still."""
    status = os.stat(path)
    found: list[tuple[int, ...]] = [(status.st_size, status.st_mtime_ns, status.st_ino)]
    for suffix in BESIDE:
        try:
            beside = os.lstat(path + suffix)
            with content.open_file(path + suffix) as file:
                header = file.read(_HEADER_BYTES)
        except OSError:
            found.append(())
            continue
        still = (beside.st_size, beside.st_mtime_ns) if suffix == "-journal" else ()
        found.append((beside.st_ino, int.from_bytes(header, "big"), *still))
    return found


def _copied(path: str, beside: list[str]) -> BinaryIO | None:
    """None when a file went away."""
    spool = tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115
    try:
        if not beside:
            with content.open_file(path) as source:
                shutil.copyfileobj(source, spool, BLOCK)
        else:
            with tarfile.open(fileobj=cast(BinaryIO, spool), mode="w", format=tarfile.PAX_FORMAT) as archive:
                for suffix in ("", *sorted(beside)):
                    with content.open_file(path + suffix) as source:
                        header = tarfile.TarInfo(NAME + suffix)
                        header.size, header.mode = os.fstat(source.fileno()).st_size, 0o600
                        archive.addfile(header, source)
    except OSError:
        spool.close()
        return None
    spool.seek(0)
    return cast(BinaryIO, spool)
