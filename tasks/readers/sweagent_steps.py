"""The steps of a trajectory of SWE-agent beside its history."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tasks.readers import contents
from tasks.readers.values import fields, objects, text


def align(steps: Sequence[dict[str, Any]], history: Sequence[dict[str, Any]]) -> tuple[set[int], int]:
    """The steps that the history tells too, in order, and the last of them (-1: none).

    A step without an answer in the history was taken back (a format error, asked again) or is the last one.
    """
    answers = [message for message in history if message.get("role") == "assistant" and message.get("is_demo") is not True]
    matched: set[int] = set()
    at = 0
    for no, step in enumerate(steps):
        if at < len(answers) and _is_same(step, answers[at]):
            matched.add(no)
            at += 1
    if at < len(answers):
        # Told apart by their texts they are not: then by their number.
        matched = set(range(min(len(steps), len(answers))))
    return matched, max(matched, default=-1)


def _is_same(step: dict[str, Any], answer: dict[str, Any]) -> bool:
    if "action" in answer and step.get("action") != answer["action"]:
        return False
    said = contents.plain(answer.get("content"))
    return said in (step.get("response"), step.get("thought")) or step.get("thought") == answer.get("thought", step)


def step_message(step: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A step's answer and what came of it, as messages of a history."""
    ids = step.get("tool_call_ids")
    answer = {
        "role": "assistant", "content": step.get("response"), "thought": step.get("thought"), "action": step.get("action"),
        "tool_calls": step.get("tool_calls"), "thinking_blocks": step.get("thinking_blocks"),
    }  # fmt: skip
    return answer, {"role": "user", "content": step.get("observation"), "tool_call_ids": ids}


def prompt(step: dict[str, Any]) -> list[dict[str, Any]]:
    """All that the model was sent at a step, as far as the trajectory says."""
    return objects(step.get("messages")) or objects(step.get("query"))


def states(steps: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The working directories that the steps name; a state is an object or the JSON text of one."""
    for step in steps:
        state = step.get("state")
        if isinstance(state, str):
            try:
                state = json.loads(state)
            except (ValueError, RecursionError):
                continue
        found = text(fields(state).get("working_dir"))
        if found:
            yield found
