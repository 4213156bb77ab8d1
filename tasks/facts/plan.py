"""The plan as the agent's own plan tool left it: steps word for word, with their status.

Tools whose call holds the whole list (TodoWrite, update_plan, write_todos) replace it; tools that add or change one step
(TaskCreate, TaskUpdate) are applied in order.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind

_WHOLE = {
    "todowrite",
    "todo_write",
    "update_plan",
    "write_todos",
    "updateplan",
    "update_todo_list",
    "todo_list",
    "manage_todo_list",
}
_CREATE, _UPDATE = {"taskcreate", "task_create"}, {"taskupdate", "task_update"}
_WORDS = {
    "done": ("done", "completed", "complete", "finished"),
    "in_progress": ("in_progress", "in-progress", "inprogress", "active", "doing"),
    "pending": ("pending", "todo", "not_started", "not-started", "open"),
    "dropped": ("dropped", "cancelled", "canceled", "deleted", "skipped"),
}
_STATUS = {word: status for status, words in _WORDS.items() for word in words}
_TASK_NUMBER = re.compile(r"[Tt]ask #?(\d+)\b|\"id\":\s*\"?(\d+)")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the plan, as the agent worded it."""

    text: str
    status: str
    """done, in_progress, pending, dropped, or the tool's own word where it is none of these."""
    item: Item
    """The call that last wrote it."""

    @property
    def is_open(self) -> bool:
        return self.status not in {"done", "dropped"}


def plan(items: Iterable[Item]) -> list[Step]:
    """The latest state of the plan, in its order; empty where no plan tool was used. Sub-agents' plans are their own."""
    ordered = [item for item in items if not item.is_sidechain]
    results = {item.call_id: item.text for item in ordered if item.kind == ItemKind.TOOL_RESULT and item.call_id}
    steps: dict[str, Step] = {}
    for item in ordered:
        if item.kind != ItemKind.TOOL_CALL or not item.tool_name:
            continue
        name = item.tool_name.lower().rsplit("__", 1)[-1]
        if name in _WHOLE:
            listed = _listed(_arguments(item.text))
            steps = steps if listed is None else {str(n): _step(entry, item) for n, entry in enumerate(listed)}
        elif name in _CREATE:
            key = _number(results.get(item.call_id or "", "")) or str(len(steps) + 1)
            steps[key] = _step(_arguments(item.text), item)
        elif name in _UPDATE:
            _change(steps, _arguments(item.text), item)
    return [step for step in steps.values() if step.text]


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _listed(arguments: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The steps that a call lists; None where it lists none at all, which changes nothing."""
    for key in ("todos", "plan", "items", "todoList", "todo_list", "steps"):
        entries = arguments.get(key)
        if isinstance(entries, str):
            return _checklist(entries)
        if isinstance(entries, list):
            return [entry if isinstance(entry, dict) else {"content": str(entry)} for entry in entries]
    return None


def _checklist(text: str) -> list[dict[str, Any]]:
    boxes = re.findall(r"^\s*(?:[-*]|\d+[.)])\s+\[([ xX~\-/])\]\s+(.+)$", text, re.M)
    words = {" ": "pending", "x": "completed", "X": "completed"}
    return [{"content": content.strip(), "status": words.get(box, "in_progress")} for box, content in boxes]


def _step(entry: dict[str, Any], item: Item) -> Step:
    words = next((entry[key] for key in ("content", "step", "subject", "description", "title", "text") if entry.get(key)), "")
    return Step(str(words).strip(), _status(entry.get("status")), item)


def _status(value: object) -> str:
    words = str(value or "pending").lower().strip()
    return _STATUS.get(words, words)


def _number(result: str) -> str | None:
    match = _TASK_NUMBER.search(result)
    return (match[1] or match[2]) if match else None


def _change(steps: dict[str, Step], arguments: dict[str, Any], item: Item) -> None:
    key = str(arguments.get("taskId") or arguments.get("task_id") or arguments.get("id") or "")
    if key not in steps:
        return
    old = steps[key]
    words = str(arguments.get("subject") or arguments.get("content") or old.text)
    steps[key] = Step(words, _status(arguments["status"]) if arguments.get("status") else old.status, item)
