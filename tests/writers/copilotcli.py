"""Copilot CLI's events. Answers carry their whole usage as the rare versions that log it; others tell of output alone."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from builders import Answer, Story, Used, Writer


def usage(used: Used) -> dict[str, int]:
    return {
        "inputTokens": used.uncached + used.cache_read + used.cache_write,
        "cacheReadTokens": used.cache_read,
        "cacheWriteTokens": used.cache_write,
        "outputTokens": used.output,
        "reasoningTokens": used.reasoning,
    }


def answered(no: str, answer: Answer, model: str, *, is_whole: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    ids = [f"call-{no}-{n}" for n in range(len(answer.tools))]
    asked = [
        {"toolCallId": call_id, "name": tool.name, "arguments": tool.arguments, "type": "function"}
        for call_id, tool in zip(ids, answer.tools, strict=True)
    ]
    message = {"messageId": f"m-{no}", "apiCallId": f"api-{no}", "model": model, "content": answer.text, "toolRequests": asked}
    yield "assistant.message", {**message, "reasoningText": answer.reasoning, "outputTokens": answer.used.output}
    if is_whole:
        yield "assistant.usage", {"apiCallId": f"api-{no}", "model": model, **usage(answer.used)}
    for call_id, tool in zip(ids, answer.tools, strict=True):
        yield "tool.execution_start", {"toolCallId": call_id, "toolName": tool.name, "arguments": tool.arguments}
    for call_id, tool in zip(ids, answer.tools, strict=True):
        yield "tool.execution_complete", {"toolCallId": call_id, "success": True, "result": {"content": tool.result}}


def events(story: Story, *, is_whole: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    start = {"sessionId": story.native_id, "version": 1, "copilotVersion": "1.0.77", "context": {"cwd": story.cwd}}
    yield "session.start", start
    for turn_no, turn in enumerate(story.turns):
        yield "user.message", {"content": turn.prompt, "transformedContent": turn.prompt, "attachments": []}
        for no, answer in enumerate(turn.answers):
            yield from answered(f"{turn_no}-{no}", answer, story.model, is_whole=is_whole)


def write(story: Story, folder: Path, *, is_whole: bool) -> Path:
    log = folder / "session-state" / story.native_id / "events.jsonl"
    log.parent.mkdir(parents=True)
    lines: list[str] = []
    for no, (kind, data) in enumerate(events(story, is_whole=is_whole)):
        at = (story.start + timedelta(seconds=no)).isoformat(timespec="milliseconds") + "Z"
        parent = f"e{no - 1}" if no else None
        lines.append(json.dumps({"type": kind, "data": data, "id": f"e{no}", "timestamp": at, "parentId": parent}))
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return log


def write_whole(story: Story, folder: Path) -> Path:
    return write(story, folder, is_whole=True)


def write_output(story: Story, folder: Path) -> Path:
    return write(story, folder, is_whole=False)


WRITERS = (
    Writer("copilot-cli with usage", "copilot-cli", write_whole),
    Writer(
        "copilot-cli", "copilot-cli", write_output, frozenset(("uncached", "cache_read", "cache_write", "reasoning_tokens"))
    ),
)
