"""Colors of charts are seen on the page, and told apart by everyone, in light and in dark."""

import math
import re
from itertools import combinations

import pytest

from tasks.report.templates import text_of

Color = tuple[float, float, float]
LEAST_CONTRAST = 3.0
"""Of marks against what they stand on (WCAG 2.2, 1.4.11)."""
LEAST_DISTANCE = 0.05
"""In OKLab, where 0.02 is just seen."""
SIGHT = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
"""How linear light is seen (Machado, Oliveira and Fernandes 2009)."""


def schemes() -> dict[str, dict[str, Color]]:
    """Colors by their names in the style sheet, as linear light."""
    blocks = re.findall(r":root \{(.*?)\}", text_of("style.css"), re.S)
    found = [{name: linear(value) for name, value in re.findall(r"--(\w+): (#[0-9a-f]{3,6});", block)} for block in blocks]
    light, dark, printed = found
    return {"light": light, "dark": {**light, **dark}, "printed": {**light, **printed}}


def linear(value: str) -> Color:
    digits = value[1:] if len(value) == 7 else "".join(2 * digit for digit in value[1:])
    red, green, blue = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    return _light(red), _light(green), _light(blue)


def _light(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def contrast(one: Color, other: Color) -> float:
    darker, lighter = sorted(0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def seen(color: Color, sight: str) -> Color:
    """In OKLab."""
    red, green, blue = (max(0.0, sum(weight * part for weight, part in zip(row, color, strict=True))) for row in SIGHT[sight])
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    middle = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


@pytest.mark.parametrize("scheme", ["light", "dark", "printed"])
def test_marks_stand_out_from_the_paper(scheme: str) -> None:
    colors = schemes()[scheme]
    faint = {name for name in (f"c{n}" for n in range(1, 9)) if contrast(colors[name], colors["paper"]) < LEAST_CONTRAST}
    assert not faint


@pytest.mark.parametrize("scheme", ["light", "dark", "printed"])
def test_words_can_be_read(scheme: str) -> None:
    colors = schemes()[scheme]
    assert min(contrast(colors[name], colors["paper"]) for name in ("ink", "soft", "accent", "warn")) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark", "printed"])
@pytest.mark.parametrize("sight", SIGHT)
def test_no_two_colors_look_alike(scheme: str, sight: str) -> None:
    colors = schemes()[scheme]
    names = [f"c{n}" for n in range(1, 9)]
    alike = [
        pair for pair in combinations(names, 2)
        if math.dist(seen(colors[pair[0]], sight), seen(colors[pair[1]], sight)) < LEAST_DISTANCE
    ]  # fmt: skip
    assert not alike
