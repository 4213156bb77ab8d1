"""Mistral Vibe: the messages alone, and the folder with `meta.json` beside them."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from builders import Story, Writer, write_lines


def _messages(story: Story) -> Iterator[dict[str, Any]]:
    numbers = count(1)
    for turn in story.turns:
        yield {"role": "user", "content": turn.prompt, "message_id": f"msg_{next(numbers)}"}
        for answer in turn.answers:
            number = next(numbers)
            ids = [f"call_{number}_{no}" for no in range(len(answer.tools))]
            calls = [
                {"id": name, "index": no, "function": {"name": tool.name, "arguments": json.dumps(tool.arguments)}}
                for no, (name, tool) in enumerate(zip(ids, answer.tools, strict=True))
            ]
            reasoning = {"reasoning_content": answer.reasoning} if answer.reasoning else {}
            message = {"role": "assistant", "content": answer.text, "message_id": f"msg_{number}", **reasoning}
            yield {**message, "tool_calls": calls} if calls else message
            for name, tool in zip(ids, answer.tools, strict=True):
                yield {"role": "tool", "content": tool.result, "name": tool.name, "tool_call_id": name}


def write_messages(story: Story, folder: Path) -> Path:
    return write_lines(folder / story.native_id / "messages.jsonl", _messages(story))


def write_folder(story: Story, folder: Path) -> Path:
    root = write_lines(folder / "session" / "messages.jsonl", _messages(story)).parent
    meta = {
        "session_id": story.native_id, "start_time": story.start.isoformat() + "Z", "end_time": None, "git_commit": None,
        "git_branch": "main", "environment": {"working_directory": story.cwd}, "tools_available": [{"type": "function"}],
        "system_prompt": {"role": "system", "content": "You tend looms."},
    }  # fmt: skip
    (root / "meta.json").write_text(json.dumps(meta, indent=2), encoding="utf-8")
    return root


LACKS = frozenset({"usage"})
WRITERS = (Writer("vibe-messages", "vibe", write_messages, LACKS), Writer("vibe-folder", "vibe", write_folder, LACKS))
