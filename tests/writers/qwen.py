"""Qwen Code's chat: records that hang from each other, an answer in two pieces."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Tool, Writer


def records(story: Story) -> Iterator[dict[str, Any]]:
    calls = count(1)
    for no, turn in enumerate(story.turns):
        yield {"uuid": f"u{no}", **said("user", "user", {"text": turn.prompt}), "systemPayload": {"displayText": turn.prompt}}
        for nth, answer in enumerate(turn.answers):
            name, used = f"a{no}.{nth}", [(f"call_{next(calls)}", tool) for tool in answer.tools]
            yield {"uuid": name, **said("assistant", "model", {"text": answer.reasoning, "thought": True})}
            parts = [{"text": answer.text}, *(call(one, tool) for one, tool in used)]
            yield {"uuid": name, **said("assistant", "model", *parts), "model": story.model, "usageMetadata": usage(answer)}
            for one, tool in used:
                given = {"functionResponse": {"id": one, "name": tool.name, "response": {"output": tool.result}}}
                yield {"uuid": f"r-{one}", **said("tool_result", "user", given)}


def said(kind: str, role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "message": {"role": role, "parts": list(parts)}}


def call(named: str, tool: Tool) -> dict[str, Any]:
    return {"functionCall": {"id": named, "name": tool.name, "args": tool.arguments}}


def usage(answer: Answer) -> dict[str, int]:
    used = answer.used
    return {
        "promptTokenCount": used.uncached + used.cache_read, "cachedContentTokenCount": used.cache_read,
        "candidatesTokenCount": used.output, "thoughtsTokenCount": used.reasoning,
        "totalTokenCount": used.uncached + used.cache_read + used.output,
    }  # fmt: skip


def chat(story: Story, folder: Path) -> Path:
    log, lines, parent, last = folder / f"{story.native_id}.jsonl", [], None, None
    for no, record in enumerate(records(story), 1):
        if last != record["uuid"]:
            parent, last = last, record["uuid"]
        record["parentUuid"] = parent
        at = (story.start + no * STEP).isoformat(timespec="milliseconds") + "Z"
        record |= {"sessionId": story.native_id, "timestamp": at, "cwd": story.cwd, "version": "0.21.0"}
        record["uuid"] = f"{story.native_id}/{record['uuid']}"
        record["parentUuid"] = f"{story.native_id}/{parent}" if parent else None
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    log.write_text("".join(lines), encoding="utf-8")
    return log


WRITERS = (Writer("qwen-code", "qwen-code", chat, frozenset({"cache_write"})),)
