"""iFlow's chat: every answer is a window that slides over text and calls, all usage is zero."""

import json
from collections.abc import Iterator
from itertools import count, pairwise
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Tool, Writer


def messages(story: Story) -> Iterator[tuple[str, Any]]:
    calls = count(1)
    for turn in story.turns:
        yield "user", turn.prompt
        for answer in turn.answers:
            used = [(f"call_{next(calls)}", tool) for tool in answer.tools]
            yield from (("assistant", window) for window in windows(answer, used))
            yield from (("user", [result(one, tool)]) for one, tool in used)


def windows(answer: Answer, used: list[tuple[str, Tool]]) -> Iterator[list[dict[str, Any]]]:
    """Text, then each call together with the one before it."""
    blocks = [{"type": "tool_use", "id": one, "name": tool.name, "input": tool.arguments} for one, tool in used]
    yield [{"type": "text", "text": answer.text}, *blocks[:1]]
    yield from (list(two) for two in pairwise(blocks))


def result(named: str, tool: Tool) -> dict[str, Any]:
    response = {"functionResponse": {"id": named, "name": tool.name, "response": {"output": tool.result}}}
    return {"type": "tool_result", "tool_use_id": named, "content": {"callId": named, "responseParts": response}}


def chat(story: Story, folder: Path) -> Path:
    log = folder / f"{story.native_id}.jsonl"
    with log.open("w", encoding="utf-8") as lines:
        for no, (kind, content) in enumerate(messages(story), 1):
            message: dict[str, Any] = {"role": kind, "content": content}
            if kind == "assistant":
                message |= {"id": f"response-{no}", "model": story.model, "usage": {"input_tokens": 0, "output_tokens": 0}}
            at = (story.start + no * STEP).isoformat(timespec="milliseconds") + "Z"
            record = {"uuid": f"r{no}", "parentUuid": None, "sessionId": story.native_id, "timestamp": at, "type": kind}
            lines.write(json.dumps({**record, "cwd": story.cwd, "message": message}, ensure_ascii=False) + "\n")
    return log


WRITERS = (Writer("iflow", "iflow", chat, frozenset({"usage", "reasoning", "model"})),)
