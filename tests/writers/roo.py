"""A story as a task of Roo Code with native tools."""

from pathlib import Path
from typing import Any

from builders import Story, Used, Writer
from writers.cline import messages, put, shown


def _counts(used: Used) -> dict[str, Any]:
    whole = used.uncached + used.cache_read + used.cache_write
    return {
        "tokensIn": whole, "tokensOut": used.output, "cacheReads": used.cache_read, "cacheWrites": used.cache_write,
        "apiProtocol": "anthropic",
    }  # fmt: skip


def _task(story: Story, folder: Path) -> Path:
    mode = f"# Current Mode\n<slug>code</slug>\n<name>Code</name>\n<model>{story.model}</model>"
    found = messages(story, f"<environment_details>\n{mode}\n</environment_details>")
    files = {
        "api_conversation_history.json": [message for message, _ in found],
        "ui_messages.json": shown(found, _counts),
        "history_item.json": {"id": story.native_id, "workspace": story.cwd, "tokensIn": 7, "tokensOut": 9},
    }
    return put(folder / story.native_id, files)


WRITERS = (Writer("roo", "roo", _task, frozenset({"reasoning_tokens"})),)
