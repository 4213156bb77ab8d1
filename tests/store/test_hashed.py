"""A stream tells the hash of what went through it, wherever the mark lies between two reads."""

import hashlib
import io

from hypothesis import given
from hypothesis import strategies as st

from tasks.store.hashed import Hashed


@given(text=st.binary(max_size=60), mark=st.integers(0, 70), sizes=st.lists(st.integers(1, 40), min_size=70, max_size=70))
def test_hash_of_all_and_of_the_marked_beginning(text: bytes, mark: int, sizes: list[int]):
    stream = Hashed(io.BytesIO(text), mark)
    read = b"".join(stream.read(size) or b"" for size in sizes)
    assert (read, stream.length) == (text, len(text))
    assert stream.digest() == hashlib.sha256(text).hexdigest()
    assert stream.at_mark == (hashlib.sha256(text[:mark]).hexdigest() if mark <= len(text) else "")


def test_lines_come_out_as_they_went_in():
    assert list(Hashed(io.BytesIO(b"one\ntwo"), 4).buffered()) == [b"one\n", b"two"]
