"""Kimi Code: the journal of a session's main agent."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Writer, write_lines


def _journal(story: Story) -> Iterator[dict[str, Any]]:
    at = int(story.start.timestamp() * 1000)
    yield {"type": "metadata", "protocol_version": "1.4", "created_at": at}
    times = count(at, int(STEP.total_seconds()) * 1000)
    yield {"type": "config.update", "cwd": story.cwd, "modelAlias": f"mill/{story.model}", "time": next(times)}
    steps = count(1)
    for turn in story.turns:
        content = [{"type": "text", "text": turn.prompt}]
        yield {"type": "turn.prompt", "input": content, "origin": {"kind": "user"}, "time": next(times)}
        message = {"role": "user", "content": content, "toolCalls": [], "origin": {"kind": "user"}}
        yield {"type": "context.append_message", "message": message, "time": next(times)}
        for answer in turn.answers:
            yield {"type": "llm.request", "kind": "loop", "model": story.model, "time": next(times)}
            for event in _step(answer, f"{story.native_id}-step-{next(steps)}"):
                yield {"type": "context.append_loop_event", "event": event, "time": next(times)}
            used = {"model": f"mill/{story.model}", "usage": _used(answer), "usageScope": "turn"}
            yield {"type": "usage.record", **used, "time": next(times)}


def _step(answer: Answer, step: str) -> Iterator[dict[str, Any]]:
    yield {"type": "step.begin", "uuid": step}
    parts = [{"type": "think", "think": answer.reasoning}, {"type": "text", "text": answer.text}]
    for part in parts:
        yield {"type": "content.part", "stepUuid": step, "part": part}
    for no, tool in enumerate(answer.tools):
        call = {"type": "tool.call", "stepUuid": step, "toolCallId": f"{step}-{no}"}
        yield {**call, "name": tool.name, "args": tool.arguments}
    for no, tool in enumerate(answer.tools):
        yield {"type": "tool.result", "toolCallId": f"{step}-{no}", "result": {"output": tool.result}}
    yield {"type": "step.end", "uuid": step, "usage": _used(answer), "finishReason": "end_turn"}


def _used(answer: Answer) -> dict[str, int]:
    used = answer.used
    return {
        "inputOther": used.uncached, "inputCacheRead": used.cache_read, "inputCacheCreation": used.cache_write,
        "output": used.output,
    }  # fmt: skip


def write(story: Story, folder: Path) -> Path:
    return write_lines(folder / story.native_id / "agents" / "main" / "wire.jsonl", _journal(story))


WRITERS = (Writer("kimi", "kimi", write, frozenset({"reasoning_tokens"})),)
