"""Who wrote the user messages: a person, or the program in the user's name.

Codex logs what was typed a second time, as event user_message. Where a file has such events, they decide. Older files have
none: there every user message is typed that is not one of the program's known wrappers.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from tasks.domain.kinds import ItemKind
from tasks.domain.seen import SeenItem
from tasks.readers.codex_lines import Mark

NEAR = 12
"""Records between a message and the event that repeats it, at most."""

_WRAPPERS = re.compile(
    r"\s*(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|permissions|INSTRUCTIONS|instructions|skill|"
    r"skills|subagent_notification|user_shell_command|collaboration_mode|app-context|personality|apps_instructions|plugins|user_action|"
    r"model_switch|token_budget|goal|hook|system|turn_aborted|memory|developer)\b)"
)
_ABORTED = re.compile(r"\s*<turn_aborted>")


def sort_out(marks: Sequence[Mark], own_from: int, is_subagent: bool) -> None:
    """Sets kind and `starts_turn` of every user message. In a sub-agent's own work nothing is typed by a person."""
    events = [mark for mark in marks if mark.subtype == "user_message" and mark.spare]
    messages = {mark.no: texts for mark in marks if (texts := [item for item in mark.items if item.kind is ItemKind.USER_TEXT])}
    typed, untold = _told(events, messages) if events else (_unwrapped(messages), [])
    for no, texts in messages.items():
        said = typed.get(no, [])
        is_spawned = is_subagent and no >= own_from
        for item in texts:
            if item not in said or is_spawned:
                item.kind = ItemKind.NOTICE if _ABORTED.match(item.text) else ItemKind.INJECTED
        _start_turn([item for item in said if not is_spawned or not _WRAPPERS.match(item.text)])
    for event in untold:
        _promote(event, is_subagent and event.no >= own_from)
    if is_subagent:
        _start_by_message(marks, own_from)


def _told(events: Sequence[Mark], messages: Mapping[int, list[SeenItem]]) -> tuple[dict[int, list[SeenItem]], list[Mark]]:
    """The typed items by record, each event used for the message near it that fits best; and the events without a message."""
    typed: dict[int, list[SeenItem]] = {}
    untold = []
    numbers = sorted(messages)
    for event in events:
        near = numbers[bisect_left(numbers, event.no - NEAR) : bisect_right(numbers, event.no + NEAR)]
        fits = [(*fit, no) for no in near if no not in typed and (fit := _fit(event, no, messages[no])) is not None]
        if fits:
            _, _, no = min(fits)
            typed[no] = _part_said(event.spare[0].text.strip(), messages[no])
        else:
            untold.append(event)
    return typed, untold


def _fit(event: Mark, no: int, texts: list[SeenItem]) -> tuple[int, int] | None:
    """How well a message fits, best first: equal, or holding what was said; then the distance in records."""
    said = event.spare[0].text.strip()
    whole = "\n".join(item.text for item in texts).strip()
    if said == whole or any(item.text.strip() == said for item in texts):
        return 0, abs(event.no - no)
    is_inside = bool(said) and said in whole and not _WRAPPERS.match(texts[0].text)
    return (1, abs(event.no - no)) if is_inside else None


def _part_said(said: str, texts: list[SeenItem]) -> list[SeenItem]:
    return [item for item in texts if item.text.strip() == said] or texts


def _unwrapped(messages: Mapping[int, list[SeenItem]]) -> dict[int, list[SeenItem]]:
    return {no: [item for item in texts if not _WRAPPERS.match(item.text)] for no, texts in messages.items()}


def _promote(event: Mark, spawned: bool) -> None:
    """An event whose message the file does not hold is the only trace of the prompt, so it becomes the item."""
    item = event.spare[0]
    if not item.text:
        return
    item.kind = ItemKind.INJECTED if spawned else ItemKind.USER_TEXT
    event.items = [item]
    _start_turn(event.items)


def _start_turn(typed: list[SeenItem]) -> None:
    if typed:
        typed[0].starts_turn = True


def _start_by_message(marks: Sequence[Mark], own_from: int) -> None:
    """A sub-agent may get its task as a message of another agent instead of a user message."""
    own = [item for mark in marks[own_from:] for item in mark.items]
    if any(item.starts_turn for item in own):
        return
    for item in own:
        if item.kind is ItemKind.INJECTED and (item.role == "agent" or not _WRAPPERS.match(item.text)):
            item.starts_turn = True
            return
