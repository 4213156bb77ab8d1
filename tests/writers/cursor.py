"""Stories as Cursor keeps them: a transcript without ids, times or counts."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from builders import Story, Writer


def messages(story: Story) -> Iterator[dict[str, Any]]:
    """Calls have no ids, and their results, which are messages of the user, name some."""
    names = (f"tool_{number}" for number in range(10**6))
    for turn in story.turns:
        yield _message("user", [{"type": "text", "text": turn.prompt}])
        for answer in turn.answers:
            said = [{"type": "thinking", "thinking": answer.reasoning}, {"type": "text", "text": answer.text}]
            calls = [{"type": "tool_use", "name": tool.name, "input": tool.arguments} for tool in answer.tools]
            yield _message("assistant", [*said, *calls])
            results = [{"type": "tool_result", "tool_use_id": next(names), "content": tool.result} for tool in answer.tools]
            if results:
                yield _message("user", results)


def _message(role: str, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {"role": role, "message": {"content": content}}


def write(story: Story, folder: Path) -> Path:
    log = folder / f"{story.native_id}.jsonl"
    lines = [*messages(story), {"type": "turn_ended", "status": "success"}]
    log.write_bytes(b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines))
    return log


WRITERS = (Writer("cursor", "cursor", write, frozenset({"usage"})),)
