"""Where the secrets in a text are."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from tasks.redaction.kinds import KINDS
from tasks.redaction.named import CONTEXTS, is_about_a_secret
from tasks.redaction.strength import is_placeholder

PLACEHOLDER = re.compile(r"\[REDACTED:[a-z0-9_]+:[0-9a-f]{8}\]")
"""What stands where a secret was."""

MIN_CHARS = 9
"""Nothing shorter holds a secret: `ab://:c@d`."""
BLOCK_CHARS = 16_384

_WORD_START = re.compile(r"(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=[0-9;]m)|(?<=%[0-9A-F]{2})")
"""Also behind an escaped newline, a terminal color and a percent-encoded character."""
_WORD_END = r"(?![A-Za-z0-9])"
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTINUED = re.compile(r"(?:\\\r?\n|\\{3}n)[ \t]*[A-Za-z0-9_+/=-]{8,}")
"""The rest of a token that a shell's line continuation cuts in two."""


class Found(NamedTuple):
    """A secret and its type; `start` and `end` are offsets in characters."""

    start: int
    end: int
    kind: str


class _Detector(NamedTuple):
    kind: str
    is_possible: Callable[[str], bool]
    pattern: re.Pattern[str]
    accepts: Callable[[re.Match[str]], bool]
    spans_lines: bool

    def found_in(self, text: str) -> Iterator[Found]:
        for start, end in ((0, len(text)),) if self.spans_lines else _blocks(text):
            if len(text) <= BLOCK_CHARS or self.is_possible(text[start:end]):
                for match in self.pattern.finditer(text, start, end):
                    if self.accepts(match):
                        low, high = match.span(match.re.groups)
                        yield Found(low, _end_of_continuation(text, high), self.kind)


def find(text: str) -> list[Found]:
    """The secrets in order; none overlaps another or a placeholder. Of two that overlap the more telling type wins."""
    hits = list(_hits(text))
    if not hits:
        return []
    taken = [match.span() for match in PLACEHOLDER.finditer(text)]
    found: list[Found] = []
    for hit in hits:
        place = bisect_left(taken, (hit.start, hit.start))
        is_free_before = place == 0 or taken[place - 1][1] <= hit.start
        if is_free_before and (place == len(taken) or hit.end <= taken[place][0]):
            taken.insert(place, (hit.start, hit.end))
            found.append(hit)
    return sorted(found)


def _hits(text: str) -> Iterator[Found]:
    """Almost no text holds a secret, so most of the time goes into seeing that, in a few fast passes."""
    if len(text) < MIN_CHARS:
        return
    text = _searchable(text)
    structured = _structured() if _any_structured()(text) else ()
    for detector in (*structured, *_named()):
        if detector.is_possible(text):
            yield from detector.found_in(text)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Offsets of runs of whole lines: the slow engine is only let at the blocks where the fast one saw something."""
    start = 0
    while start < len(text):
        newline = text.find("\n", start + BLOCK_CHARS)
        end = len(text) if newline < 0 else newline + 1
        yield start, end
        start = end


def _end_of_continuation(text: str, end: int) -> int:
    while match := _CONTINUED.match(text, end):
        end = match.end()
    return end


def _searchable(text: str) -> str:
    """The text, character for character, as the fast engine takes it: it refuses lone surrogates."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


@lru_cache(maxsize=1)
def _any_structured() -> Callable[[str], bool]:
    return _searcher("|".join(f"(?:{start})" for start in dict.fromkeys(kind.start for kind in KINDS)))


@lru_cache(maxsize=1)
def _structured() -> tuple[_Detector, ...]:
    return tuple(
        _Detector(
            kind.name,
            _searcher(kind.start),
            re.compile(kind.pattern + _WORD_END if kind.is_bounded else kind.pattern),
            _is_whole_word if kind.is_bounded else _is_no_placeholder,
            kind.name == "private_key",
        )
        for kind in KINDS
    )


@lru_cache(maxsize=1)
def _named() -> tuple[_Detector, ...]:
    return tuple(
        _Detector(
            context.name,
            _searcher(context.hint),
            re.compile(context.pattern),
            _value_test(context.is_secret),
            context.spans_lines,
        )
        for context in CONTEXTS
    )


def _is_whole_word(match: re.Match[str]) -> bool:
    """Looked at last: a pattern that begins with look-behind is many times slower."""
    return bool(_WORD_START.match(match.string, match.start())) and _is_no_placeholder(match)


def _is_no_placeholder(match: re.Match[str]) -> bool:
    return not is_placeholder(match[match.re.groups]) or match[0].startswith("-----BEGIN")


def _value_test(is_secret: Callable[[str], bool]) -> Callable[[re.Match[str]], bool]:
    def accepts(match: re.Match[str]) -> bool:
        if match.re.groups > 1 and is_about_a_secret(match[1]):
            return False
        return is_secret(match[match.re.groups])

    return accepts


def _searcher(pattern: str) -> Callable[[str], bool]:
    """Whether the pattern occurs in a text, by Rust's engine: linear time, hundreds of megabytes a second.

    pydantic is where this engine is at hand.
    """
    from pydantic_core import SchemaValidator, core_schema

    schema = core_schema.str_schema(pattern=pattern, regex_engine="rust-regex", strict=True)
    return SchemaValidator(schema).isinstance_python
