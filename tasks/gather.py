"""Which logs the archive may hold tonight: its files, those inside tar archives, and those that belong together.

Names only propose: what lies together is looked at together, and if no reader claims it, each file is looked at alone.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tasks.domain.kinds import Form
from tasks.readers import registry
from tasks.store import snapshots, tars
from tasks.store.content import LogError
from tasks.store.layout import Layout
from tasks.store.places import Place
from tasks.store.walk import Found, Refused, walk

IN_ARCHIVE = "!"
"""Stands between the path of an archive and the name of a file in it."""
_INDEX_OF_LOG = "-shm"


def gather(roots: Sequence[Path], layout: Layout, listings: dict[str, Any]) -> list[Found | Refused]:
    """Everything under the roots, once. `listings`: members of archives by path and stamp; brought up to date."""
    found = {entry.path: entry for root in roots for entry in walk(root)}
    seen: dict[str, Found | Refused] = {}
    for entry in found.values():
        for one in _opened(entry, layout, listings):
            seen[one.path] = one
    for path in listings.keys() - found.keys():
        del listings[path]
    return list(_grouped(seen))


def _opened(entry: Found | Refused, layout: Layout, listings: dict[str, Any]) -> Iterable[Found | Refused]:
    """An archive as the files in it; anything else as it is."""
    if isinstance(entry, Refused) or not entry.path.lower().endswith(tars.SUFFIXES):
        return [entry]
    known = listings.get(entry.path)
    if known is None or known["stamp"] != entry.stamp or "problem" not in known:
        try:
            known = _listing(entry, layout)
        except LogError as error:
            return [Refused(entry.path, f"cannot be read: {error.strerror or error}")]
        listings[entry.path] = known
    members: list[Found | Refused] = [_member(entry, known, *member) for member in known["members"]]
    return [*members, Refused(entry.path, f"not all of it can be read: {known['problem']}")] if known["problem"] else members


def _listing(entry: Found, layout: Layout) -> dict[str, Any]:
    path, packed = entry.place.path, ""
    if tars.is_packed(path):
        name = hashlib.sha256(f"{entry.path}{entry.stamp}".encode()).hexdigest()[:32]
        packed, path = path, str(layout.unpacked / f"{name}.tar")
        tars.unpack(packed, Path(path))
    found, problem = tars.members(path)
    members = [[member.name, member.offset, member.size] for member in found]
    return {"stamp": entry.stamp, "path": path, "packed": packed, "members": members, "problem": problem}


def _member(archive: Found, known: dict[str, Any], name: str, offset: int, size: int) -> Found:
    place = Place(known["path"], offset, size, known["packed"])
    path = f"{archive.path}{IN_ARCHIVE}{name.encode('utf-8', 'backslashreplace').decode()}"
    return Found(path, place, archive.mtime_ns, [*archive.stamp, offset, size], is_done=True)


def _grouped(entries: dict[str, Found | Refused]) -> Iterator[Found | Refused]:
    """Files that are one log as one entry, at the place of the first of them."""
    groups: dict[tuple[str, Form], list[Found]] = {}
    group_of: dict[str, tuple[str, Form]] = {}
    for path in [path for path in entries if path.endswith(_INDEX_OF_LOG) and path.removesuffix(_INDEX_OF_LOG) in entries]:
        del entries[path]  # made anew from the write-ahead log by whoever opens the database
    for path, entry in entries.items():
        if isinstance(entry, Found) and (group := _group_of(path, entries)):
            groups.setdefault(group, []).append(entry)
            group_of[path] = group
    for path, entry in entries.items():
        group = group_of.get(path)
        if group is None:
            yield entry
        elif groups[group][0].path == path:
            yield _together(*group, groups[group])


def _group_of(path: str, entries: dict[str, Found | Refused]) -> tuple[str, Form] | None:
    """The root of what a file belongs to."""
    for beside in snapshots.BESIDE:
        main = path.removesuffix(beside)
        if main != path and isinstance(entries.get(main), Found):
            return main, Form.DATABASE
        if isinstance(entries.get(path + beside), Found):
            return path, Form.DATABASE
    top = path.rpartition(IN_ARCHIVE)[0] + IN_ARCHIVE if IN_ARCHIVE in path else ""
    inside = f"{top}/{path.removeprefix(top)}" if top else path  # the top of an archive is a folder too
    for reader in registry.READERS:
        match = reader.folder.match(inside) if reader.folder else None
        if match:
            return top + match["root"].removeprefix(top).removeprefix("/") if top else match["root"], Form.FOLDER
    return None


def _together(root: str, form: Form, files: Sequence[Found]) -> Found:
    files = sorted(files, key=lambda file: file.path)
    start = snapshots.NAME if form is Form.DATABASE else ""
    named = tuple((start + file.path.removeprefix(root).lstrip("/"), file.place) for file in files)
    place = Place(root, files=named, is_database=form is Form.DATABASE)
    return Found(
        root, place, max(file.mtime_ns for file in files), [n for file in files for n in file.stamp], form,
        tuple(files), all(file.is_done for file in files),
    )  # fmt: skip
