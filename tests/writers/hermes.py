"""Stories as Hermes keeps them: a document, and the lines that it is written from. It counts no tokens."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from builders import Story, Tool, Writer

_LACKS = frozenset({"usage"})


def messages(story: Story) -> Iterator[dict[str, Any]]:
    """Tool results are messages of their own."""
    names = (f"call_{number}" for number in range(10**6))
    for turn in story.turns:
        yield {"role": "user", "content": turn.prompt}
        for answer in turn.answers:
            calls = [_call(next(names), tool) for tool in answer.tools]
            yield {"role": "assistant", "content": answer.text, "reasoning": answer.reasoning, "tool_calls": calls}
            for call, tool in zip(calls, answer.tools, strict=True):
                yield {"role": "tool", "content": tool.result, "tool_call_id": call["id"], "tool_name": tool.name}


def _call(name: str, tool: Tool) -> dict[str, Any]:
    return {"id": name, "function": {"name": tool.name, "arguments": json.dumps(tool.arguments)}}


def write_document(story: Story, folder: Path) -> Path:
    log = folder / f"session_{story.native_id}.json"
    head = {"session_id": story.native_id, "model": story.model, "platform": "cli", "session_start": story.start.isoformat()}
    log.write_text(json.dumps({**head, "cwd": story.cwd, "messages": list(messages(story))}, indent=2), encoding="utf-8")
    return log


def write_lines(story: Story, folder: Path) -> Path:
    log = folder / f"{story.native_id}.jsonl"
    lines = [{"role": "session_meta", "model": story.model, "platform": "cli"}, *messages(story)]
    log.write_bytes(b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines))
    return log


WRITERS = (
    Writer("hermes-document", "hermes", write_document, _LACKS),
    Writer("hermes-lines", "hermes", write_lines, _LACKS),
)
