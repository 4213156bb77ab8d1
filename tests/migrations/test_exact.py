"""A document is written again as it was, or refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.migrations.exact import dump, parse

VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False),
        st.text(), st.sampled_from(("\ud800", "a\udfffb")),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=4)),
    max_leaves=10,
)  # fmt: skip


@given(st.dictionaries(st.text(max_size=5), VALUES), st.sampled_from((b"{}", b"{}\n", b"{\n}", b"{\n}\n")))
def test_what_is_written_is_read_back(document: dict, like: bytes):
    assert parse(dump(document, like)) == document


@pytest.mark.parametrize("raw", [b'{"a": 1}', b'{\n  "a": 1\n}\n', b'{\n  "b": [],\n  "c": "\xe7\xaa\xaf \\ud800"\n}'])
def test_lines_and_the_last_newline_stay_as_they_were(raw: bytes):
    assert dump(parse(raw), raw) == raw


def test_a_byte_order_mark_is_read_over():
    assert parse(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "it is not JSON"),
        (b'{"a": 1', "it is not JSON"),
        (b"[]", "it is JSON, but no object"),
        (b'{"a": NaN}', "NaN is no JSON number"),
        (b'{"a": 1e999}', "1e999 is larger than a number can be"),
        (b'{"a": {"b": 1, "b": 2}}', "the key 'b' is there twice in one object"),
        (b'{"a": "\xff"}', "it is not UTF-8"),
        (b'{"a": ' + b"[" * 200_000, "it is nested too deep"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "limit"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_could_not_be_written_as_it_was_is_refused(raw: bytes, why: str):
    with pytest.raises(ValueError, match=why):
        parse(raw)
