"""Logs inside tar archives: which there are, and the plain archive that they are read from. Nothing is ever extracted."""

import os
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

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


def members(path: str) -> tuple[list[Member], str]:
    """The regular files of a plain archive, and what is wrong with it where they are not all; of several with one name
    the last, as tar has it. LogError when it is none.

    Links, devices and folders are left out: they hold no log.
    """
    found: dict[str, Member] = {}
    problem = ""
    with content.open_file(path) as file:
        try:
            with tarfile.open(fileobj=file, mode="r:") as archive:
                problem = _listed(archive, found) or _end(file, archive.offset)
        except tarfile.TarError as error:
            problem = f"damaged tar archive: {error}"
        if problem and not found:
            raise LogError(problem)
        whole = os.fstat(file.fileno()).st_size
    return [member for member in found.values() if 0 <= member.size <= whole - member.offset], problem


def _listed(archive: tarfile.TarFile, found: dict[str, Member]) -> str:
    sparse = []
    for count, entry in enumerate(archive):
        if count >= MAX_MEMBERS:
            return f"more than {MAX_MEMBERS} entries"
        if entry.issparse():
            sparse.append(entry.name)
        elif entry.isreg():
            found.pop(entry.name, None)
            found[entry.name] = Member(entry.name, entry.offset_data, entry.size)
    return f"sparse files are not read: {', '.join(sparse[:3])}. Unpack the archive" if sparse else ""


def _end(file: BinaryIO, offset: int) -> str:
    """What stands where the entries end. tarfile takes a damaged header there for the end, and a missing one too."""
    file.seek(offset)
    after = file.read(tarfile.BLOCKSIZE)
    if len(after) == tarfile.BLOCKSIZE and not after.strip(b"\0"):
        return ""
    return "damaged tar archive: " + ("a damaged header" if len(after) == tarfile.BLOCKSIZE else "it breaks off")
