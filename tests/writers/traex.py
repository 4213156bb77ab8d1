"""TraeX's rollouts: Codex's lines, with a provider of their own."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from builders import Answer, Story, Used, Writer


def counts(used: Used) -> dict[str, int]:
    prompt = used.uncached + used.cache_read + used.cache_write
    return {
        "input_tokens": prompt, "cached_input_tokens": used.cache_read, "cache_write_input_tokens": used.cache_write,
        "output_tokens": used.output, "reasoning_output_tokens": used.reasoning, "total_tokens": prompt + used.output,
    }  # fmt: skip


def item(**payload: Any) -> tuple[str, dict[str, Any]]:
    return "response_item", payload


def answered(no: str, answer: Answer) -> Iterator[tuple[str, dict[str, Any]]]:
    if answer.reasoning:
        yield item(type="reasoning", summary=[{"type": "summary_text", "text": answer.reasoning}])
    if answer.text:
        yield item(type="message", role="assistant", content=[{"type": "output_text", "text": answer.text}])
    for n, tool in enumerate(answer.tools):
        arguments = json.dumps(tool.arguments)
        yield item(type="function_call", name=tool.name, arguments=arguments, call_id=f"call-{no}-{n}")
    for n, tool in enumerate(answer.tools):
        yield item(type="function_call_output", call_id=f"call-{no}-{n}", output=tool.result)


def lines(story: Story) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "session_meta", {"id": story.native_id, "cwd": story.cwd, "cli_version": "0.200.19", "model_provider": "trae"}
    total = dict.fromkeys(counts(Used()), 0)
    for turn_no, turn in enumerate(story.turns):
        yield "turn_context", {"cwd": story.cwd, "model": story.model, "model_provider": "trae"}
        yield item(type="message", role="user", content=[{"type": "input_text", "text": turn.prompt}])
        yield "event_msg", {"type": "user_message", "message": turn.prompt}
        for no, answer in enumerate(turn.answers):
            yield from answered(f"{turn_no}-{no}", answer)
            last = counts(answer.used)
            total = {name: total[name] + last[name] for name in total}
            yield "event_msg", {"type": "token_count", "info": {"total_token_usage": total, "last_token_usage": last}}


def write(story: Story, folder: Path) -> Path:
    log = folder / "sessions" / f"rollout-2026-03-02T09-00-00-{story.native_id}.jsonl"
    log.parent.mkdir()
    texts = []
    for no, (kind, payload) in enumerate(lines(story)):
        at = (story.start + timedelta(seconds=no)).isoformat(timespec="milliseconds") + "Z"
        texts.append(json.dumps({"timestamp": at, "type": kind, "payload": payload}))
    log.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return log


WRITERS = (Writer("traex", "traex", write),)
