"""A story as a conversation of OpenHands: the SDK's folder, the folder before it, a line of an evaluation."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Used, Writer


def _sdk(story: Story, folder: Path) -> Path:
    root = folder / "conversation"
    (root / "events").mkdir(parents=True)
    for no, event in enumerate(_events(story)):
        event |= {"id": f"e{no:04d}", "timestamp": (story.start + no * STEP).isoformat()}
        (root / "events" / f"event-{no:05d}-{event['id']}.json").write_text(json.dumps(event), encoding="utf-8")
    usages = [
        {**_counts(answer.used), "reasoning_tokens": answer.used.reasoning, "model": story.model, "response_id": name}
        for name, answer in _named(story)
    ]
    metrics = {"model_name": story.model, "token_usages": usages, "accumulated_token_usage": {"prompt_tokens": 9}}
    state = {
        "id": story.native_id, "agent": {"kind": "Agent"}, "workspace": {"working_dir": story.cwd},
        "stats": {"usage_to_metrics": {"agent": metrics}},
    }  # fmt: skip
    (root / "base_state.json").write_text(json.dumps(state), encoding="utf-8")
    return root


def _named(story: Story) -> Iterator[tuple[str, Answer]]:
    for no, turn in enumerate(story.turns):
        yield from ((f"resp-{no}-{at}", answer) for at, answer in enumerate(turn.answers))


def _events(story: Story) -> Iterator[dict[str, Any]]:
    for no, turn in enumerate(story.turns):
        message = {"role": "user", "content": [{"type": "text", "text": turn.prompt}]}
        yield {"kind": "MessageEvent", "source": "user", "llm_message": message}
        for at, answer in enumerate(turn.answers):
            yield from _answered(answer, f"resp-{no}-{at}")


def _answered(answer: Answer, name: str) -> Iterator[dict[str, Any]]:
    words = [{"type": "text", "text": answer.text}] if answer.text else []
    own = {"source": "agent", "llm_response_id": name}
    if not answer.tools:
        message = {"role": "assistant", "content": words, "reasoning_content": answer.reasoning}
        yield {"kind": "MessageEvent", **own, "llm_message": message}
    for no, tool in enumerate(answer.tools):
        call = {"id": f"{name}-{no}", "name": tool.name, "arguments": json.dumps(tool.arguments)}
        first = {"thought": words, "reasoning_content": answer.reasoning} if no == 0 else {"thought": []}
        yield {"kind": "ActionEvent", **own, **first, "tool_name": tool.name, "tool_call_id": call["id"], "tool_call": call}
    for no, tool in enumerate(answer.tools):
        seen = {"content": [{"type": "text", "text": tool.result}], "is_error": False}
        same = {"tool_name": tool.name, "tool_call_id": f"{name}-{no}"}
        yield {"kind": "ObservationEvent", "source": "environment", **same, "observation": seen}


def _old(story: Story, folder: Path) -> Path:
    root = folder / story.native_id
    (root / "events").mkdir(parents=True)
    for event in _old_events(story):
        (root / "events" / f"{event['id']}.json").write_text(json.dumps(event), encoding="utf-8")
    return root


def _evaluation(story: Story, folder: Path) -> Path:
    line = {"instance_id": story.native_id, "metadata": {"llm_config": {"model": story.model}}, "history": _old_events(story)}
    log = folder / "output.jsonl"
    log.write_text(json.dumps(line) + "\n", encoding="utf-8")
    return log


def _old_events(story: Story) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    sums = dict.fromkeys(("prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens"), 0)
    for no, turn in enumerate(story.turns):
        events.append({"source": "user", "action": "message", "args": {"content": turn.prompt}})
        for at, answer in enumerate(turn.answers):
            for name, more in _counts(answer.used).items():
                sums[name] += more
            events += _old_answer(story, answer, f"resp-{no}-{at}", {"accumulated_token_usage": dict(sums)})
    for no, event in enumerate(events):
        event |= {"id": no, "timestamp": (story.start + no * STEP).isoformat()}
    return events


def _counts(used: Used) -> dict[str, int]:
    return {
        "prompt_tokens": used.uncached + used.cache_read + used.cache_write, "completion_tokens": used.output,
        "cache_read_tokens": used.cache_read, "cache_write_tokens": used.cache_write,
    }  # fmt: skip


def _old_answer(story: Story, answer: Answer, name: str, metrics: dict[str, Any]) -> list[dict[str, Any]]:
    own = {"source": "agent", "llm_metrics": metrics}
    if not answer.tools:
        return [{**own, "action": "message", "args": {"content": answer.text}}]
    calls = [
        {"id": f"{name}-{no}", "function": {"name": tool.name, "arguments": json.dumps(tool.arguments)}}
        for no, tool in enumerate(answer.tools)
    ]
    used = answer.used
    usage = {
        "prompt_tokens": used.uncached + used.cache_read + used.cache_write, "completion_tokens": used.output,
        "cache_creation_input_tokens": used.cache_write, "prompt_tokens_details": {"cached_tokens": used.cache_read},
    }  # fmt: skip
    choices = [{"message": {"content": answer.text, "tool_calls": calls}}]
    response = {"id": name, "model": story.model, "usage": usage, "choices": choices}
    links = [
        {"function_name": tool.name, "tool_call_id": f"{name}-{no}", "model_response": response}
        for no, tool in enumerate(answer.tools)
    ]
    done = [{**own, "action": "run", "args": {"thought": answer.text}, "tool_call_metadata": link} for link in links]
    seen = [
        {
            "source": "agent",
            "observation": "run",
            "content": tool.result,
            "tool_call_metadata": {"tool_call_id": f"{name}-{no}"},
        }
        for no, tool in enumerate(answer.tools)
    ]
    return [*done, *seen]


OLD_LACKS = frozenset({"reasoning", "reasoning_tokens", "model"})
WRITERS = (
    Writer("openhands", "openhands", _sdk),
    Writer("openhands-v0", "openhands", _old, OLD_LACKS),
    Writer("openhands-evaluation", "openhands", _evaluation, OLD_LACKS),
)
