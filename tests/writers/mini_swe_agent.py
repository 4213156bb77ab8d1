"""A story as a trajectory of mini-swe-agent: chat completions with tool calls, and whole responses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Writer


def _log(story: Story, folder: Path, answered: Callable[[Story, Answer, str], list[dict[str, Any]]]) -> Path:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You tend kilns."}]
    for no, turn in enumerate(story.turns):
        extra = {"interrupt_type": "UserNewTask"} if no else {}
        messages.append({"role": "user", "content": turn.prompt, "extra": extra})
        for at, answer in enumerate(turn.answers):
            messages += answered(story, answer, f"{no}-{at}")
    info = {"mini_version": "2.0.0", "exit_status": "Submitted", "config": {"environment": {"cwd": story.cwd}}}
    log = folder / f"{story.native_id}.traj.json"
    log.write_text(
        json.dumps({"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"}), encoding="utf-8"
    )
    return log


def _chat(story: Story, answer: Answer, name: str) -> list[dict[str, Any]]:
    used = answer.used
    usage = {
        "prompt_tokens": used.uncached + used.cache_read + used.cache_write, "completion_tokens": used.output,
        "prompt_tokens_details": {"cached_tokens": used.cache_read}, "cache_creation_input_tokens": used.cache_write,
        "completion_tokens_details": {"reasoning_tokens": used.reasoning},
    }  # fmt: skip
    response = {"id": f"chat-{name}", "model": story.model, "usage": usage, "choices": [{"finish_reason": "stop"}]}
    said: dict[str, Any] = {"role": "assistant", "content": answer.text, "reasoning_content": answer.reasoning}
    ids = [f"call-{name}-{no}" for no, _ in enumerate(answer.tools)]
    said["tool_calls"] = [
        {"id": one, "type": "function", "function": {"name": tool.name, "arguments": json.dumps(tool.arguments)}}
        for one, tool in zip(ids, answer.tools, strict=True)
    ]
    said["extra"] = {"response": response, "timestamp": (story.start + STEP).timestamp()}
    results = [
        {"role": "tool", "tool_call_id": one, "content": tool.result, "extra": {"returncode": 0}}
        for one, tool in zip(ids, answer.tools, strict=True)
    ]
    return [said, *results]


def _whole(story: Story, answer: Answer, name: str) -> list[dict[str, Any]]:
    used = answer.used
    ids = [f"call-{name}-{no}" for no, _ in enumerate(answer.tools)]
    output: list[dict[str, Any]] = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": answer.reasoning}]},
        {"type": "message", "content": [{"type": "output_text", "text": answer.text}]},
    ]
    output += [
        {"type": "function_call", "call_id": one, "name": tool.name, "arguments": json.dumps(tool.arguments)}
        for one, tool in zip(ids, answer.tools, strict=True)
    ]
    usage = {
        "input_tokens": used.uncached + used.cache_read, "input_tokens_details": {"cached_tokens": used.cache_read},
        "output_tokens": used.output, "output_tokens_details": {"reasoning_tokens": used.reasoning},
    }  # fmt: skip
    said = {"object": "response", "id": f"resp-{name}", "model": story.model, "output": output, "usage": usage}
    results = [
        {"type": "function_call_output", "call_id": one, "output": tool.result, "extra": {"returncode": 0}}
        for one, tool in zip(ids, answer.tools, strict=True)
    ]
    return [said, *results]


def _write_chat(story: Story, folder: Path) -> Path:
    return _log(story, folder, _chat)


def _write_whole(story: Story, folder: Path) -> Path:
    return _log(story, folder, _whole)


WRITERS = (
    Writer("mini-swe-agent-chat", "mini-swe-agent", _write_chat),
    Writer("mini-swe-agent-responses", "mini-swe-agent", _write_whole, frozenset({"cache_write"})),
)
