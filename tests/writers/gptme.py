"""gptme: a conversation in the `tool` format, whose calls have ids."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Writer, write_lines

from tasks.readers.values import canonical


def _messages(story: Story) -> Iterator[dict[str, Any]]:
    calls = count(1)
    yield {"role": "system", "content": "You tend looms.", "pinned": True}
    for turn in story.turns:
        yield {"role": "user", "content": turn.prompt}
        for answer in turn.answers:
            ids = [f"call-{next(calls)}" for _ in answer.tools]
            called = [
                f"@{tool.name}({name}): {canonical(tool.arguments)}" for name, tool in zip(ids, answer.tools, strict=True)
            ]
            content = "\n".join([answer.text, *called] if answer.text else called)
            yield {"role": "assistant", "content": content, "metadata": {"model": story.model, "usage": _used(answer)}}
            for name, tool in zip(ids, answer.tools, strict=True):
                yield {"role": "system", "content": tool.result, "call_id": name}


def _used(answer: Answer) -> dict[str, int]:
    used = answer.used
    return {
        "input_tokens": used.uncached, "output_tokens": used.output, "cache_read_tokens": used.cache_read,
        "cache_creation_tokens": used.cache_write,
    }  # fmt: skip


def write(story: Story, folder: Path) -> Path:
    messages = (
        {**message, "timestamp": (story.start + number * STEP).isoformat()} for number, message in enumerate(_messages(story))
    )
    return write_lines(folder / story.native_id / "conversation.jsonl", messages)


WRITERS = (Writer("gptme", "gptme", write, frozenset({"reasoning", "reasoning_tokens"})),)
