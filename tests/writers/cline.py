"""A story as a task of Cline with native tools, and as a session of its SDK."""

import json
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Used, Writer


def _milliseconds(story: Story, no: int) -> int:
    return round((story.start + no * STEP).timestamp() * 1000) + no


def blocks(answer: Answer, name: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Of an answer, and of the message with its results."""
    said: list[dict[str, Any]] = [{"type": "thinking", "thinking": answer.reasoning}, {"type": "text", "text": answer.text}]
    ids = [f"toolu-{name}-{no}" for no, _ in enumerate(answer.tools)]
    said += [
        {"type": "tool_use", "id": one, "name": tool.name, "input": tool.arguments}
        for one, tool in zip(ids, answer.tools, strict=True)
    ]
    results = [
        {"type": "tool_result", "tool_use_id": one, "content": tool.result} for one, tool in zip(ids, answer.tools, strict=True)
    ]
    return said, results


def messages(story: Story, environment: str) -> list[tuple[dict[str, Any], Used | None]]:
    """All messages, each answer with what it used."""
    found: list[tuple[dict[str, Any], Used | None]] = []
    for no, turn in enumerate(story.turns):
        tag = "feedback" if no else "task"
        prompt = {"type": "text", "text": f"<{tag}>\n{turn.prompt}\n</{tag}>"}
        told: list[dict[str, Any]] = [prompt, {"type": "text", "text": environment}]
        for at, answer in enumerate(turn.answers):
            said, results = blocks(answer, f"{no}-{at}")
            found += [({"role": "user", "content": told}, None), ({"role": "assistant", "content": said}, answer.used)]
            told = [*results, {"type": "text", "text": environment}]
        found.append(({"role": "user", "content": told}, None))
    for no, (message, _) in enumerate(found):
        message["ts"] = _milliseconds(story, no)
    return found


def shown(found: list[tuple[dict[str, Any], Used | None]], counts: Any, **more: Any) -> list[dict[str, Any]]:
    """A call shown before each answer."""
    return [
        {"ts": message["ts"] - 5, "type": "say", "say": "api_req_started", "text": json.dumps(counts(used)), **more}
        for message, used in found
        if used is not None
    ]


def put(root: Path, files: dict[str, Any]) -> Path:
    root.mkdir()
    for name, value in files.items():
        (root / name).write_text(json.dumps(value), encoding="utf-8")
    return root


def _counts(used: Used) -> dict[str, Any]:
    return {
        "tokensIn": used.uncached, "tokensOut": used.output, "cacheReads": used.cache_read, "cacheWrites": used.cache_write
    }  # fmt: skip


def _task(story: Story, folder: Path) -> Path:
    found = messages(story, "<environment_details>\n# Current Mode\nACT MODE\n</environment_details>")
    model = {"modelId": story.model, "providerId": "anthropic", "mode": "act"}
    files = {
        "api_conversation_history.json": [message for message, _ in found],
        "ui_messages.json": shown(found, _counts, modelInfo=model),
        "task_metadata.json": {"files_in_context": [], "model_usage": []},
    }
    return put(folder / story.native_id, files)


def _session(story: Story, folder: Path) -> Path:
    found: list[dict[str, Any]] = []
    for no, turn in enumerate(story.turns):
        found.append(
            {"role": "user", "content": [{"type": "text", "text": f'<user_input mode="act">{turn.prompt}</user_input>'}]}
        )
        for at, answer in enumerate(turn.answers):
            said, results = blocks(answer, f"{no}-{at}")
            used = answer.used
            metrics = {
                "inputTokens": used.uncached + used.cache_read + used.cache_write, "outputTokens": used.output,
                "cacheReadTokens": used.cache_read, "cacheWriteTokens": used.cache_write,
            }  # fmt: skip
            found.append({"role": "assistant", "content": said, "modelInfo": {"id": story.model}, "metrics": metrics})
            found += [{"role": "user", "content": results}] if results else []
    for no, message in enumerate(found):
        message |= {"id": f"m{no}", "ts": _milliseconds(story, no)}
    log = folder / f"{story.native_id}.messages.json"
    document = {"version": 1, "agent": "lead", "sessionId": story.native_id, "origin": {"source": "cli"}, "messages": found}
    log.write_text(json.dumps(document), encoding="utf-8")
    return log


LACKS = frozenset({"reasoning_tokens"})
WRITERS = (Writer("cline", "cline", _task, LACKS), Writer("cline-sdk", "cline", _session, LACKS))
