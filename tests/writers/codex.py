"""Codex: response items with the events that repeat them, and a counter that goes on."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Used, Writer, write_lines


def _lines(story: Story) -> Iterator[dict[str, Any]]:
    for number, (kind, payload) in enumerate(_payloads(story)):
        at = (story.start + number * STEP).isoformat(timespec="milliseconds") + "Z"
        yield {"timestamp": at, "type": kind, "payload": payload}


def _payloads(story: Story) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "session_meta", {"id": story.native_id, "cwd": story.cwd, "originator": "codex_cli_rs", "cli_version": "0.145.0"}
    total = Used()
    calls = count(1)
    for number, turn in enumerate(story.turns, 1):
        yield "event_msg", {"type": "task_started", "turn_id": f"turn-{number}"}
        yield "turn_context", {"turn_id": f"turn-{number}", "cwd": story.cwd, "model": story.model}
        yield "response_item", _message("user", "input_text", turn.prompt)
        yield "event_msg", {"type": "user_message", "message": turn.prompt}
        for answer in turn.answers:
            yield from _answer(answer, [f"call_{next(calls)}" for _ in answer.tools])
            total = _sum(total, answer.used)
            info = {"total_token_usage": _usage(total), "last_token_usage": _usage(answer.used), "model_context_window": None}
            yield "event_msg", {"type": "token_count", "info": info, "rate_limits": None}
        yield "event_msg", {"type": "task_complete", "turn_id": f"turn-{number}"}


def _answer(answer: Answer, ids: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    if answer.reasoning:
        summary = [{"type": "summary_text", "text": answer.reasoning}]
        yield "response_item", {"type": "reasoning", "summary": summary, "encrypted_content": "b3BhcXVl"}
    if answer.text:
        yield "response_item", _message("assistant", "output_text", answer.text)
    for name, tool in zip(ids, answer.tools, strict=True):
        called = {"type": "function_call", "name": tool.name, "arguments": json.dumps(tool.arguments), "call_id": name}
        yield "response_item", called
    for name, tool in zip(ids, answer.tools, strict=True):
        yield "response_item", {"type": "function_call_output", "call_id": name, "output": tool.result}


def _message(role: str, part: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": part, "text": text}]}


def _sum(one: Used, other: Used) -> Used:
    return Used(*(getattr(one, name) + getattr(other, name) for name in Used.__dataclass_fields__))


def _usage(used: Used) -> dict[str, int]:
    prompt = used.uncached + used.cache_read + used.cache_write
    return {
        "input_tokens": prompt, "cached_input_tokens": used.cache_read, "cache_write_input_tokens": used.cache_write,
        "output_tokens": used.output, "reasoning_output_tokens": used.reasoning, "total_tokens": prompt + used.output,
    }  # fmt: skip


def write(story: Story, folder: Path) -> Path:
    name = f"rollout-2026-03-02T09-00-00-{story.native_id}.jsonl"
    return write_lines(folder / "sessions" / "2026" / "03" / "02" / name, _lines(story))


WRITERS = (Writer("codex", "codex", write),)
