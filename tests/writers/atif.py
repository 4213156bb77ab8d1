"""A story as an ATIF trajectory."""

import json
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Writer


def write(story: Story, folder: Path) -> Path:
    steps: list[dict[str, Any]] = []
    for no, turn in enumerate(story.turns):
        steps.append({"source": "user", "message": turn.prompt})
        steps += [_agent(story, answer, f"{no}-{at}") for at, answer in enumerate(turn.answers)]
    for no, step in enumerate(steps, 1):
        step |= {"step_id": no, "timestamp": f"{(story.start + no * STEP).isoformat()}Z"}
    document = {
        "schema_version": "ATIF-v1.8", "session_id": "run-7", "trajectory_id": story.native_id,
        "agent": {"name": "weaver", "version": "3.1", "model_name": story.model}, "steps": steps,
    }  # fmt: skip
    log = folder / "trajectory.json"
    log.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return log


def _agent(story: Story, answer: Answer, name: str) -> dict[str, Any]:
    used = answer.used
    ids = [f"call-{name}-{no}" for no, _ in enumerate(answer.tools)]
    calls = [
        {"tool_call_id": one, "function_name": tool.name, "arguments": tool.arguments}
        for one, tool in zip(ids, answer.tools, strict=True)
    ]
    results = [{"source_call_id": one, "content": tool.result} for one, tool in zip(ids, answer.tools, strict=True)]
    metrics = {
        "prompt_tokens": used.uncached + used.cache_read + used.cache_write, "cached_tokens": used.cache_read,
        "completion_tokens": used.output,
        "extra": {"cache_creation_input_tokens": used.cache_write, "reasoning_tokens": used.reasoning},
    }  # fmt: skip
    step: dict[str, Any] = {
        "source": "agent",
        "message": answer.text,
        "reasoning_content": answer.reasoning,
        "metrics": metrics,
    }
    if calls:
        step |= {"tool_calls": calls, "observation": {"results": results}}
    return step


WRITERS = (Writer("atif", "atif", write),)
