"""The plan as the agent left it: steps word for word, with their status.

Tools whose call holds the whole list (TodoWrite, update_plan, write_todos) replace it; tools that add or change one step
(TaskCreate, TaskUpdate) are applied in order. Where no such tool was ever used, the plan is the last list that the agent put to
a person, wrote into a file called PLAN or TODO, or said: what others say is none.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.facts.checklists import boxes, steps_of_proposal, steps_with_status

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
_PROPOSE = {"exitplanmode", "exit_plan_mode", "plan_exit", "exitspecmode", "plan_mode_respond", "createplan"}
_PLAN_FILE = re.compile(r"(?:^|[/\\_.-])(?:plan|todo|tasks)(?:[_-][^/\\.]*)?(?:\.(?:md|markdown|txt|org))?$", re.I)
_WORDS = {
    "done": ("done", "completed", "complete", "finished"),
    "in_progress": ("in_progress", "in-progress", "in progress", "inprogress", "active", "doing"),
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


@dataclass(frozen=True, slots=True)
class State:
    """The plan after one item that changed it."""

    item: Item
    steps: tuple[Step, ...]


def plan(items: Iterable[Item]) -> list[Step]:
    """The latest state of the plan, in its order; empty where there is none. Sub-agents' plans are their own."""
    last: tuple[Step, ...] = ()
    for state in states(items):
        last = state.steps
    return list(last)


def states(items: Iterable[Item]) -> list[State]:
    """The plan after each item that set or changed it, in order."""
    ordered = [item for item in items if not item.is_sidechain]
    return _of_tools(ordered) or _of_texts(ordered)


def _of_tools(ordered: Sequence[Item]) -> list[State]:
    results = {item.call_id: item.text for item in ordered if item.kind == ItemKind.TOOL_RESULT and item.call_id}
    steps: dict[str, Step] = {}
    found: list[State] = []
    for item in ordered:
        if item.kind != ItemKind.TOOL_CALL or not item.tool_name:
            continue
        name = item.tool_name.lower().rsplit("__", 1)[-1]
        if name in _WHOLE:
            listed = _listed(_arguments(item.text))
            steps = steps if listed is None else {str(n): _step(entry, item) for n, entry in enumerate(listed)}
        elif name in _CREATE:
            key = _number(results.get(item.call_id or "", "")) or str(len(steps) + 1)
            steps = {**steps, key: _step(_arguments(item.text), item)}
        elif name in _UPDATE:
            steps = _changed(steps, _arguments(item.text), item)
        else:
            continue
        found.append(State(item, tuple(step for step in steps.values() if step.text)))
    return found


def _of_texts(ordered: Iterable[Item]) -> list[State]:
    found: list[State] = []
    for item in ordered:
        if listed := _told(item):
            steps = tuple(_step(entry, item) for entry in listed)
            found.append(State(item, _with(found[-1].steps if found else (), steps)))
    return found


def _told(item: Item) -> list[dict[str, Any]]:
    """The steps that an item lists in words."""
    if item.kind == ItemKind.ASSISTANT_TEXT:
        return [*steps_with_status(item.text)]
    if item.kind != ItemKind.TOOL_CALL or not item.tool_name:
        return []
    arguments = _arguments(item.text)
    if item.tool_name.lower() in _PROPOSE:
        return [*steps_of_proposal(str(arguments.get("plan") or arguments.get("response") or ""))]
    written = arguments.get("content") or arguments.get("file_text")
    is_plan = _PLAN_FILE.search(item.path or "") is not None
    return [*steps_with_status(written)] if is_plan and isinstance(written, str) else []


def _with(old: tuple[Step, ...], new: tuple[Step, ...]) -> tuple[Step, ...]:
    """A list that only holds steps of the one before changes these; any other is a new plan."""
    told = {normal(step.text): step for step in new}
    if told.keys() <= {normal(step.text) for step in old}:
        return tuple(told.get(normal(step.text), step) for step in old)
    return new


def normal(text: str) -> str:
    """A step's words to compare: without case, marks and spaces around them."""
    return " ".join(re.findall(r"\w+", text.casefold()))


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
            return [*boxes(entries)]
        if isinstance(entries, list):
            return [entry if isinstance(entry, dict) else {"content": str(entry)} for entry in entries]
    return None


def _step(entry: dict[str, Any], item: Item) -> Step:
    words = next((entry[key] for key in ("content", "step", "subject", "description", "title", "text") if entry.get(key)), "")
    return Step(str(words).strip(), _status(entry.get("status")), item)


def _status(value: object) -> str:
    words = str(value or "pending").lower().strip()
    return _STATUS.get(words, words)


def _number(result: str) -> str | None:
    match = _TASK_NUMBER.search(result)
    return (match[1] or match[2]) if match else None


def _changed(steps: dict[str, Step], arguments: dict[str, Any], item: Item) -> dict[str, Step]:
    key = str(arguments.get("taskId") or arguments.get("task_id") or arguments.get("id") or "")
    if key not in steps:
        return steps
    old = steps[key]
    words = str(arguments.get("subject") or arguments.get("content") or old.text)
    status = _status(arguments["status"]) if arguments.get("status") else old.status
    return {**steps, key: Step(words, status, item)}
