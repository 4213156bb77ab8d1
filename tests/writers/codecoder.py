"""CodeCoder's session documents of each version: one file, no tokens, no model."""

import json
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any

from builders import Answer, Story, Writer

Message = dict[str, Any]


def _flat(story: Story) -> list[Message]:
    """Messages of versions 1 and 2."""
    found: list[Message] = []
    for n, turn in enumerate(story.turns):
        found.append({"role": "user", "content": turn.prompt})
        for k, answer in enumerate(turn.answers):
            found += _flat_answer(answer, f"{n}_{k}")
    return found


def _flat_answer(answer: Answer, mark: str) -> list[Message]:
    calls = [
        {"id": f"call_{mark}_{n}", "name": tool.name, "arguments": json.dumps(tool.arguments)}
        for n, tool in enumerate(answer.tools)
    ]
    said = {
        "role": "assistant",
        "thinking": answer.reasoning,
        "content": answer.text,
        **({"tool_calls": calls} if calls else {}),
    }
    return [
        said,
        *(
            {"role": "tool", "call": call["id"], "content": tool.result}
            for call, tool in zip(calls, answer.tools, strict=True)
        ),
    ]  # fmt: skip


def _typed(story: Story, version: int) -> list[Message]:
    """Messages of versions 3 to 5; all results of an answer in one message before 5."""
    found: list[Message] = []
    for n, turn in enumerate(story.turns):
        found.append({"role": "user", "items": [{"type": "text", "text": turn.prompt}]})
        for k, answer in enumerate(turn.answers):
            found += _typed_answer(answer, f"{n}_{k}", version)
    return [{**message, "id": n} for n, message in enumerate(found, 1)] if version == 5 else found


def _typed_answer(answer: Answer, mark: str, version: int) -> list[Message]:
    items: list[dict[str, Any]] = [{"type": "reasoning", "text": answer.reasoning}, {"type": "text", "text": answer.text}]
    results = []
    for n, tool in enumerate(answer.tools):
        arguments = {"arguments": json.dumps(tool.arguments)} if version == 3 else {"args": tool.arguments}
        items.append({"type": "tool_call", "id": f"call_{mark}_{n}", "name": tool.name, **arguments})
        results.append((f"call_{mark}_{n}", tool.result))
    said = {"role": "assistant", "items": items}
    if version == 5:
        result = ({"role": "tool", "tool_call_id": c, "items": [{"type": "tool_result", "content": r}]} for c, r in results)
        return [said, *result]
    told = [{"type": "tool_result", "call_id": call, "content": result} for call, result in results]
    return [said, {"role": "tool", "items": told}] if told else [said]


def _writer(version: int) -> Callable[[Story, Path], Path]:
    def write(story: Story, folder: Path) -> Path:
        start = story.start.replace(tzinfo=UTC)
        names = {"session": story.native_id, "started": start.timestamp()}
        if version > 1:
            names = {"session_id": story.native_id, "created_at": start.isoformat().replace("+00:00", "Z")}
        messages = _flat(story) if version < 3 else _typed(story, version)
        path = folder / "session.json"
        path.write_text(json.dumps({"schema_version": version, **names, "messages": messages}, indent=2), "utf-8")
        return path

    return write


LACKS = frozenset({"usage", "cache_read", "cache_write", "reasoning_tokens", "model"})
WRITERS = tuple(Writer(f"codecoder v{version}", "codecoder", _writer(version), LACKS) for version in range(1, 6))
