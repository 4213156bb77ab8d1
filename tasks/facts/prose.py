"""What a person wrote in their own words: sentences with their place, without code, quotations and pasted output.

Nothing is rewritten: what does not count is blanked out in a copy of equal length, so every span is a span of the original.
"""

import re
from dataclasses import dataclass

BLANK = "\x00"
"""Stands where text was taken out; ends a sentence."""
_FENCE = re.compile(r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.M | re.S)
_TAG = re.compile(r"<([a-zA-Z][\w:-]*)(?:\s[^>\n]{0,200})?>")
_QUOTED = re.compile(r"^[ \t]*>.*$", re.M)
_PASTED = re.compile(
    r"""^(?:
      [ \t]*(?:Traceback\b|File\ "|at\ [\w.$<>]+\(|Caused\ by)
    | [ \t]*(?:[\w.]*(?:Error|Exception|Warning|Panic)\b:|panic:|error(?:\[\w+\])?:|warning:|fatal:)
    | [ \t]*(?i:error[ei]?|erro|fehler|erreur|ошибка|エラー|错误|錯誤|오류|에러)\ ?[:：]
    | [ \t]*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d                    # log line with a stamp
    | [ \t]*\[?\d\d:\d\d:\d\d
    | [ \t]*(?:\$|%|>>>|PS>|❯|➜)\ \S                        # shell prompt
    | (?:@@|diff\ --git|\+\+\+|---\ [ab]/|[+-]\ {2,})
    | [ \t]*(?:FAILED\b|PASSED\b|FAIL\b|(?:not\ )?ok\ +\d+\b|ok\ *\t|E\ {3}|={3,}|-{4,}|─{3,}|\|)
    | [ \t]*[\[{][\s"\[{].*
    | \ {4,}(?![-*•\d]).*
    | \t+(?![-*•\d]).*
    )[^\n]*$""",
    re.M | re.X,
)
_MASKED = re.compile(r"`[^`\n]+`|https?://\S+|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|«[^»\n]{1,200}»|「[^」\n]{1,200}」")
_END = re.compile(r"[.!?…]+[\"')\]]*(?=\s|\x00|$)|[。！？]+[」』）]*|\x00+|\n")
_BULLET = re.compile(r"^[\s\x00]*(?:[-*•+–]|\(?\d{1,3}[.)]|[①-⑳])\s+(?:\[[ xX]\]\s+)?|^[\s\x00]*#{1,6}\s+")
_SHORT = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|z\.\s?B|bzw|p\. ?ex|т\.\s?е)|^\s*\d{1,3})\.$", re.I)
SHORTEST, LONGEST = 4, 300
EDGE = 20_000
"""Characters read at either end of a message: what is longer was pasted, and people put their rules before or after it."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as written, with its place in the message."""

    text: str
    masked: str
    """The same, lower case, with inline code, addresses and quotations as underscores: rules match here."""
    first: int
    """Characters from the start of the message."""
    last: int


def sentences(message: str) -> list[Sentence]:
    """The sentences a person wrote in a message, in order."""
    if len(message) <= 2 * EDGE:
        return _sentences(message, 0)
    return [*_sentences(message[:EDGE], 0), *_sentences(message[-EDGE:], len(message) - EDGE)]


def _sentences(part: str, offset: int) -> list[Sentence]:
    masked = _MASKED.sub(lambda match: re.sub(r"\S", "_", match[0]), _blank_out(part))
    found: list[Sentence] = []
    start = 0
    for end in _ends(masked):
        bullet = _BULLET.match(masked[start:end])
        first, last = _trim(masked, start + (bullet.end() if bullet else 0), end)
        # A Japanese rule says as much in half the characters.
        shortest = SHORTEST if any("\u3040" <= char <= "\ud7af" for char in masked[first:last]) else 2 * SHORTEST
        if shortest <= last - first <= LONGEST:
            lowered = masked[first:last].lower().replace("’", "'")
            found.append(Sentence(part[first:last], lowered, offset + first, offset + last))
        start = end
    return found


def _blank_out(text: str) -> str:
    for pattern in (_FENCE, _QUOTED, _PASTED):
        text = pattern.sub(lambda match: BLANK * len(match[0]), text)
    return _without_tagged(text)


def _without_tagged(text: str) -> str:
    """Blanks out `<tag> ... </tag>`; linear also where thousands of tags never close."""
    pieces: list[str] = []
    done = 0
    never_closed: set[str] = set()
    for tag in _TAG.finditer(text):
        if tag.start() < done or tag[1] in never_closed:
            continue
        close = f"</{tag[1]}>"
        at = text.find(close, tag.end())
        if at < 0:
            never_closed.add(tag[1])
            continue
        pieces += [text[done : tag.start()], BLANK * (at + len(close) - tag.start())]
        done = at + len(close)
    return "".join([*pieces, text[done:]])


def _ends(masked: str) -> list[int]:
    ends = []
    start = 0
    for match in _END.finditer(masked):
        if match[0] == "\n" and _wraps(masked, start, match.end()):
            continue
        if match[0] == "." and _SHORT.search(masked[start : match.end()]):
            continue
        ends.append(match.end())
        start = match.end()
    return [*ends, len(masked)]


def _wraps(masked: str, start: int, after: int) -> bool:
    """Whether the line break is only the width of somebody's editor: a long line that goes on in lower case."""
    line = masked[max(start, masked.rfind("\n", 0, after - 1) + 1) : after - 1]
    following = masked[after : after + 1]
    return len(line) >= 50 and following.islower() and not line.rstrip().endswith((":", ";", "。"))


def _trim(masked: str, first: int, last: int) -> tuple[int, int]:
    while first < last and (masked[first].isspace() or masked[first] == BLANK):
        first += 1
    while last > first and (masked[last - 1].isspace() or masked[last - 1] == BLANK):
        last -= 1
    return first, last
