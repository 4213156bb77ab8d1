"""Who wrote the user messages: a person, or the program in the user's name.

Codex logs what was typed a second time, as event user_message. Where a file has such events, they decide. Older files have
none: there every user message is typed that is not one of the program's known wrappers.
"""

import re
from collections.abc import Sequence

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
    has_events = bool(events)
    waiting = list(events)
    for mark in marks:
        texts = [item for item in mark.items if item.kind is ItemKind.USER_TEXT]
        if not texts:
            continue
        typed = _match(mark, texts, waiting) if has_events else [item for item in texts if not _WRAPPERS.match(item.text)]
        spawned = is_subagent and mark.no >= own_from
        for item in texts:
            if item not in typed or spawned:
                item.kind = ItemKind.NOTICE if _ABORTED.match(item.text) else ItemKind.INJECTED
        _start_turn([item for item in typed if not spawned or not _WRAPPERS.match(item.text)])
    for event in waiting:
        _promote(event, is_subagent and event.no >= own_from)
    if is_subagent:
        _start_by_message(marks, own_from)


def _match(mark: Mark, texts: list[SeenItem], waiting: list[Mark]) -> list[SeenItem]:
    """The items that an event near by says were typed; the event is used up."""
    whole = "\n".join(item.text for item in texts).strip()
    for event in waiting:
        if abs(event.no - mark.no) > NEAR:
            if event.no > mark.no:
                break
            continue
        said = event.spare[0].text.strip()
        typed = [item for item in texts if item.text.strip() == said]
        if not typed and said and (said == whole or said in whole) and not _WRAPPERS.match(texts[0].text):
            typed = texts
        if typed:
            waiting.remove(event)
            return typed
    return []


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
