"""Grok Build: the chat history alone, and the folder with the session's summary beside it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from builders import Story, Writer, write_lines


def _rows(story: Story) -> Iterator[dict[str, Any]]:
    yield {"type": "system", "content": "You tend looms."}
    for number, turn in enumerate(story.turns):
        yield {"type": "user", "content": [{"type": "text", "text": turn.prompt}], "prompt_index": number}
        for step, answer in enumerate(turn.answers):
            if answer.reasoning:
                yield {"type": "reasoning", "summary": [{"type": "summary_text", "text": answer.reasoning}]}
            ids = [f"call-{number}-{step}-{no}" for no in range(len(answer.tools))]
            calls = [
                {"id": name, "name": tool.name, "arguments": json.dumps(tool.arguments)}
                for name, tool in zip(ids, answer.tools, strict=True)
            ]
            yield {"type": "assistant", "content": answer.text, "tool_calls": calls, "model_id": story.model}
            for name, tool in zip(ids, answer.tools, strict=True):
                yield {"type": "tool_result", "tool_call_id": name, "content": tool.result}


def write_rows(story: Story, folder: Path) -> Path:
    return write_lines(folder / story.native_id / "chat_history.jsonl", _rows(story))


def write_folder(story: Story, folder: Path) -> Path:
    root = write_lines(folder / "session" / "chat_history.jsonl", _rows(story)).parent
    summary = {
        "info": {"id": story.native_id, "cwd": story.cwd}, "created_at": story.start.isoformat() + "Z",
        "current_model_id": story.model, "chat_format_version": 1,
    }  # fmt: skip
    (root / "summary.json").write_text(json.dumps(summary, indent=2), encoding="utf-8")
    return root


LACKS = frozenset({"usage"})
WRITERS = (Writer("grok-rows", "grok", write_rows, LACKS), Writer("grok-folder", "grok", write_folder, LACKS))
