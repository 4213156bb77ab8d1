"""Where a long text may be cut before it is encoded."""

import re
from collections.abc import Iterator

PIECE_CHARS = 20_000
"""Longest text that goes to the encoder at once. A regular expression over one run of a million equal characters can panic."""

NEAR_CHARS = 200
"""A seam is looked for in the last characters of a piece first, where almost every text has one."""

_AHEAD = 2
"""How many characters the pattern reads behind a seam."""

SEAM = re.compile(
    r"(?<=\n)(?=[^\s/])"  # a line that starts with neither white space nor a slash
    r"|(?<=\S)(?=[ \t]\S)"  # a lone blank or tab
    r"|(?<=[A-Za-z0-9])(?=[!-&(-/:-@\[-`{-~])"  # ASCII punctuation after a word; an apostrophe may belong to the word
    r"|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])"
)
"""Places where o200k_base and cl100k_base always start a new word, so that the counts of both sides add up exactly."""


def pieces(text: str, size: int = PIECE_CHARS) -> Iterator[tuple[str, bool]]:
    """The text in order, in pieces of at most `size` characters, each with whether its end is exact.

    Only an unbroken run (one letter after the other, one dash after the other, white space) can fill a piece without
    a seam; it is cut where the piece is full.
    """
    start = 0
    while len(text) - start > size:
        end = start + size
        seam = _last_seam(text, max(start + 1, end - NEAR_CHARS), end) or _last_seam(text, start + 1, end)
        yield text[start : seam or end], seam is not None
        start = seam or end
    yield text[start:], True


def _last_seam(text: str, low: int, high: int) -> int | None:
    last = None
    for match in SEAM.finditer(text, low, high + _AHEAD):
        if match.start() > high:
            break
        last = match.start()
    return last
