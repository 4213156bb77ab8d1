"""Stories as Amp keeps them: one document for a thread."""

import json
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Writer


def messages(story: Story) -> Iterator[dict[str, Any]]:
    """Tool results are messages of the user."""
    clock = (story.start + STEP * n for n in range(10**6))
    for turn in story.turns:
        sent = int(next(clock).replace(tzinfo=UTC).timestamp() * 1000)
        yield {"role": "user", "content": [{"type": "text", "text": turn.prompt}], "meta": {"sentAt": sent}}
        for number, answer in enumerate(turn.answers):
            now = next(clock)
            said = [{"type": "thinking", "thinking": answer.reasoning}, {"type": "text", "text": answer.text}]
            names = [f"toolu_{now:%H%M%S}_{number}_{n}" for n in range(len(answer.tools))]
            calls = [
                {"type": "tool_use", "id": name, "name": tool.name, "input": tool.arguments}
                for name, tool in zip(names, answer.tools, strict=True)
            ]
            usage = {"model": story.model, "timestamp": f"{now.isoformat()}Z", **_counts(answer)}
            yield {"role": "assistant", "content": [*said, *calls], "usage": usage, "state": {"type": "complete"}}
            results = [
                {"type": "tool_result", "toolUseID": name, "run": {"status": "done", "result": tool.result}}
                for name, tool in zip(names, answer.tools, strict=True)
            ]
            if results:
                yield {"role": "user", "content": results}


def _counts(answer: Answer) -> dict[str, int]:
    used = answer.used
    return {
        "inputTokens": used.uncached, "cacheCreationInputTokens": used.cache_write, "cacheReadInputTokens": used.cache_read,
        "totalInputTokens": used.uncached + used.cache_write + used.cache_read, "outputTokens": used.output,
    }  # fmt: skip


def write(story: Story, folder: Path) -> Path:
    log = folder / "thread.json"
    told = [{"messageId": number, **message} for number, message in enumerate(messages(story))]
    created = int(story.start.replace(tzinfo=UTC).timestamp() * 1000)
    tree = {"displayName": "looms", "uri": f"file://{story.cwd}"}
    thread = {"v": 9, "id": story.native_id, "created": created, "messages": told, "env": {"initial": {"trees": [tree]}}}
    log.write_text(json.dumps(thread, indent=2), encoding="utf-8")
    return log


WRITERS = (Writer("amp", "amp", write, frozenset({"reasoning_tokens"})),)
