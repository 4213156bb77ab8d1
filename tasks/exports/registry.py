"""The formats a session can be exported in: one row each."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tasks.domain.errors import UsageError
from tasks.exports import atif, jsonl, markdown
from tasks.exports.model import Session

FORMATS: Mapping[str, Callable[[Session], str]] = MappingProxyType(
    {
        "atif": atif.export,
        "jsonl": jsonl.export,
        "markdown": markdown.export,
    }
)


def by_name(name: str) -> Callable[[Session], str]:
    """What writes a format. UsageError with the known ones when there is none of that name."""
    if name not in FORMATS:
        raise UsageError(f"--format {name}: give one of {', '.join(FORMATS)}")
    return FORMATS[name]
