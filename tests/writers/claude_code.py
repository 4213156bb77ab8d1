"""Claude Code: a record for each block of an answer, every one with the usage of the whole call."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Writer, write_lines


def _records(story: Story) -> Iterator[dict[str, Any]]:
    parent: str | None = None
    for number, (kind, facts) in enumerate(_said(story)):
        uuid = f"{story.native_id[:-12]}{number:012}"
        yield {
            "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": story.cwd, "version": "2.1.40",
            "sessionId": story.native_id, "gitBranch": "main", "type": kind, "uuid": uuid,
            "timestamp": (story.start + number * STEP).isoformat(timespec="milliseconds") + "Z", **facts,
        }  # fmt: skip
        parent = uuid


def _said(story: Story) -> Iterator[tuple[str, dict[str, Any]]]:
    calls = count(1)
    for turn in story.turns:
        yield "user", {"message": {"role": "user", "content": turn.prompt}}
        for answer in turn.answers:
            number = next(calls)
            yield from _answer(answer, f"{story.native_id}_{number}", story.model)
            for no, tool in enumerate(answer.tools):
                block = {"type": "tool_result", "tool_use_id": f"toolu_{story.native_id}_{number}_{no}", "content": tool.result}
                yield "user", {"message": {"role": "user", "content": [block]}}


def _answer(answer: Answer, number: str, model: str) -> Iterator[tuple[str, dict[str, Any]]]:
    used = answer.used
    usage = {
        "input_tokens": used.uncached, "cache_read_input_tokens": used.cache_read, "output_tokens": used.output,
        "cache_creation_input_tokens": used.cache_write,
    }  # fmt: skip
    thought = [{"type": "thinking", "thinking": answer.reasoning, "signature": "c2lnbmVk"}] if answer.reasoning else []
    blocks: list[dict[str, Any]] = [
        *thought,
        {"type": "text", "text": answer.text},
        *(
            {"type": "tool_use", "id": f"toolu_{number}_{no}", "name": tool.name, "input": tool.arguments}
            for no, tool in enumerate(answer.tools)
        ),
    ]
    for block in blocks:
        message = {
            "id": f"msg_{number}", "type": "message", "role": "assistant", "model": model, "content": [block],
            "stop_reason": "tool_use" if answer.tools else "end_turn", "usage": usage,
        }  # fmt: skip
        yield "assistant", {"message": message, "requestId": f"req_{number}"}


def write(story: Story, folder: Path) -> Path:
    return write_lines(folder / "projects" / "-srv-looms" / f"{story.native_id}.jsonl", _records(story))


WRITERS = (Writer("claude-code", "claude-code", write, frozenset({"reasoning_tokens"})),)
