"""Lines of code that a text shows, and those that an edit had to know by heart to replace them. Pure."""

import json
import re
from collections.abc import Iterator
from typing import Any

SHORTEST = 12
"""Characters of a line that could not stand anywhere."""
_OLD = {"old_string", "old_str", "old_text", "oldText", "oldString", "old_content"}
_NUMBERED = re.compile(r"^ *\d+(?:→|\t)", re.M)
_ARROWED = re.compile(r"^ *\d+→", re.M)
"""Nothing but a read writes such numbers; an edit shows what it made with them, under a heading."""
_PATCH = "*** Update File: "


def lines(text: str, numbered: bool | None = None) -> set[str]:
    """The lines of a text without the space around them, and without the numbers that a read puts before each. `numbered` says
    whether it did, where the beginning of the text may be gone."""
    text = (_NUMBERED if (is_numbered(text) if numbered is None else numbered) else _ARROWED).sub("", text)
    return {line for one in text.split("\n") if len(line := one.strip()) >= SHORTEST}


def is_numbered(text: str) -> bool:
    """Whether it begins with the number of a line."""
    return _NUMBERED.match(text.lstrip("\n")) is not None


def strings(arguments: str) -> list[str]:
    """The texts in the arguments of a call, as the model meant them: without keys, and nothing escaped."""
    return [text for _, text in _leaves(arguments)]


def replaced(arguments: str) -> set[str]:
    """Lines that an edit gave word for word as what it replaces, or beside it: of an old string, or of a patch."""
    found: set[str] = set()
    for key, text in _leaves(arguments):
        if key in _OLD:
            found |= lines(text)
        elif _PATCH in text:
            found |= lines("\n".join(line[1:] for line in text.split("\n") if line.startswith((" ", "-"))))
    return found


def _leaves(arguments: str) -> Iterator[tuple[str, str]]:
    """(key, text) of everything that is no list or object; the arguments themselves where they are no JSON."""
    try:
        waiting: list[tuple[str, Any]] = [("", json.loads(arguments))]
    except (ValueError, RecursionError):
        waiting = [("", arguments)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(str(name), one) for name, one in value.items()]
        elif isinstance(value, list):
            waiting += [(key, one) for one in value]
        elif value is not None:
            yield key, value if isinstance(value, str) else str(value)
