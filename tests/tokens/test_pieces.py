import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tasks.tokens.counter import load
from tasks.tokens.pieces import PIECE_CHARS, pieces
from tasks.tokens.vocabulary import bundled_folder

FRAGMENTS = ["a", "B", "word", "it's", "'", "7", "1234", " ", "  ", "\t", "\n", "\r\n", "\n\n", "/", "//", "-", "_", ").", "é"]
FRAGMENTS += ["́", "窑", "ß", "🔥", "\u00a0", "\u2028", "\x1c", "\x00", "Aʼb", "'S", "'ll", "<|endoftext|>", "٣", "ǅ"]


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join), st.integers(2, 12))
@example("ends in a slash\n/path", 4)
@example("don't 's", 3)
def test_tokens_of_exact_pieces_add_up_to_the_tokens_of_the_whole(encoding: str, text: str, size: int) -> None:
    encode = load(encoding, bundled_folder())[0]
    exact, whole = [""], []
    for piece, is_exact in pieces(text, size):
        exact[-1] += piece
        if is_exact:
            whole.append(exact[-1])
            exact.append("")
    assert "".join(whole) == text
    assert sum(len(encode(part)) for part in whole) == len(encode(text))


@given(st.text(max_size=200), st.integers(1, 30))
def test_pieces_are_the_text_in_order_and_none_is_too_long(text: str, size: int) -> None:
    found = [piece for piece, _ in pieces(text, size)]
    assert "".join(found) == text
    assert all(len(piece) <= size for piece in found)


def test_a_short_text_is_one_exact_piece() -> None:
    assert list(pieces("kiln")) == [("kiln", True)]


@pytest.mark.parametrize("run", ["a", "^", " ", "\n", "7", "窑"])
def test_only_an_unbroken_run_is_cut_inexactly(run: str) -> None:
    ends = [is_exact for _, is_exact in pieces("words before " + run * 3 * PIECE_CHARS)]
    assert ends[0] and ends[-1] and not any(ends[1:-1])
