"""Which reader takes a log: one row per agent."""

from tasks.domain.errors import UsageError
from tasks.domain.records import Head
from tasks.readers.claude_code import ClaudeCode
from tasks.readers.codecoder import CodeCoder
from tasks.readers.codex import Codex
from tasks.readers.protocol import Reader
from tasks.readers.yoi import Yoi

READERS: tuple[Reader, ...] = (
    ClaudeCode(),
    CodeCoder(),
    Codex(),
    Yoi(),
)


def find(head: Head) -> Reader | None:
    """The reader that claims a log with this head; None if nobody does."""
    return next((reader for reader in READERS if head.form in reader.forms and reader.claims(head)), None)


def by_agent(name: str) -> Reader:
    """The reader of one agent, by the name in `sources.agent`."""
    for reader in READERS:
        if reader.agent == name:
            return reader
    raise UsageError(f"no reader for agent {name!r}; known: {', '.join(r.agent for r in READERS)}")
