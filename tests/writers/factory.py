"""Factory's Droid: the store of a session, and the stream of a run."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Writer, write_lines


def _store(story: Story) -> Iterator[dict[str, Any]]:
    yield {"type": "session_start", "id": story.native_id, "title": "Looms", "cwd": story.cwd, "version": 2}
    parent: str | None = None
    for number, (role, content) in enumerate(_messages(story), 1):
        at = (story.start + number * STEP).isoformat(timespec="milliseconds") + "Z"
        message = {"role": role, "content": content}
        yield {"type": "message", "id": f"m{number}", "parentId": parent, "timestamp": at, "message": message}
        parent = f"m{number}"


def _messages(story: Story) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    calls = count(1)
    for turn in story.turns:
        yield "user", [{"type": "text", "text": turn.prompt}]
        for answer in turn.answers:
            ids = [f"tu{next(calls)}" for _ in answer.tools]
            yield "assistant", _blocks(answer, ids)
            for name, tool in zip(ids, answer.tools, strict=True):
                yield "user", [{"type": "tool_result", "tool_use_id": name, "content": tool.result}]


def _blocks(answer: Answer, ids: list[str]) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"type": "thinking", "thinking": answer.reasoning}, {"type": "text", "text": answer.text}]
    tools = zip(ids, answer.tools, strict=True)
    return said + [{"type": "tool_use", "id": name, "name": tool.name, "input": tool.arguments} for name, tool in tools]


def _stream(story: Story) -> Iterator[dict[str, Any]]:
    at = count(int(story.start.timestamp() * 1000), 10_000)
    for event in _events(story):
        yield {**event, "session_id": story.native_id, "timestamp": next(at)}


def _events(story: Story) -> Iterator[dict[str, Any]]:
    calls = count(1)
    yield {"type": "system", "subtype": "init", "cwd": story.cwd, "model": story.model}
    for turn in story.turns:
        yield {"type": "message", "role": "user", "text": turn.prompt}
        for answer in turn.answers:
            yield {"type": "reasoning", "text": answer.reasoning}
            yield {"type": "message", "role": "assistant", "text": answer.text}
            ids = [f"call_{next(calls)}" for _ in answer.tools]
            for name, tool in zip(ids, answer.tools, strict=True):
                yield {"type": "tool_call", "id": name, "toolName": tool.name, "parameters": tool.arguments}
            for name, tool in zip(ids, answer.tools, strict=True):
                yield {"type": "tool_result", "id": name, "value": tool.result, "isError": False}


def write_store(story: Story, folder: Path) -> Path:
    return write_lines(folder / f"{story.native_id}.jsonl", _store(story))


def write_stream(story: Story, folder: Path) -> Path:
    return write_lines(folder / "run.jsonl", _stream(story))


LACKS = frozenset({"usage"})
WRITERS = (
    Writer("factory-droid-store", "factory-droid", write_store, LACKS),
    Writer("factory-droid-stream", "factory-droid", write_stream, LACKS),
)
