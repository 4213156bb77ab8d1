"""What a program printed, line by line: as it stands, and as a person saw it. Pure, linear."""

import re
from typing import NamedTuple

MATCHED = 600
"""Characters of a line that rules look at; no runner says later on a line what it is about."""
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")


class Line(NamedTuple):
    """One line: what was last visible of it, without colors and overwritten progress, and its place in the raw text."""

    text: str
    first: int
    last: int
    """Where its line break begins."""


def lines_of(raw: str) -> list[Line]:
    """The lines of an output. Only `text` is for matching; spans are of the raw text."""
    found: list[Line] = []
    first = 0
    for line in raw.split("\n"):
        found.append(Line(_visible(line), first, first + len(line)))
        first += len(line) + 1
    return found


def _visible(line: str) -> str:
    if "\r" in line:
        line = line.rstrip("\r").rpartition("\r")[2]
    if "\x1b" in line:
        line = _ESCAPES.sub("", line[: 4 * MATCHED])
    return line[:MATCHED].rstrip()
