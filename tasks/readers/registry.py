"""Which reader takes a log: one row per agent."""

from tasks.domain.errors import UsageError
from tasks.domain.records import Head
from tasks.readers.amp import Amp
from tasks.readers.claude_code import ClaudeCode
from tasks.readers.codex import Codex
from tasks.readers.cursor import Cursor
from tasks.readers.goose import Goose
from tasks.readers.hermes import Hermes
from tasks.readers.opencode import OpenCode
from tasks.readers.protocol import Reader

READERS: tuple[Reader, ...] = (
    Amp(),
    ClaudeCode(),
    Codex(),
    Cursor(),
    Goose(),
    Hermes(),
    OpenCode(),
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
