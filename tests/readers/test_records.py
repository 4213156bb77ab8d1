"""Bytes -> records: what is kept, repaired, rejected, and that the books balance."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.domain.records import Books, Record, Reject
from tasks.readers import records
from tasks.readers.records import read_records


def parts_of(log: bytes, *, final: bool = False) -> tuple[list[Record | Reject], Books]:
    books = Books()
    return list(read_records(io.BytesIO(log), books, final=final)), books


def kept(log: bytes, *, final: bool = False) -> list[Record]:
    return [part for part in parts_of(log, final=final)[0] if isinstance(part, Record)]


def rejected(log: bytes, *, final: bool = False) -> list[Reject]:
    return [part for part in parts_of(log, final=final)[0] if isinstance(part, Reject)]


def test_a_record_knows_its_line_and_bytes():
    log = b'{"a":1}\n\n  {"b":2}\r\n'
    assert [(r.line_no, r.byte_offset, r.byte_length, r.raw) for r in kept(log)] == [
        (1, 0, 7, b'{"a":1}'),
        (3, 11, 7, b'{"b":2}'),
    ]


def test_lines_end_at_newline_bytes_only():
    """U+2028, U+0085 and a lone carriage return do not end a line."""
    log = '{"a":"x\u2028y\u0085z"}\n{"b":\r2}\n'.encode()
    assert [r.data for r in kept(log)] == [{"a": "x\u2028y\u0085z"}, {"b": 2}]


def test_blank_lines_and_line_ends_are_blank_bytes():
    _, books = parts_of(b'\n \t\n{"a":1}\r\n')
    assert (books.lines_blank, books.bytes_blank, books.lines_in_rows, books.bytes_in_rows) == (2, 6, 1, 7)


def test_byte_order_marks_are_blank_at_the_start_and_in_the_middle():
    mark = b"\xef\xbb\xbf"
    parts, books = parts_of(mark + b'{"a":1}\n' + mark + b"\n" + mark + b'{"b":2}\n')
    assert [p.data for p in parts if isinstance(p, Record)] == [{"a": 1}, {"b": 2}]
    assert (books.bytes_blank, books.lines_blank, books.lines_rejected) == (12, 1, 0)


def test_an_unterminated_line_is_pending_even_if_it_is_valid():
    parts, books = parts_of(b'{"a":1}\n{"b":2}')
    assert [p.data for p in parts if isinstance(p, Record)] == [{"a": 1}]
    assert (books.lines_pending, books.bytes_pending, books.bytes_seen) == (1, 7, 15)


def test_the_final_night_reads_a_whole_tail_and_rejects_a_torn_one():
    assert [r.data for r in kept(b'{"a":1}', final=True)] == [{"a": 1}]
    assert [r.reason for r in rejected(b'{"a":1}\n{"b":', final=True)] == ["torn_tail"]


@pytest.mark.parametrize("line", [b"42", b'"x"', b"null", b"[1,2]", b"true"])
def test_json_that_is_no_object_is_rejected_as_such(line: bytes):
    assert [r.reason for r in rejected(line + b"\n")] == ["not an object"]


def test_text_is_rejected_with_position_and_hash_only():
    (reject,) = rejected(b"\nhello there\n")
    assert (reject.line_no, reject.byte_offset, reject.byte_length, reject.reason) == (2, 1, 11, "not JSON")
    assert "hello" not in repr(reject)


def test_glued_objects_are_all_recovered_on_their_line():
    log = b'{"a":1}{"b":2} {"c":3}\n'
    assert [(r.line_no, r.byte_offset, r.byte_length) for r in kept(log)] == [(1, 0, 7), (1, 7, 7), (1, 15, 7)]


def test_a_cut_fragment_before_a_whole_object_is_rejected_alone():
    log = b'{"t":"u","text":"weigh {} and [1] cl{"t":"u","text":"ok"}\n'
    assert [(r.byte_offset, r.byte_length, r.reason) for r in rejected(log)] == [(0, 36, "cut fragment")]
    assert [(r.byte_offset, r.data) for r in kept(log)] == [(36, {"t": "u", "text": "ok"})]


def test_a_cut_fragment_after_a_whole_object_is_rejected_alone():
    log = b'{"t":"u"}{"t":"u","text":"wei\n{"t":"v"}\n'
    assert [r.data for r in kept(log)] == [{"t": "u"}, {"t": "v"}]
    assert [(r.byte_offset, r.byte_length) for r in rejected(log)] == [(9, 20)]


@pytest.mark.parametrize("cut", range(1, 69))
def test_a_record_behind_a_cut_at_any_byte_is_found(cut: int):
    """Also where it takes the place of a value of the fragment, once two keys are there to know it by."""
    record = b'{"id":"a","at":7,"inner":{"x":[1,{"y":2}],"z":"q"},"text":"b\\n c"}'
    fragment, whole = record[:cut], b'{"id":"n","at":8,"inner":{"x":[],"z":"q"}}'
    found = [r.data for r in kept(fragment + whole + b"\n")]
    value_places = [record.find(mark) + 1 for mark in (b":", b":7", b":{", b":[", b"[", b",{", b":2", b':"q', b':"b')]
    assert json.loads(whole) in found or (cut in value_places and cut < 15)


def test_a_value_of_a_cut_fragment_is_no_record():
    assert kept(b'{"a":{"b":{"c":1}\n') == []
    assert kept(b'{"a":{"b":1},"c":"{\\"d\\":1}"\n') == []


def test_json_inside_a_string_is_no_record():
    assert kept(b'{"a":"{\\"b\\":1} {} [1]\n') == []


def test_lone_surrogates_become_replacement_characters_in_keys_too_and_are_counted():
    (record,) = kept(b'{"k\\ud83d":"\\ud83d","pair":"\\ud83d\\ude00","low":"\\ude00"}\n')
    assert record.data == {"k\ufffd": "\ufffd", "pair": "\U0001f600", "low": "\ufffd"}
    assert record.flags == ("lone_surrogate",) * 3


def test_invalid_utf8_is_replaced_and_flagged_and_the_raw_bytes_stay():
    (record,) = kept(b'{"a":"caf\xe9 \xff"}\n')
    assert (record.data, record.flags) == ({"a": "caf\ufffd \ufffd"}, ("invalid_utf8",))
    assert record.raw == b'{"a":"caf\xe9 \xff"}'


@pytest.mark.parametrize("value", [b"NaN", b"-Infinity", b'"tab\there"', b'"nul\x00"'])
def test_what_is_nearly_json_is_kept_and_flagged(value: bytes):
    (record,) = kept(b'{"a":' + value + b"}\n")
    assert record.flags == ("odd_json",)


def test_an_integer_of_five_thousand_digits_harms_nothing():
    (record,) = kept(b'{"a":' + b"9" * 5000 + b',"b":1}\n')
    assert record.data["b"] == 1


@pytest.mark.parametrize("depth", [201, 2_000, 100_000])
def test_deep_nesting_is_rejected(depth: int):
    log = b'{"a":' + b"[" * depth + b"]" * depth + b'}\n{"b":1}\n'
    assert [r.reason for r in rejected(log)] == ["nesting over 200"]
    assert [r.data for r in kept(log)] == [{"b": 1}]


def test_brackets_inside_strings_do_not_nest():
    assert len(kept(json.dumps({"a": "[{" * 5000}).encode() + b"\n")) == 1


def test_too_many_keys_in_one_object_are_rejected():
    many, enough = ({"o": {f"k{i}": i for i in range(n)}} for n in (10_001, 10_000))
    assert [r.reason for r in rejected(json.dumps(many).encode() + b"\n")] == ["object over 10000 keys"]
    assert len(kept(json.dumps(enough).encode() + b"\n")) == 1


def test_an_overlong_line_is_one_reject_and_the_next_line_is_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(records, "MAX_LINE_BYTES", 100)
    log = b'{"a":"' + b"x" * 500 + b'"}\n{"b":1}\n' + b'{"c":"' + b"y" * 92 + b'"}\n'
    parts, books = parts_of(log)
    assert [(p.byte_offset, p.byte_length) for p in parts] == [(0, 508), (509, 7), (517, 100)]
    assert [type(p) for p in parts] == [Reject, Record, Record]
    assert books.balanced


def test_hostile_openings_end_in_time():
    log = b'{"a":' * 200_000 + b"\n" + b'{"' * 200_000 + b'\n{"b":1}\n'
    assert [r.data for r in kept(log)] == [{"b": 1}]


PIECES = st.one_of(
    st.binary(max_size=12),
    st.sampled_from(
        [b"\n", b"\r\n", b" ", b"\xef\xbb\xbf", b'{"a":1}', b'{"a":"x', b'{"a":{"b":[1,2]}}', b'"', b"}", b"\\ud83d"]
    ),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=8,
    ).map(lambda value: json.dumps(value).encode()),
)
LOGS = st.lists(PIECES, max_size=12).map(b"".join)


@given(LOGS, st.booleans())
@settings(max_examples=400, deadline=None)
def test_any_bytes_are_read_without_error_and_the_books_balance(log: bytes, final: bool):
    parts, books = parts_of(log, final=final)
    assert books.balanced
    assert books.bytes_seen == len(log)
    assert books.lines_seen == log.count(b"\n") + (not log.endswith(b"\n") and log != b"")
    assert books.bytes_in_rows == sum(p.byte_length for p in parts if isinstance(p, Record))
    end = 0
    for part in parts:
        assert part.byte_offset >= end
        end = part.byte_offset + part.byte_length
        assert part.byte_length > 0
        assert log.count(b"\n", 0, part.byte_offset) == part.line_no - 1
        if isinstance(part, Record):
            assert log[part.byte_offset : end] == part.raw
            json.dumps(part.data, ensure_ascii=False).encode()
    assert end <= len(log)


@given(LOGS, LOGS)
@settings(max_examples=200, deadline=None)
def test_reading_in_two_halves_cut_at_a_newline_gives_the_same(first: bytes, second: bytes):
    head = first + b"\n"
    whole, _ = parts_of(head + second, final=True)
    one, _ = parts_of(head, final=True)
    two, _ = parts_of(second, final=True)
    assert [_key(p) for p in whole] == [_key(p) for p in one] + [_key(p, len(head)) for p in two]


@given(LOGS, st.data())
@settings(max_examples=200, deadline=None)
def test_a_night_that_saw_less_read_the_same_as_far_as_it_got(log: bytes, data: st.DataObject):
    """What was read from a growing file stays as it was: rows of one night are the first rows of the next."""
    cut = data.draw(st.integers(0, len(log)))
    early, books = parts_of(log[:cut])
    late, _ = parts_of(log)
    assert [_key(p) for p in early] == [_key(p) for p in late][: len(early)]
    assert books.bytes_pending == len(log[:cut]) - (log[:cut].rfind(b"\n") + 1)


def _key(part: Record | Reject, shift: int = 0) -> tuple[object, ...]:
    what = part.raw if isinstance(part, Record) else (part.reason, part.sha256)
    return part.byte_offset + shift, part.byte_length, what
