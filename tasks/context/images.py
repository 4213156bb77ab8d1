"""How many tokens an image is, as its provider publishes it, by the image's size and the model's family. Pure.

Claude: one token for each patch of 28 x 28 pixels, after the image is made to fit the model's longest edge and most tokens
(platform.claude.com, "Images and vision"). OpenAI: tiles of 512 pixels, or patches of 32 pixels times a factor of the model,
both at the detail "high" (developers.openai.com, "Images and vision"). Gemini: 258 for each tile, since Gemini 3 one number for
all (ai.google.dev, "Understand and count tokens", "Media resolution"). Of other families nothing is known.
"""

import re
from dataclasses import dataclass
from functools import cache
from math import ceil, floor, sqrt

PATCH = 28


@dataclass(frozen=True, slots=True)
class _Patches:
    """OpenAI's newer models."""

    budget: int = 1_536
    factor: float = 1.0

    def tokens(self, width: int, height: int) -> int:
        fit = min(1.0, 2_048 / max(width, height))
        count = _cover(width * fit, height * fit, 32)
        if count > self.budget:
            shrink = sqrt(32 * 32 * self.budget / (width * height))
            across, down = width * shrink / 32, height * shrink / 32
            shrink *= min(floor(across) / across, floor(down) / down)
            count = min(self.budget, _cover(max(1, round(width * shrink)), max(1, round(height * shrink)), 32))
        return ceil(count * self.factor)


@dataclass(frozen=True, slots=True)
class _Tiles:
    """OpenAI's older models."""

    base: int
    tile: int

    def tokens(self, width: int, height: int) -> int:
        fit = min(1.0, 2_048 / max(width, height))
        fit *= min(1.0, 768 / (min(width, height) * fit))
        return self.base + self.tile * _cover(width * fit, height * fit, 512)


@dataclass(frozen=True, slots=True)
class _Fitted:
    """Claude's: a longest edge and a most of tokens, that no image exceeds."""

    edge: int
    most: int

    def tokens(self, width: int, height: int) -> int:
        long, short = max(width, height), min(width, height)
        if self._fits(long, short):
            return _cover(long, short, PATCH)
        fits, exceeds = 1, long
        while exceeds - fits > 1:
            middle = (fits + exceeds) // 2
            if self._fits(middle, max(1, round(middle * short / long))):
                fits = middle
            else:
                exceeds = middle
        return _cover(fits, max(1, round(fits * short / long)), PATCH)

    def _fits(self, long: int, short: int) -> bool:
        return ceil(long / PATCH) * PATCH <= self.edge and _cover(long, short, PATCH) <= self.most


@dataclass(frozen=True, slots=True)
class _Gemini:
    """Gemini 2: a small image is one tile; a larger one is cut into squares of two thirds of its short side."""

    def tokens(self, width: int, height: int) -> int:
        side = min(768, max(256, floor(min(width, height) / 1.5)))
        return 258 if max(width, height) <= 384 else 258 * _cover(width, height, side)


@dataclass(frozen=True, slots=True)
class _Same:
    """Every image alike."""

    count: int

    def tokens(self, width: int, height: int) -> int:
        return self.count


Rule = _Patches | _Tiles | _Fitted | _Gemini | _Same
_OPENAI: tuple[tuple[str, Rule], ...] = (
    (r"gpt-4o-mini", _Tiles(2_833, 5_667)),
    (r"gpt-4\.1-mini", _Patches(factor=1.62)),
    (r"gpt-4\.1-nano", _Patches(factor=2.46)),
    (r"gpt-4o|chatgpt-4o|gpt-4\.1|gpt-4\.5", _Tiles(85, 170)),
    (r"o4-mini", _Patches(factor=1.72)),
    (r"o[13]\b(?!-mini)", _Tiles(75, 150)),
    (r"computer-use", _Tiles(65, 129)),
    (r"gpt-5-mini", _Patches(factor=1.62)),
    (r"gpt-5-nano", _Patches(factor=2.46)),
    (r"gpt-5(?:\.1)?-codex-mini", _Patches()),
    (r"gpt-5(?:\.1)?(?![\d.])", _Tiles(70, 140)),
    (r"gpt-5\.[23](?!\d)", _Patches()),
    (r"gpt-5\.4(?!\d)", _Patches(2_500)),
    (r"gpt-(?:5\.|[6-9])", _Patches(2_500, 1.2)),
)
"""The first that a model's name begins with. From GPT-5.5 on the factor is measured, not published."""
_CLAUDE = re.compile(r"(?:opus|sonnet|haiku)-(\d{1,2})(?:-(\d{1,2}))?(?:-|$|@|\[)")
_STANDARD, _HIGH = _Fitted(1_568, 1_568), _Fitted(2_576, 4_784)


def tokens(model: str | None, width: int | None, height: int | None) -> int | None:
    """Tokens of an image of so many pixels; None where its size or the model's rule is not known."""
    rule = _rule(model) if width and height else None
    return rule.tokens(width, height) if rule and width and height else None


@cache
def _rule(model: str | None) -> Rule | None:
    name = (model or "").lower().rsplit("/", 1)[-1]
    if "claude" in name:
        found = _CLAUDE.search(name)
        is_old = "claude-3" in name or "claude-2" in name or (found and (int(found[1]), int(found[2] or 0)) < (4, 7))
        return _STANDARD if is_old else _HIGH
    if found := re.search(r"gemini-(\d+)", name):
        return _Gemini() if int(found[1]) < 3 else _Same(1_120)
    return next((rule for begin, rule in _OPENAI if re.match(begin, name)), None)


def _cover(width: float, height: float, side: int) -> int:
    """Squares of a side that cover so many pixels."""
    return ceil(width / side) * ceil(height / side)
