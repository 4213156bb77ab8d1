"""Logs inside tar archives: which there are, and the plain archive that they are read from. Nothing is ever extracted."""

import os
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path

from tasks.store import content, durable
from tasks.store.content import LogError

SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst")
MAX_MEMBERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Member:
    """One regular file of an archive."""

    name: str
    offset: int
    size: int


def is_packed(path: str) -> bool:
    """Whether the archive is compressed, by its first bytes."""
    with content.open_file(path) as file:
        return content.plain(file, 0) is not file


def unpack(path: str, target: Path) -> None:
    """Write the plain archive that a compressed one holds, whole or not at all. LogError when it is damaged."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        file = content.open_file(path)
        with content.plain(file, os.fstat(file.fileno()).st_size) as source, beside.open("wb") as out:
            beside.chmod(0o600)
            shutil.copyfileobj(source, out, content.BLOCK)
        beside.replace(target)
    except LogError:
        raise
    except OSError as error:
        raise durable.refused(target, error) from None
    finally:
        beside.unlink(missing_ok=True)


def members(path: str) -> list[Member]:
    """The regular files of a plain archive; of several with one name the last, as tar has it. LogError when it is none.

    Links, devices and folders are left out: they hold no log.
    """
    found: dict[str, Member] = {}
    try:
        with content.open_file(path) as file, tarfile.open(fileobj=file, mode="r:") as archive:
            for count, entry in enumerate(archive):
                if count >= MAX_MEMBERS:
                    message = f"an archive of more than {MAX_MEMBERS} entries"
                    raise LogError(message)
                if entry.isreg() and not entry.issparse():
                    found[entry.name] = Member(entry.name, entry.offset_data, entry.size)
    except tarfile.TarError as error:
        message = f"damaged tar archive: {error}"
        raise LogError(message) from None
    return list(found.values())
