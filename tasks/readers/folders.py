"""The files of one folder, as one tar archive -> records with their place in the archive."""

import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from io import BytesIO
from typing import BinaryIO, cast

from tasks.domain.records import Books, Record, Reject
from tasks.readers import documents, records

_LINES = (".jsonl", ".ndjson")


def read_folder(stream: BinaryIO, books: Books) -> Iterator[Record | Reject]:
    """Records of all files, in the archive's order; headers and padding of the archive are blank."""
    counted = _Counted(stream)
    in_files = 0
    with tarfile.open(fileobj=cast(BinaryIO, counted), mode="r|") as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is None:
                continue
            raw = file.read()
            in_files += len(raw)
            yield from _file(raw, member.name, member.offset_data, books)
    while counted.read(1 << 20):
        pass
    books.bytes_blank += counted.length - in_files
    books.bytes_seen += counted.length - in_files


def told_whole(found: Iterable[Record]) -> list[tuple[Record, list[Record]]]:
    """Each document of a folder with its lists of objects in it again, and the records that those are. For files that say one
    thing each, whose lists are parts of it; a list without its document stays a record."""
    files: dict[str, tuple[Record, list[Record]]] = {}
    for record in found:
        name, _, part = record.origin.partition("#")
        if part and name in files:
            listed = files[name][0].data.get(part)
            files[name][0].data[part] = [*listed, record.data] if isinstance(listed, list) else [record.data]
            files[name][1].append(record)
        elif record.origin in files:
            files[f"{record.origin}#{record.byte_offset}"] = record, []
        else:
            lists = {key: list(value) if isinstance(value, list) else value for key, value in record.data.items()}
            files[record.origin] = replace(record, data=lists), []
    return list(files.values())


def _file(raw: bytes, name: str, base: int, books: Books) -> Iterator[Record | Reject]:
    if not name.endswith(_LINES):
        yield from documents.read_document(raw, books, base=base, file=name)
        return
    own = Books()
    for part in records.read_records(BytesIO(raw), own, final=True):
        if isinstance(part, Record):
            yield replace(part, byte_offset=base + part.byte_offset, origin=name)
        else:
            yield replace(part, byte_offset=base + part.byte_offset)
    for one in fields(own):
        setattr(books, one.name, getattr(books, one.name) + getattr(own, one.name))


class _Counted:
    """A stream that knows how much was read of it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.length = stream, 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.length += len(data)
        return data
