"""aider's chat history of one run. It has no tools and no reasoning, and its texts here are kept to one line."""

import hashlib
from pathlib import Path

from builders import Story, Used, Writer


def as_logged(text: str) -> str:
    """One line, which does not begin like one of another kind."""
    line = " ".join(text.split())
    return f"~ {line}" if line.startswith(("#", ">", "<blank>")) else line


def tokens(used: Used) -> str:
    sent = used.uncached + used.cache_read + used.cache_write
    return (
        f"> Tokens: {sent:,} sent, {used.cache_write:,} cache write, {used.cache_read:,} cache hit, "
        f"{used.output:,} received.\nCost: $0.01 message, $0.02 session.  \n"
    )


def started(story: Story) -> str:
    return story.start.isoformat(" ", "seconds")


def named(story: Story) -> str:
    digest = hashlib.sha256(f"looms\0{started(story)}".encode()).hexdigest()
    return f"{digest[:16]}/{story.start.isoformat(timespec='seconds')}"


def write(story: Story, folder: Path) -> Path:
    parts = [f"\n# aider chat started at {started(story)}\n\n> Model: {story.model} with diff edit format  \n"]
    for turn in story.turns:
        parts.append(f"\n#### {as_logged(turn.prompt)}  \n")
        for answer in turn.answers:
            parts += [f"\n{as_logged(answer.text)}\n\n", tokens(answer.used)]
    log = folder / "looms" / ".aider.chat.history.md"
    log.parent.mkdir()
    log.write_bytes("".join(parts).encode())
    return log


LACKS = frozenset(("tools", "reasoning", "reasoning_tokens"))
WRITERS = (Writer("aider", "aider", write, LACKS, as_logged, named),)
