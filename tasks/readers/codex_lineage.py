"""Whose child a rollout is, and which of its leading lines are a copy of the parent's.

A fork starts with its own session_meta, then repeats the parent's lines stamped with the moment of the fork. A spawned
sub-agent may repeat them too, or only name its parent and start to work. With the parent's file at hand the copy is found by
comparing content (SQL does that); the rules here are what one file tells about itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from tasks.domain.kinds import Relation
from tasks.readers.codex_lines import Mark
from tasks.readers.values import moment

_Turns = list[tuple[int, int]]
"""Half-open ranges of record numbers."""

BURST = timedelta(seconds=3)
"""A copy is written without pause; a model or a person needs longer than this somewhere in a turn."""

_OPENERS = frozenset(
    (
        "session_meta", "turn_context", "world_state", "event_msg/task_started", "event_msg/user_message",
        "response_item/message/user", "response_item/message/developer", "response_item/ghost_snapshot",
        "event_msg/thread_settings_applied", "event_msg/thread_name_updated", "inter_agent_communication",
        "inter_agent_communication_metadata",
    )
)  # fmt: skip
"""Lines that a turn may begin with, before anything is produced in it."""


@dataclass(slots=True)
class Lineage:
    """What the leading session_metas say. `origin_id` is the oldest ancestor named: the copy's ids are derived from it."""

    native_id: str
    parent_id: str | None = None
    relation: Relation | None = None
    origin_id: str | None = None
    started_at: datetime | None = None
    is_declared_fork: bool = False


def lineage(native_id: str, metas: Sequence[dict[str, Any]]) -> Lineage:
    """From the unbroken run of session_metas at the head of the file; the first is the file's own."""
    own = metas[0] if metas else {}
    ancestors = [str(meta["id"]) for meta in metas[1:] if isinstance(meta.get("id"), str) and meta["id"] != native_id]
    source = own.get("source")
    subagent = source.get("subagent") if isinstance(source, dict) else None
    spawn = subagent.get("thread_spawn") if isinstance(subagent, dict) else None
    spawner = (spawn.get("parent_thread_id") if isinstance(spawn, dict) else None) or own.get("parent_thread_id")
    forked = own.get("forked_from_id")
    named = [value for value in (forked, spawner, *ancestors[:1]) if isinstance(value, str) and value and value != native_id]
    is_subagent = subagent is not None or own.get("thread_source") == "subagent" or bool(spawner)
    relation = Relation.SUBAGENT if is_subagent else Relation.FORK if named else None
    parent = named[0] if named else None
    started = moment(own.get("timestamp"))[0]
    return Lineage(native_id, parent, relation, ancestors[-1] if ancestors else parent, started, bool(forked))


def own_work_begins(marks: Sequence[Mark], line: Lineage, triggers: Sequence[int]) -> int:
    """Number of the first record that is the session's own work; everything before it, but its own meta, is a copy.

    `triggers`: records that hand a sub-agent its task. A session without a parent copies nothing.
    """
    metas = _leading_metas(marks)
    if line.parent_id is None or (metas < 2 and not line.is_declared_fork):
        return metas
    turns = _turns(marks, metas)
    if not turns:
        return metas
    start = line.started_at or marks[0].at
    if line.relation is Relation.SUBAGENT and (task := _task_of(marks, turns, triggers, start)) is not None:
        return task
    if not line.is_declared_fork and line.relation is Relation.SUBAGENT:
        return _after_copied_second(marks, turns, start)
    return next((a for a, b in turns if _is_live(marks, a, b, start)), len(marks))


def _leading_metas(marks: Sequence[Mark]) -> int:
    return next((mark.no for mark in marks if mark.type != "session_meta"), len(marks))


def _turns(marks: Sequence[Mark], first: int) -> _Turns:
    """The turns: one opens with the first opener after something was produced, or after a pause."""
    starts: list[int] = []
    was_opener, has_task = False, False
    for mark in marks[first:]:
        opener = _is_opener(mark)
        is_task = mark.subtype == "task_started"
        opens = opener and mark.type not in ("turn_context", "world_state")
        if not starts or (opens and not was_opener) or (is_task and has_task) or (opener and _pause(marks, mark.no)):
            starts.append(mark.no)
            has_task = False
        has_task = has_task or is_task
        was_opener = opener and (opens or was_opener)
    return list(zip(starts, [*starts[1:], len(marks)], strict=True))


def _is_opener(mark: Mark) -> bool:
    role = f"/{mark.items[0].role}" if mark.subtype == "message" and mark.items else ""
    return "/".join(part for part in (mark.type, mark.subtype) if part) + role in _OPENERS


def _pause(marks: Sequence[Mark], no: int) -> bool:
    """Whether the time before this record is more than a copy takes."""
    now, before = marks[no].at, marks[no - 1].at if no else None
    return now is not None and before is not None and now - before > BURST


def _is_newer(marks: Sequence[Mark], first: int, end: int, start: datetime | None) -> bool | None:
    """Whether the turn began in this session, by the first time in it that copying keeps; None without one."""
    kept = next((mark.kept_at for mark in marks[first:end] if mark.kept_at is not None), None)
    return None if kept is None or start is None else kept >= start.replace(microsecond=0)


def _is_live(marks: Sequence[Mark], first: int, end: int, start: datetime | None) -> bool:
    """Whether the turn happened in this session: by a kept time, else by a pause before or in it."""
    is_newer = _is_newer(marks, first, end, start)
    return any(_pause(marks, no) for no in range(first, end)) if is_newer is None else is_newer


def _task_of(marks: Sequence[Mark], turns: _Turns, triggers: Sequence[int], start: datetime | None) -> int | None:
    """Start of the turn in which a sub-agent is first handed its task. A copied parent may itself have been handed one."""
    handed = (turn for turn in turns if any(turn[0] <= no < turn[1] for no in triggers))
    return next((first for first, end in handed if _is_newer(marks, first, end, start) is not False), None)


def _after_copied_second(marks: Sequence[Mark], turns: _Turns, start: datetime | None) -> int:
    """Old spawns: whole turns, usage included, in the very second of creation are a copy; a first turn that lasts is not."""
    second = marks[0].at.replace(microsecond=0) if marks[0].at else None
    for first, end in turns:
        is_newer = _is_newer(marks, first, end, start)
        has_usage = any(mark.subtype == "token_count" and not mark.row.flags for mark in marks[first:end])
        seconds = {mark.at.replace(microsecond=0) for mark in marks[first:end] if mark.at is not None}
        is_copy = not is_newer if is_newer is not None else has_usage and seconds == {second}
        if not is_copy:
            return first
    return len(marks)
