"""yoi's session logs: items tagged by `type` with entries of several, items tagged by `kind` with an entry each, and enums as
serde writes them by default."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Writer

Entry = tuple[str, dict[str, Any]]
LACKS = frozenset({"reasoning_tokens", "model"})


def _entries(story: Story, *, single: bool) -> Iterator[Entry]:
    yield "session_start", {"system_prompt": None, "config": {}, "history": []}
    length = 0
    for n, turn in enumerate(story.turns):
        prompt = {"segments": [("text", {"content": turn.prompt})]} if single else {"item": _message("user", turn.prompt)}
        yield "user_input", prompt
        length += 1
        for k, answer in enumerate(turn.answers):
            yield "llm_usage", _usage(answer, length)
            made, results = _items(answer, f"{n}_{k}")
            length += len(made) + len(results)
            if single:
                yield from (("assistant_item", {"item": item}) for item in made)
                yield from (("tool_result", {"item": item}) for item in results)
            else:
                yield "assistant_items", {"items": made}
                if results:
                    yield "tool_results", {"items": results}
        yield "turn_end", {"turn_count": n + 1}
    yield "run_completed", {"interrupted": False, "result": "finished"}


def _usage(answer: Answer, length: int) -> dict[str, Any]:
    used = answer.used
    return {
        "history_len": length, "input_total_tokens": used.uncached + used.cache_read + used.cache_write,
        "cache_read_tokens": used.cache_read, "cache_write_tokens": used.cache_write, "output_tokens": used.output,
    }  # fmt: skip


def _message(role: str, text: str) -> Entry:
    return "message", {"role": role, "content": [("text", {"text": text})]}


def _items(answer: Answer, mark: str) -> tuple[list[Entry], list[Entry]]:
    made: list[Entry] = [("reasoning", {"text": answer.reasoning}), _message("assistant", answer.text)]
    results: list[Entry] = []
    for n, tool in enumerate(answer.tools):
        call = {"call_id": f"call_{mark}_{n}"}
        made.append(("tool_call", {**call, "name": tool.name, "arguments": json.dumps(tool.arguments)}))
        results.append(("tool_result", {**call, "summary": tool.result}))
    return made, results


def _inside(tag: str, outer: str, value: Any) -> Any:
    """A value with its variants as a field `tag`; of the entry itself it is `outer`."""
    if isinstance(value, tuple):
        name, body = value
        return {outer: name, **{key: _inside(tag, tag, inner) for key, inner in body.items()}}
    return [_inside(tag, tag, inner) for inner in value] if isinstance(value, list) else value


def _outside(value: Any) -> Any:
    """A value with its variants as the only key."""
    if isinstance(value, tuple):
        name, body = value
        return {"".join(map(str.title, name.split("_"))): {key: _outside(inner) for key, inner in body.items()}}
    return [_outside(inner) for inner in value] if isinstance(value, list) else value


def _write(story: Story, folder: Path, *, shaped: Callable[[Entry], Any], single: bool) -> Path:
    path = folder / f"{story.native_id}.jsonl"
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for n, (name, body) in enumerate(_entries(story, single=single)):
            at = int((story.start + n * STEP).replace(tzinfo=UTC).timestamp() * 1000)
            file.write(json.dumps(shaped((name, {"ts": at, **body})), ensure_ascii=False) + "\n")
    return path


WRITERS = (
    Writer("yoi 2026-04", "yoi", partial(_write, shaped=partial(_inside, "type", "kind"), single=False), LACKS),
    Writer("yoi 2026-07", "yoi", partial(_write, shaped=partial(_inside, "kind", "kind"), single=True), LACKS),
    Writer("yoi, enums as serde's default", "yoi", partial(_write, shaped=_outside, single=False), LACKS),
)
