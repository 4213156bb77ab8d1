"""Gemini CLI: a document in either layout, the operation log that tells messages again, and the printed stream."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Writer


def stamps(story: Story) -> Iterator[str]:
    return ((story.start + no * STEP).isoformat(timespec="milliseconds") + "Z" for no in count(1))


def header(story: Story) -> dict[str, Any]:
    at = story.start.isoformat(timespec="milliseconds") + "Z"
    return {"sessionId": story.native_id, "projectHash": "c0" * 32, "startTime": at, "lastUpdated": at, "kind": "main"}


def messages(story: Story) -> Iterator[dict[str, Any]]:
    at, ids, calls = stamps(story), count(1), count(1)
    for turn in story.turns:
        yield {"id": f"m{next(ids)}", "timestamp": next(at), "type": "user", "content": [{"text": turn.prompt}]}
        for answer in turn.answers:
            yield {"id": f"m{next(ids)}", "timestamp": next(at), "type": "gemini", **said(answer, story, calls)}


def said(answer: Answer, story: Story, calls: Iterator[int]) -> dict[str, Any]:
    used = answer.used
    tokens = {
        "input": used.uncached + used.cache_read, "cached": used.cache_read, "output": used.output - used.reasoning,
        "thoughts": used.reasoning, "tool": 0, "total": used.uncached + used.cache_read + used.output,
    }  # fmt: skip
    thoughts = [{"subject": "", "description": answer.reasoning}] if answer.reasoning else []
    return {
        "content": answer.text, "thoughts": thoughts, "tokens": tokens, "model": story.model,
        "toolCalls": [used_tool(f"call-{next(calls)}", tool.name, tool.arguments, tool.result) for tool in answer.tools],
    }  # fmt: skip


def used_tool(call_id: str, name: str, arguments: dict[str, Any], result: str) -> dict[str, Any]:
    response = {"functionResponse": {"id": call_id, "name": name, "response": {"output": result}}}
    return {"id": call_id, "name": name, "args": arguments, "status": "success", "result": [response]}


def document(story: Story, folder: Path, **layout: Any) -> Path:
    log = folder / "session-2026-03-02T09-00-c0c0c0c0.json"
    whole = {**header(story), "messages": list(messages(story))}
    log.write_text(json.dumps(whole, ensure_ascii=False, **layout), encoding="utf-8")
    return log


def operations(story: Story, folder: Path) -> Path:
    """Every answer is told twice, and the history is set anew in the middle."""
    log = folder / "session-2026-03-02T09-00-c0c0c0c0.jsonl"
    lines, so_far = [header(story)], list[dict[str, Any]]()
    for message in messages(story):
        if message["type"] == "gemini":
            lines.append({**message, "tokens": None, "toolCalls": []})
        lines.append(message)
        so_far.append(message)
        lines.append({"$set": {"lastUpdated": message["timestamp"]}})
        if len(so_far) == 2:
            lines.append({"$set": {"messages": list(so_far)}})
    log.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return log


def stream(story: Story, folder: Path) -> Path:
    log, at, calls = folder / "run.jsonl", stamps(story), count(1)
    lines: list[dict[str, Any]] = [{"type": "init", "session_id": story.native_id, "model": story.model}]
    for turn in story.turns:
        lines.append({"type": "message", "role": "user", "content": turn.prompt})
        for answer in turn.answers:
            lines.append({"type": "message", "role": "assistant", "content": answer.text})
            used = [(f"call-{next(calls)}", tool) for tool in answer.tools]
            lines += [{"type": "tool_use", "tool_name": t.name, "tool_id": no, "parameters": t.arguments} for no, t in used]
            lines += [{"type": "tool_result", "tool_id": no, "status": "success", "output": t.result} for no, t in used]
    stamped = ({**line, "timestamp": next(at)} for line in lines)
    log.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in stamped), encoding="utf-8")
    return log


_LACKS = frozenset({"cache_write"})
WRITERS = (
    Writer("gemini-cli document", "gemini-cli", lambda story, folder: document(story, folder, indent=2), _LACKS),
    Writer("gemini-cli one-line document", "gemini-cli", document, _LACKS),
    Writer("gemini-cli operations", "gemini-cli", operations, _LACKS),
    Writer("gemini-cli stream", "gemini-cli", stream, frozenset({"usage", "reasoning", "model"})),
)
