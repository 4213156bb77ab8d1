from decimal import Decimal

import pytest

from tasks.report import words


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0"), (28, "28"), (999, "999"), (1000, "1.00k"), (54_440, "54.4k"), (558_340, "558k"), (999_499, "999k"),
     (999_500, "1.00M"), (2_275_524, "2.28M"), (331_018_937, "331M"), (1_102_350_666, "1.10B"), (9_996, "10.0k"),
     (-1_530, "−1.53k"), (-8, "−8"), (None, "–")],
)  # fmt: skip
def test_three_digits_say_how_much(number: int | None, shown: str) -> None:
    assert words.compact(number) == shown


@pytest.mark.parametrize(
    ("share", "part", "shown"),
    [
        (0.953, 1, "95.3 %"),
        (1.0, 1, "100.0 %"),
        (0.0, 28, "< 0.1 %"),
        (0.0, 0, "0.0 %"),
        (0.0001, 0, "< 0.1 %"),
        (-0.0421, -5, "−4.2 %"),
        (-0.0001, -5, "< 0.1 %"),
        (None, 0, "–"),
    ],
)
def test_little_is_told_apart_from_nothing(share: float | None, part: int, shown: str) -> None:
    assert words.percent(share, part) == shown


@pytest.mark.parametrize(
    ("dollars", "shown"),
    [
        ("252.348157080", "$252.35"),
        ("0", "$0.00"),
        ("0.004", "< $0.01"),
        ("12345.6", "$12,346"),
        ("-0.03", "−$0.03"),
        ("-0.001", "> −$0.01"),
        (None, "–"),
    ],
)
def test_money_is_never_rounded_to_nothing(dollars: str | None, shown: str) -> None:
    assert words.money(None if dollars is None else Decimal(dollars)) == shown


def test_path_keeps_the_end_that_tells_files_apart() -> None:
    assert words.short_path("/srv/kiln/a.py", 20) == "/srv/kiln/a.py"
    assert words.short_path("/srv/demo/kiln/glaze/mixer.py", 20) == "…/glaze/mixer.py"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (9_000, "2 h 30 min"), (93_600, "1 d 2 h"), (None, "–"), (-5, "–")],
)
def test_time_is_told_in_two_units(seconds: int | None, shown: str) -> None:
    assert words.duration(seconds) == shown


def test_path_is_told_from_its_folder() -> None:
    assert words.inside("/srv/kiln/a.py", "/srv/kiln") == "a.py"
    assert words.inside("/srv/kilns/a.py", "/srv/kiln/") == "/srv/kilns/a.py"
    assert words.inside("/a.py", "/") == "/a.py"
    assert words.inside("a.py", None) == "a.py"
