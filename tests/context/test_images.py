"""Tokens of images, as providers publish them; the examples are theirs where they give any."""

import pytest

from tasks.context.images import tokens


@pytest.mark.parametrize(
    ("model", "width", "height", "count"),
    [
        # 8 x 8 patches of 28 pixels.
        ("claude-sonnet-4-5-20250929", 200, 200, 64),
        # The published example: 1,075 x 1,520 would be 39 x 55 = 2,145 and is made 924 x 1,307, 33 x 47 patches.
        ("claude-opus-4-5-20251101", 1_075, 1_520, 1_551),
        # The published example: 1,920 x 1,080 is made 1,456 x 819, 52 x 30 patches.
        ("anthropic.claude-opus-4-6-v1:0", 1_920, 1_080, 1_560),
        # A model of high resolution takes both as they are: 39 x 55, and 69 x 39.
        ("claude-opus-4-7", 1_075, 1_520, 2_145),
        ("claude-sonnet-5", 1_920, 1_080, 2_691),
        # The edge bounds a long strip: 1,568 pixels are 56 patches.
        ("claude-haiku-4-5", 9_000, 10, 56),
    ],
)
def test_claude_counts_patches_of_the_image_made_to_fit(model: str, width: int, height: int, count: int):
    assert tokens(model, width, height) == count


@pytest.mark.parametrize(
    ("model", "width", "height", "count"),
    [
        # Fits 2,048; its short side becomes 768: four tiles of 170 and 85.
        ("gpt-4o-2024-08-06", 1_024, 1_024, 765),
        # 2,048 x 4,096 becomes 768 x 1,536: six tiles.
        ("gpt-4.1", 2_048, 4_096, 1_105),
        # Small images are not made larger: one tile.
        ("gpt-5.1-codex-max", 300, 200, 210),
        ("o3", 300, 200, 225),
        # 32 x 32 patches of 32 pixels, times 1.62, and times 1 where no factor is published.
        ("gpt-5-mini-2025-08-07", 1_024, 1_024, 1_659),
        ("openai/gpt-5.2-codex", 1_024, 1_024, 1_024),
        # The published example: 1,800 x 2,400 is over 1,536 patches and is made 33 x 44 of them; 1,452 x 1.72.
        ("o4-mini", 1_800, 2_400, 2_498),
        # 50 x 50 patches are within 2,500.
        ("gpt-5.4", 1_600, 1_600, 2_500),
    ],
)
def test_openai_counts_tiles_or_patches_as_the_model_does(model: str, width: int, height: int, count: int):
    assert tokens(model, width, height) == count


@pytest.mark.parametrize(
    ("model", "width", "height", "count"),
    [
        ("gemini-2.5-pro", 384, 384, 258),
        # The published example: 540 / 1.5 = 360; 960 x 540 are 3 x 2 squares of that.
        ("gemini-2.0-flash", 960, 540, 1_548),
        ("gemini-3-pro-preview", 4_000, 3_000, 1_120),
    ],
)
def test_gemini_counts_tiles_and_since_3_every_image_alike(model: str, width: int, height: int, count: int):
    assert tokens(model, width, height) == count


@pytest.mark.parametrize(
    ("model", "width", "height"), [("glaze-3", 10, 10), (None, 10, 10), ("gpt-4o", None, None), ("o3-mini", 9, 9)]
)
def test_of_unknown_size_or_family_nothing_is_known(model: str | None, width: int | None, height: int | None):
    assert tokens(model, width, height) is None


@pytest.mark.parametrize("model", ["claude-opus-4-5", "claude-opus-4-8", "gpt-4o", "gpt-5.2", "gpt-5.4", "gemini-2.5-pro"])
@pytest.mark.parametrize("size", [(1, 1), (1, 100_000), (100_000, 1), (8_000, 8_000)])
def test_no_size_is_too_odd(model: str, size: tuple[int, int]):
    assert (tokens(model, *size) or 0) > 0
