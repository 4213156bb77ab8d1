"""Which fields of a log its reader does not carry: each is taken away and changed, and where no row tells, it is lost.

Found by trying, so it holds for every reader, however that was written. A field that is read but only decides something else is
carried; one that is copied into a record's shape or flags alone is not.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers.protocol import Reader

MOST_RECORDS = 80
HEAD_RECORDS = 40
MOST_KEYS = 40
"""An object with more is a map, whose keys are content."""
Place = tuple[Any, ...]
"""Names and numbers on the way to a value in a record."""
Places = list[tuple[int, Place]]
"""Number of the record and place in it."""
_GONE = object()


@dataclass(frozen=True, slots=True, order=True)
class Field:
    """A field of one type of record of one version."""

    version: str
    """Of the agent, as the record says; empty where it says none."""
    type: str
    name: str
    """Names from the record down; `[]` is each element of a list."""


def losses(reader: Reader, records: Sequence[Record], hint: SourceHint) -> list[Field]:
    """The fields that are lost of a log's first records, the outermost only: what is inside of them is lost with them."""
    return sorted(field for field, is_lost in tried(reader, records, hint).items() if is_lost)


def tried(reader: Reader, records: Sequence[Record], hint: SourceHint) -> dict[Field, bool]:
    """Every field and whether no row tells it, but for those inside of lost ones."""
    records = records[:MOST_RECORDS]
    trial = _Trial(reader, records, hint)
    found: dict[Field, bool] = {}
    for (version, kind), numbers in trial.kinds().items():
        waiting = _inside(records, "", [(n, ()) for n in numbers])
        while waiting:
            name, places = waiting.pop()
            is_lost = found[Field(version, kind, name)] = trial.is_lost(places)
            waiting += [] if is_lost else _inside(records, name, places)
    return found


class _Trial:
    """A log that is read again and again, each time with one value of it changed."""

    def __init__(self, reader: Reader, records: Sequence[Record], hint: SourceHint) -> None:
        self._reader, self._records, self._hint = reader, records, hint
        self._whole = reader.read(list(records), hint)
        self._rows = self._told(records)

    def kinds(self) -> dict[tuple[str, str], list[int]]:
        """Numbers of the records by version and type."""
        rows = {(row.byte_offset, row.line_no): row for row in self._whole.records}
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        for n, record in enumerate(self._records):
            row = rows.get((record.byte_offset, record.line_no))
            if row is not None:
                found[row.agent_version or "", row.type].append(n)
        return found

    def is_lost(self, places: Places) -> bool:
        """Whether no row tells of these values: all at once, for one may repeat what another says."""
        return self._rows == self._read(places, lambda value: _GONE) == self._read(places, _altered)

    def _read(self, places: Places, change: Callable[[Any], Any]) -> tuple[str, Counter[str]]:
        records = list(self._records)
        for n, place in places:
            other = change(_value(self._records[n], place))
            records[n] = replace(records[n], data=_changed(records[n].data, place, other))
        return self._told(records)

    def _told(self, records: Sequence[Record]) -> tuple[str, Counter[str]]:
        """Whose log it is, and all rows without what a record's keys alone decide."""
        head = records[:HEAD_RECORDS]
        names = tuple(record.origin.split("#", 1)[0] for record in head)
        identity = self._reader.identify(Head(self._hint.form, tuple(record.data for record in head), names), self._hint.path)
        return identity, _rows(self._reader.read(list(records), self._hint))


def _rows(reading: Reading) -> Counter[str]:
    records = [replace(row, shape="", flags=()) for row in reading.records]
    rows: tuple[Any, ...] = (*records, *reading.sessions, *reading.requests, *reading.items, *reading.compactions)
    return Counter(repr(astuple(row)) for row in rows)


def _value(record: Record, place: Place) -> Any:
    value: Any = record.data
    for name in place:
        value = value[name]
    return value


def _altered(value: Any) -> Any:
    """Something like it."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return value if isinstance(value, dict | list) else f"{value}~"


def _changed(value: Any, place: Place, other: Any) -> Any:
    name, *rest = place
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    if rest:
        copy[name] = _changed(value[name], tuple(rest), other)
    elif other is _GONE:
        del copy[name]
    else:
        copy[name] = other
    return copy


def _inside(records: Sequence[Record], field: str, places: Places) -> list[tuple[str, Places]]:
    """The fields of the objects in these places, and of those in lists there; what is empty says nothing that could be lost."""
    found: dict[str, Places] = defaultdict(list)
    for n, place in places:
        value = _value(records[n], place)
        objects = [(place, value)]
        if isinstance(value, list):
            objects = [((*place, at), element) for at, element in enumerate(value)]
        mark = f"{field}[]." if isinstance(value, list) else f"{field}." if field else ""
        for at, inner in objects:
            for name, told in inner.items() if isinstance(inner, dict) and len(inner) <= MOST_KEYS else ():
                if told not in ({}, []):
                    found[f"{mark}{name}"].append((n, (*at, name)))
    return list(found.items())
