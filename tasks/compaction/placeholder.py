"""The fixed words that stand in place of a tool's output, and what they still tell of it. Pure."""

import json
import re
from collections.abc import Sequence

from tasks.domain.item import Item
from tasks.domain.visible import clip

PREFIX = "[TRUNCATED:"
PRUNED = "[pruned]"
BINARY = "[binary]"
LINE_CHARS = 200
_TOLD = ("command", "cmd", "pattern", "query", "url", "prompt", "description")
"""Arguments that say in short what a call was for, the best first."""
_BLOB = re.compile(r"\[blob:[^\]]*\]")


def truncated(size: int, kept: int) -> str:
    """The bracket: bytes of the original, characters that are kept of it."""
    return f"[TRUNCATED: {size} bytes, {kept} chars]"


def head_of(parts: Sequence[str | None], most: int) -> str:
    """The first characters of each part of a result, joined by a space; a part that is no text (None) is `[binary]`."""
    return " ".join(BINARY if part is None else part[:most] for part in parts)


def placeholder(result: Item, call: Item | None, head: int) -> str:
    """The bracket, then the path or command, then the first `head` characters; with no head the bracket alone."""
    kept = result.text[:head]
    lines = [truncated(size_of(result.text), len(kept))]
    if head:
        lines += [told for told in (what_for(result, call), kept) if told]
    return "\n".join(lines)


def pruned(output: str) -> str:
    """The word alone, or with the reference to a blob that the output began with."""
    blob = _BLOB.match(output)
    return f"{PRUNED} {blob[0]}" if blob else PRUNED


def size_of(text: str) -> int:
    """Bytes as UTF-8; half of a surrogate pair counts like the character that would replace it."""
    return len(text.encode("utf-8", "surrogatepass"))


def what_for(result: Item, call: Item | None) -> str:
    """One line: the path that a call was about, or its command; nothing where neither is known."""
    path = result.path or (call.path if call else None)
    told = path or (_argument(call.text) if call else "")
    return clip(" ".join(told.split()), LINE_CHARS)


def _argument(arguments: str) -> str:
    try:
        told = json.loads(arguments)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(told, dict):
        return ""
    value = next((told[name] for name in _TOLD if told.get(name)), "")
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
