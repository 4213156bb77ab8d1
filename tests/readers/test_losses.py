"""Losses are found by trying: a field that no row depends on is lost, whatever the reader does with it."""

import json
from collections.abc import Iterable
from typing import Any

import losses as written
import pytest

from tasks.domain.kinds import Form, ItemKind
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers.draft import Draft
from tasks.readers.losses import losses
from tasks.readers.protocol import Reader


class Kiln(Reader):
    """Reads `say` and `usage.out`, the session from `kiln`, and nothing else."""

    agent = "kiln"

    def claims(self, head: Head) -> bool:
        return True

    def identify(self, head: Head, path: str) -> str:
        return str(head.objects[0].get("kiln"))

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft = Draft("kiln")
        draft.open(hint.native_id)
        for record in records:
            draft.record(record, str(record.data.get("type")), version="7", flags=("odd",) if record.data.get("odd") else ())
            for part in record.data.get("parts", ()):
                draft.item(ItemKind.ASSISTANT_TEXT, str(part.get("say")), role="assistant")
        return draft.finish()


def lost(*objects: dict[str, Any]) -> list[str]:
    records = []
    for n, data in enumerate(objects):
        raw = json.dumps(data).encode()
        records.append(Record(n + 1, n * 1000, len(raw), raw, data))
    hint = SourceHint("kiln", "a.jsonl", native_id="k", form=Form.LINES)
    return [f"{one.version} {one.type} {one.name}" for one in losses(Kiln(), records, hint)]


def test_a_field_that_no_row_tells_is_lost_and_one_that_names_the_log_is_not():
    assert lost({"type": "t", "kiln": "k", "heat": 7}) == ["7 t heat"]


def test_fields_of_the_parts_of_a_list_are_told_apart():
    assert lost({"type": "t", "kiln": "k", "parts": [{"say": "hi"}, {"say": "ho", "at": {"x": 1}}]}) == ["7 t parts[].at"]


def test_of_an_object_that_is_lost_whole_the_inside_is_not_listed():
    assert lost({"type": "t", "kiln": "k", "air": {"in": 1, "out": {"x": 2}}}) == ["7 t air"]


def test_a_field_is_lost_in_one_type_and_told_in_another():
    assert lost({"type": "a", "kiln": "k", "parts": [{"say": "x"}]}, {"type": "b", "kiln": "k", "say": "y"}) == [
        "7 b kiln", "7 b say",
    ]  # fmt: skip


def test_a_flag_alone_tells_nothing():
    assert lost({"type": "t", "kiln": "k", "odd": True}) == ["7 t odd"]


@pytest.mark.parametrize("empty", [{}, []])
def test_what_is_empty_cannot_be_lost(empty: Any):
    assert lost({"type": "t", "kiln": "k", "later": empty}) == []


def test_the_page_about_losses_says_what_is_lost_today():
    """Run `python tests/losses.py` with the checkout and tests/ on PYTHONPATH."""
    assert written.PAGE.read_text("utf-8") == written.page()
