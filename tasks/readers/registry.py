"""Which reader takes a log: one row per agent."""

from collections.abc import Sequence
from typing import Any

from tasks.domain.errors import UsageError
from tasks.readers.claude_code import ClaudeCode
from tasks.readers.protocol import Reader

READERS: tuple[Reader, ...] = (ClaudeCode(),)


def find(head: Sequence[dict[str, Any]]) -> Reader | None:
    """The reader that claims a file with these first objects; None if nobody does."""
    return next((reader for reader in READERS if reader.claims(head)), None)


def by_agent(name: str) -> Reader:
    """The reader of one agent, by the name in `sources.agent`."""
    for reader in READERS:
        if reader.agent == name:
            return reader
    raise UsageError(f"no reader for agent {name!r}; known: {', '.join(r.agent for r in READERS)}")
