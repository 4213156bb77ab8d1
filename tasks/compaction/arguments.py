"""The arguments of a call as data, and back to the canonical JSON that items have. Pure."""

import json
from collections.abc import Iterator
from typing import Any

SHORT_CHARS = 24
"""Arguments that are no longer say what a call was, and cost less than a marker."""
_PATHS = frozenset({"file_path", "path", "filePath", "filename", "notebook_path", "TargetFile", "AbsolutePath"})
Leaf = tuple[str | int, ...]
"""The way to a text in the arguments of a call; () for the text of a result."""


def parsed(arguments: str) -> Any:
    """The arguments of a call; None where they are no JSON: such a call stays as it is."""
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return None


def dumped(arguments: Any) -> str:
    """Canonical JSON, as the items have it."""
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def escaped(text: str) -> str:
    """A text as it stands within JSON."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def long_arguments(arguments: Any, path: str | None) -> list[str]:
    """Names of the arguments that are neither short nor the path, the longest first."""
    if not isinstance(arguments, dict):
        return []
    sizes = {
        name: len(dumped(value)) for name, value in arguments.items() if name not in _PATHS and not (path and value == path)
    }
    return sorted((name for name, size in sizes.items() if size > SHORT_CHARS), key=lambda name: (-sizes[name], name))


def leaves(arguments: Any) -> Iterator[tuple[Leaf, str]]:
    """Every text in the arguments, in the order of their canonical JSON, with the way to it."""
    waiting: list[tuple[Leaf, Any]] = [((), arguments)]
    while waiting:
        way, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [((*way, name), value[name]) for name in sorted(value, reverse=True)]
        elif isinstance(value, list):
            waiting += [((*way, number), one) for number, one in reversed(list(enumerate(value)))]
        elif isinstance(value, str):
            yield way, value


def with_texts(arguments: Any, texts: dict[Leaf, str]) -> Any:
    """The arguments with other texts at some leaves."""
    if () in texts:
        return texts[()]
    if not texts:
        return arguments
    if isinstance(arguments, dict):
        return {name: with_texts(value, _under(texts, name)) for name, value in arguments.items()}
    if isinstance(arguments, list):
        return [with_texts(value, _under(texts, number)) for number, value in enumerate(arguments)]
    return arguments


def _under(texts: dict[Leaf, str], name: str | int) -> dict[Leaf, str]:
    return {leaf[1:]: text for leaf, text in texts.items() if leaf and leaf[0] == name}
