"""No odd value anywhere in a log stops its reader: each field of each case becomes what it never should be."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from readings import head_of, log_of, records_of

from tasks.domain.records import Head, Record, SourceHint
from tasks.readers import registry

FOLDER = Path(__file__).parent / "cases"
ODD = (None, 1.5, True, [1], [{"a": None}], {"a": None}, {}, "", "x" * 70_000)
AGENTS = sorted(agent.name for agent in FOLDER.iterdir())
Place = tuple[str | int, ...]


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    """Where something stands in a record, at any depth."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*at, key)
        yield from places(one, (*at, key))


def changed(value: Any, at: Place, odd: Any) -> Any:
    """A copy with something odd in that place."""
    if not at:
        return odd
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[at[0]] = changed(value[at[0]], at[1:], odd)
    return copy


def kind(record: Record, at: Place) -> Any:
    """Fields of the same name in records of the same kind are tried once."""
    message = record.data.get("message")
    inner = (message.get("role"), message.get("type")) if isinstance(message, dict) else None
    named = tuple("[]" if isinstance(key, int) else key for key in at)
    return record.origin, repr(record.data.get("type")), repr(record.data.get("role")), repr(inner), named


@pytest.mark.parametrize("agent", AGENTS)
def test_no_odd_value_stops_a_reader(agent: str, tmp_path: Path):
    tried = set()
    for case in sorted((FOLDER / agent).iterdir()):
        (tmp_path / case.name).mkdir()
        log = log_of(case, tmp_path / case.name)
        head = head_of(log)
        reader = registry.find(head)
        assert reader is not None, case.name
        records = records_of(log, head.form, reader)
        hint = SourceHint(reader.agent, case.name, native_id=reader.identify(head, case.name), form=head.form)
        for no, record in enumerate(records):
            for at in places(record.data):
                if kind(record, at) in tried:
                    continue
                tried.add(kind(record, at))
                for odd in ODD:
                    odd_one = replace(record, data=changed(record.data, at, odd))
                    log_now = [*records[:no], odd_one, *records[no + 1 :]]
                    reading = reader.read(log_now, hint)
                    assert len({item.item_id for item in reading.items}) == len(reading.items), (case.name, no, at, odd)
    assert tried


@pytest.mark.parametrize("agent", AGENTS)
def test_no_odd_value_in_a_head_stops_a_claim(agent: str, tmp_path: Path):
    for case in sorted((FOLDER / agent).iterdir()):
        (tmp_path / case.name).mkdir()
        head = head_of(log_of(case, tmp_path / case.name))
        for no, record in enumerate(head.objects[:2]):
            for at in places(record):
                for odd in ODD:
                    objects = (*head.objects[:no], changed(record, at, odd), *head.objects[no + 1 :])
                    _claim(Head(head.form, objects, head.names))


def _claim(head: Head) -> None:
    for reader in registry.READERS:
        if head.form in reader.forms and reader.claims(head):
            assert isinstance(reader.identify(head, "a.jsonl"), str)
