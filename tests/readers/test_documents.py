"""Documents, folders and texts as records: every byte in the books, every record where it says."""

import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.domain.records import Books, Record, Reject
from tasks.identify import look
from tasks.readers.documents import CUT, MAX_DOCUMENT_BYTES, glance, read_document
from tasks.readers.folders import read_folder
from tasks.readers.records import NESTED_TOO_DEEP
from tasks.readers.texts import read_text
from tasks.store.folders import pack
from tasks.store.places import Place

TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), TEXTS)
VALUES = st.recursive(SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)))
DOCUMENTS = st.dictionaries(TEXTS, VALUES, max_size=5)


def read(raw: bytes) -> tuple[list[Record], list[Reject], Books]:
    books = Books()
    parts = list(read_document(raw, books))
    assert books.balanced, books
    for part in parts:
        if isinstance(part, Record):
            assert raw[part.byte_offset : part.byte_offset + part.byte_length] == part.raw
    return [p for p in parts if isinstance(p, Record)], [p for p in parts if isinstance(p, Reject)], books


def test_the_document_comes_first_then_the_elements_of_its_lists():
    records, rejects, _ = read(b'{"a": 1, "said": [{"n": 1},\n{"n": 2}], "b": [1, {"n": 3}], "c": []}')
    assert [(r.origin, r.line_no, r.data) for r in records] == [
        ("", 1, {"a": 1, "said": [], "b": [1, {"n": 3}], "c": []}),
        ("said", 1, {"n": 1}),
        ("said", 2, {"n": 2}),
    ]
    assert rejects == []


def test_a_list_of_objects_is_a_document_too():
    records, _, _ = read(b'\xef\xbb\xbf [{"n": 1}, {"n": "\xc3\xa9"}] ')
    assert [(r.origin, r.data) for r in records] == [("[]", {"n": 1}), ("[]", {"n": "\u00e9"})]


@pytest.mark.parametrize(
    ("raw", "told", "reasons"),
    [
        (b'{"a": 1, "said": [{"n": 1}, {"n"', [{"a": 1, "said": []}, {"n": 1}], [CUT]),
        (b'{"a": 1, "b": "half a str', [{"a": 1}], [CUT]),
        (b'{"said": [{"n": 1}, 5, {"n": 2}]}', [{"said": []}, {"n": 1}, {"n": 2}], ["not an object"]),
        (b'{"a": 1} and more', [{"a": 1}], [CUT]),
        (b"[1, 2]", [], [CUT]),
        (b"hello", [], [CUT]),
        (b"", [], []),
        (b" \n ", [], []),
        (b"[]", [], []),
        (b'{"a": "\\ud800"}', [{"a": "\ufffd"}], []),
        (b'{"a": "\xff"}', [{"a": "\ufffd"}], []),
        (b'{"a": NaN}', [{"a": None}], []),
        (b"[" * 100_000, [], [CUT]),
        (b'{"a":' * 100_000, [], [NESTED_TOO_DEEP]),
    ],
)
def test_what_is_whole_is_kept_and_the_rest_is_one_reject(raw: bytes, told: list[dict[str, Any]], reasons: list[str]):
    records, rejects, _ = read(raw)
    found = [json.loads(json.dumps(record.data).replace("NaN", "null")) for record in records]
    assert (found, [reject.reason for reject in rejects]) == (told, reasons)


@given(DOCUMENTS, st.sampled_from((None, 1, "\t")))
@settings(deadline=None)
def test_any_document_is_read_back_whole(document: dict[str, Any], indent: Any):
    raw = json.dumps(document, indent=indent, ensure_ascii=False).encode()
    records, rejects, _ = read(raw)
    lists = [value for key, value in document.items() if key and isinstance(value, list) and isinstance([*value, 0][0], dict)]
    is_mixed = any(not isinstance(element, dict) for value in lists for element in value)
    assert bool(rejects) == is_mixed
    if not is_mixed:
        assert glance(raw) == (document or None, False)
        assert len(records) == 1 + sum(map(len, lists))


@given(DOCUMENTS, st.data())
@settings(deadline=None)
def test_a_document_cut_anywhere_loses_only_its_end(document: dict[str, Any], data: st.DataObject):
    raw = json.dumps(document, ensure_ascii=False).encode()
    cut = raw[: data.draw(st.integers(0, len(raw)))]
    records, _, books = read(cut)
    assert books.bytes_seen == len(cut)
    whole, _, _ = read(raw)
    elements = [record.data for record in whole if record.origin]
    told = [record.data for record in records if record.origin]
    assert told == elements[: len(told)]


def test_a_folder_gives_each_file_under_its_name():
    files = {
        "b/2.json": b'{"n": 2}\n',
        "b/1.json": b'{"said": [{"n": 1}]}',
        "log.jsonl": b'{"n": 3}\nbroken\n{"n": 4}',
        "note.txt": b"hello",
    }
    archive = pack((name, lambda raw=raw: io.BytesIO(raw)) for name, raw in files.items()).read()
    books = Books()
    parts = list(read_folder(io.BytesIO(archive), books))
    assert books.balanced
    assert books.bytes_seen == len(archive)
    records = [part for part in parts if isinstance(part, Record)]
    assert [(r.origin, r.data) for r in records] == [
        ("b/1.json", {"said": []}),
        ("b/1.json#said", {"n": 1}),
        ("b/2.json", {"n": 2}),
        ("log.jsonl", {"n": 3}),
        ("log.jsonl", {"n": 4}),
    ]
    assert all(archive[r.byte_offset : r.byte_offset + r.byte_length] == r.raw for r in records)
    assert [part.reason for part in parts if isinstance(part, Reject)] == ["not JSON", CUT]
    again = pack((name, lambda raw=raw: io.BytesIO(raw)) for name, raw in reversed(files.items())).read()
    assert again == archive


@given(st.binary(max_size=200), st.booleans())
def test_any_text_is_in_the_books_and_its_records_are_its_bytes(raw: bytes, final: bool):
    books = Books()
    records = list(read_text(io.BytesIO(raw), books, lambda line: line[:1], final=final))
    assert books.balanced
    assert books.bytes_seen == len(raw)
    assert all(raw[r.byte_offset : r.byte_offset + r.byte_length] == r.raw for r in records)


def test_lines_of_one_kind_are_one_record_and_the_last_line_waits():
    books = Books()
    text = b"# run\n> a\n> b\nplain\n> c"
    found = [(r.origin, r.line_no, r.data["text"]) for r in read_text(io.BytesIO(text), books, lambda line: line[0])]
    assert found == [("#", 1, "# run"), (">", 2, "> a\n> b"), ("p", 4, "plain")]
    assert books.bytes_pending == 3


def test_a_document_may_be_as_large_as_any_log_that_was_seen():
    assert MAX_DOCUMENT_BYTES >= 500_000_000


def test_looking_at_a_small_document_takes_little_room(tmp_path: Path):
    (tmp_path / "log.json").write_text('{\n "weft": [{"a": 1}]\n}')
    tracemalloc.start()
    try:
        look(Place(str(tmp_path / "log.json")), tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 50 << 20
    finally:
        tracemalloc.stop()
