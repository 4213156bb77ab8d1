import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.domain.visible import clip, visible


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\e[31mred\\e[0m"),
        ("abc\u202edcba", "abc\\u202edcba"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\ufeffmark", "\\ufeffmark"),
        ("a\rb", "a\\rb"),
        ("bell\x07", "bell\\a"),
        ("\x9b31m", "\\x9b31m"),
        ("\U000e0041tag", "\\U000e0041tag"),
        ("\ud800", "\\ud800"),
        ("a\u200db", "a\\u200db"),
    ],
)
def test_unseen_characters_are_written_out(hidden: str, shown: str) -> None:
    assert visible(hidden) == shown


@pytest.mark.parametrize("text", ["tab\tand\nnewline", "👩🏽‍🚀👨‍👩‍👧‍👦🇳🇴❤️‍🔥", "Zażółć é हिन्दी ไทย 한국어 日本語 العربية", ""])
def test_what_can_be_seen_stays(text: str) -> None:
    assert visible(text) == text


def test_line_end_of_windows_is_a_line_end() -> None:
    assert visible("a\r\nb") == "a\nb"


@given(st.text())
def test_twice_is_once(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [
        ("short", 5, "short"),
        ("0123456789", 6, "01 […]"),
        ("ab👨‍👩‍👧‍👦cdefgh", 10, "ab […]"),
        ("abc🇳🇴xyzuvw", 8, "abc […]"),
        ("abce\u0301xyzuvw", 8, "abc […]"),
    ],
)
def test_cut_is_marked_and_never_inside_a_character(text: str, most: int, cut: str) -> None:
    assert clip(text, most) == cut


@given(st.text(), st.integers(4, 50))
def test_cut_text_is_not_longer_than_asked(text: str, most: int) -> None:
    assert len(clip(text, most)) <= most
