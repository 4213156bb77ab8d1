"""Events repeat, for the screen, what items say. They become items only where the file holds no original.

Some things exist as events alone: an interruption, an error. They are notices of the program, and no model saw them.
"""

from collections import deque
from collections.abc import Sequence
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.readers.codex_items import Block, plain_text
from tasks.readers.codex_lines import Mark

NEAR = 12
"""Records between an event and the item it repeats, at most."""

_REASONING = ("agent_reasoning", "agent_reasoning_raw_content")


def notices(subtype: str, payload: dict[str, Any]) -> list[Block]:
    """What only the program says."""
    if subtype == "turn_aborted":
        return [
            Block(
                ItemKind.NOTICE, "system", str(payload.get("reason") or "interrupted"), flags=("turn_aborted",), is_sent=False
            )
        ]
    if subtype in ("error", "stream_error", "warning"):
        text = plain_text(payload.get("message") or payload.get("error"))
        return [Block(ItemKind.NOTICE, "system", text, flags=(subtype,), is_sent=False)] if text else []
    return []


def copies(subtype: str, payload: dict[str, Any]) -> list[Block]:
    """What an item should say too. A wrapper that the program logs as its own user message is none."""
    if subtype == "user_message" and payload.get("kind") not in ("environment_context", "user_instructions"):
        return [Block(ItemKind.USER_TEXT, "user", plain_text(payload.get("message")))]
    if subtype == "agent_message":
        return [Block(ItemKind.ASSISTANT_TEXT, "assistant", plain_text(payload.get("message")))]
    if subtype in _REASONING:
        return [Block(ItemKind.REASONING, "assistant", plain_text(payload.get("text")))]
    if subtype == "exec_command_end":
        texts = (payload.get(name) for name in ("formatted_output", "aggregated_output", "stdout", "stderr"))
        text = next((text for text in texts if isinstance(text, str) and text), "")
        call_id = payload.get("call_id")
        return [Block(ItemKind.TOOL_RESULT, "tool", text, call_id=call_id if isinstance(call_id, str) else None)]
    return []


def promote(marks: Sequence[Mark]) -> None:
    """Turns the events without an original into items. Prompts are the matter of `codex_prompts`."""
    answers = deque(mark.no for mark in marks if mark.type == "response_item" and _says(mark, ItemKind.ASSISTANT_TEXT))
    has_items = any(mark.type == "response_item" for mark in marks)
    has_reasoning = any(_says(mark, ItemKind.REASONING) for mark in marks)
    answered = {item.call_id for mark in marks for item in mark.items if item.kind is ItemKind.TOOL_RESULT}
    called = {item.call_id for mark in marks for item in mark.items if item.kind is ItemKind.TOOL_CALL}
    for mark in (mark for mark in marks if mark.spare):
        if mark.subtype == "agent_message":
            is_only_trace = not _claim(answers, mark.no)
        elif mark.subtype == "exec_command_end":
            is_only_trace = mark.call_id not in answered and (mark.call_id in called or not has_items)
        else:
            is_only_trace = mark.subtype in _REASONING and not has_reasoning
        if is_only_trace:
            mark.items = mark.spare


def _claim(answers: deque[int], no: int) -> bool:
    """Takes the first answer near record `no`: every event repeats one of its own."""
    while answers and answers[0] < no - NEAR:
        answers.popleft()
    if not answers or answers[0] > no + NEAR:
        return False
    answers.popleft()
    return True


def _says(mark: Mark, kind: ItemKind) -> bool:
    return any(item.kind is kind for item in mark.items)
