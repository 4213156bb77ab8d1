"""No odd value anywhere in a log stops a reader: every field of every case's records, once per agent and place, is made odd."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from readers.test_reader_cases import CASES, FOLDER, PATH, log_of
from readings import head_of, lines, records_of

from tasks.domain.kinds import Form
from tasks.domain.records import Record, SourceHint
from tasks.readers import registry

ODD: tuple[Any, ...] = (None, 1.5, -1, 10**30, True, "", "x" * 70_000, [1], [None, {"a": None}], {"a": None}, {})
MOST_DEEP = 6
AGENTS = sorted({case.split("/", maxsplit=1)[0] for case in CASES} | {"codex"})


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a record's values stand, the values inside of them too."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inner:
        yield (*path, name)
        if len(path) < MOST_DEEP:
            yield from places(one, (*path, name))


def kind_of(record: Record, path: tuple[Any, ...]) -> tuple[Any, ...]:
    """What makes two places alike: the words that say what a record and its parts are, and the names on the way."""
    words, value = [record.origin], record.data
    for name in (*path, None):
        if isinstance(value, dict):
            words += [
                str(value.get(word))[:40]
                for word in ("type", "role", "kind", "subtype")
                if not isinstance(value.get(word), dict)
            ]
        value = value[name] if name is not None else None
    return (*words, *(name for name in path if isinstance(name, str)))


def odd_logs(records: list[Record], tried: set[Any]) -> Iterator[tuple[list[Record], tuple[Any, ...]]]:
    """The same log with one value of it made odd."""
    for at, record in enumerate(records):
        for path in places(record.data):
            kind = kind_of(record, path)
            if kind in tried:
                continue
            tried.add(kind)
            for odd in ODD:
                data = copy.deepcopy(record.data)
                inner = data
                for name in path[:-1]:
                    inner = inner[name]
                inner[path[-1]] = odd
                changed = Record(
                    record.line_no, record.byte_offset, record.byte_length, record.raw, data, record.flags, record.origin
                )
                yield [*records[:at], changed, *records[at + 1 :]], (at, *path, odd)


@pytest.mark.parametrize("agent", AGENTS)
def test_no_odd_value_stops_the_reading(agent: str, tmp_path: Path):
    tried: set[Any] = set()
    for case in sorted((FOLDER / agent).iterdir()):
        work = tmp_path / case.name
        work.mkdir()
        log = log_of(case, work)
        head = head_of(log)
        reader = registry.find(head)
        assert reader is not None
        hint = SourceHint(reader.agent, PATH, native_id=reader.identify(head, PATH), form=head.form)
        for records, what in odd_logs(records_of(log, head.form, reader), tried):
            try:
                reader.read(records, hint)
                told = head if head.form is not Form.LINES else lines(record.data for record in records)
                for other in registry.READERS:
                    if told.form in other.forms and other.claims(told):
                        other.identify(told, PATH)
            except Exception as error:
                error.add_note(f"{case.name}: {str(what)[:200]}")
                raise
