"""What the lines of a chat history are, and what they say: numbers, names, files. Knows no sessions."""

import re
from collections.abc import Sequence

from tasks.readers.usage import Usage, cached_beside

START, USER, TOOL, TEXT = "start", "user", "tool", "text"

STARTED = re.compile(r"^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
BREAK = "  "
"""aider ends each prompt line, and each message of its own, with a line break of Markdown: two spaces."""

_PREFIXES = {USER: "####", TOOL: ">"}
_COUNT = r"(\d[\d,]*(?:\.\d+)?[kM]?)"
_TOKENS = re.compile(
    rf"^Tokens: {_COUNT} sent(?:, {_COUNT} cache write)?(?:, {_COUNT} (?:cache hit|cached))?, {_COUNT} received"
)
_UNITS = {"k": 1000, "M": 1_000_000}
_MODEL = re.compile(r"^(?:Models?|Main model): ([\w./:@+-]+)")
_VERSION = re.compile(r"^Aider (v\S+)")
_FOLDER = re.compile(r"^(?:Cur|Git) working dir: (/.*|[A-Za-z]:\\.*)")
_EDITED = re.compile(r"^(?:Applied edit to|Creating empty file) (.+)$")


def kind(line: str) -> str:
    """By its first characters alone; what they are worth, the run decides."""
    if STARTED.match(line):
        return START
    if line.startswith("#### ") or line.rstrip() == "####":
        return USER
    return TOOL if line.startswith("> ") or line == ">" else TEXT


def stripped(lines: Sequence[str], of: str) -> list[str]:
    """Lines without the prefix of their kind and without the break at their end."""
    prefix = _PREFIXES[of]
    bare = (line.removesuffix("\r").removesuffix(BREAK) for line in lines)
    return [line.removeprefix(prefix).removeprefix(" ") for line in bare]


def has_break(line: str) -> bool:
    """Whether aider may have ended its words here. A line of nothing but spaces, as in a program's output, is no end."""
    bare = line.removesuffix("\r")
    return bare.endswith(BREAK) and not bare.isspace()


def unbroken(line: str) -> str:
    return line.removesuffix("\r").removesuffix(BREAK) if has_break(line) else line.removesuffix("\r")


def usage(line: str) -> Usage | None:
    """The tokens that a line reports, flag `rounded` where it rounds them; None for any other line.

    Newer versions count what the cache gave and took in `sent`, some older ones beside it. A line whose cache is larger than
    what was sent, by more than rounding explains, is of the second kind: flag `cached_beside_sent`.
    """
    found = _TOKENS.match(line)
    if found is None:
        return None
    sent, written, read, received = (None if text is None else _number(text) for text in found.groups())
    cached = (written or 0) + (read or 0)
    flags = ("rounded",) if re.search(r"\d[kM]", found[0]) else ()
    fresh = (sent or 0) - cached
    if fresh < -sum(_doubt(text) for text in found.groups()[:3] if text):
        fresh, flags = sent or 0, (*flags, "cached_beside_sent")
    plain = cached_beside(max(fresh, 0), read, written, received)
    return Usage(plain.uncached, plain.cache_read, plain.cache_write, output=plain.output, flags=(*flags, *plain.flags))


def _number(text: str) -> int:
    digits, unit = text.rstrip("kM").replace(",", ""), _UNITS.get(text[-1], 1)
    return round(float(digits[:18]) * unit)


def _doubt(text: str) -> float:
    """How far a rounded number may be from the true one."""
    decimals = len(text.rstrip("kM").partition(".")[2])
    return _UNITS[text[-1]] / 10**decimals / 2 if text[-1] in _UNITS else 0


def model(line: str) -> str | None:
    return _first(_MODEL, line)


def version(line: str) -> str | None:
    return _first(_VERSION, line)


def folder(line: str) -> str | None:
    return _first(_FOLDER, line)


def edited(line: str) -> str | None:
    """The file that a message says was changed."""
    return _first(_EDITED, line)


def _first(pattern: re.Pattern[str], line: str) -> str | None:
    found = pattern.match(line)
    return found.group(1).strip() if found else None
