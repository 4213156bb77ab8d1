"""The session that a rollout is about: where it ran, what it is called, how its log stops."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PureWindowsPath
from typing import Any

from tasks.domain.kinds import Ending, ItemKind
from tasks.domain.seen import SeenItem, SeenSession
from tasks.readers.codex_lineage import Lineage
from tasks.readers.codex_lines import Line, Mark
from tasks.readers.values import whole

_OPENED = ("task_started", "turn_started")
_CLOSED = ("task_complete", "turn_complete")
_BROKEN_OFF = ("turn_aborted",)
_HOSTED_TOOLS = ("web_search", "image_generation")
"""Tools that run at the provider: their calls never get an output line."""


@dataclass(slots=True)
class Facts:
    """Gathered line by line; later lines win where a fact changes."""

    metas: list[dict[str, Any]] = field(default_factory=list)
    """The unbroken run of session_metas at the head."""
    model: str | None = None
    tier: str | None = None
    cwd: str | None = None
    title: str | None = None
    context_limit: int | None = None
    _head_is_over: bool = False

    @property
    def own(self) -> dict[str, Any]:
        return self.metas[0] if self.metas else {}

    @property
    def version(self) -> str | None:
        return _text(self.own.get("cli_version"))

    def learn(self, line: Line, native_id: str) -> None:
        """Takes from one line what it says about the session."""
        payload = line.payload
        if line.type == "session_meta":
            if not self._head_is_over:
                self.metas.append(payload)
            return
        self._head_is_over = True
        if line.type == "turn_context":
            self.model = _text(payload.get("model")) or self.model
            self.cwd = self.cwd or _text(payload.get("cwd"))
        elif line.subtype == "thread_settings_applied":
            settings = payload.get("thread_settings")
            settings = settings if isinstance(settings, dict) else payload
            self.tier = _text(settings.get("service_tier")) or self.tier
            self.model = _text(settings.get("model")) or self.model
        elif line.subtype == "thread_name_updated" and payload.get("thread_id", native_id) == native_id:
            self.title = _text(payload.get("thread_name")) or self.title
        if line.type == "event_msg" and "model_context_window" in payload:
            self.context_limit = whole(payload["model_context_window"])[0] or self.context_limit


def session(agent: str, facts: Facts, line: Lineage, marks: Sequence[Mark], own_from: int) -> SeenSession:
    """The session's row."""
    own = facts.own
    git = own.get("git")
    git = git if isinstance(git, dict) else {}
    times = [mark.at for mark in marks if mark.at is not None]
    cwd = _text(own.get("cwd")) or facts.cwd
    return SeenSession(
        session_id=f"{agent}:{line.native_id}",
        agent=agent,
        native_id=line.native_id,
        project=PureWindowsPath(cwd).name or cwd if cwd else None,
        cwd=cwd,
        git_branch=_text(git.get("branch")),
        git_commit=_text(git.get("commit_hash")),
        title=facts.title,
        started_at=line.started_at or min(times, default=None),
        ended_at=max(times, default=None),
        parent_session_id=f"{agent}:{line.parent_id}" if line.parent_id else None,
        relation=line.relation,
        ending=ending(marks),
        agent_version=facts.version,
        context_limit=facts.context_limit,
        flags=_flags(own, line, marks, own_from),
    )


def ending(marks: Sequence[Mark]) -> Ending:
    """Mid-turn when the last turn was interrupted or never completed, a call has no result, or a prompt no answer."""
    state, is_open = Ending.CLEAN, False
    waiting: set[str] = set()
    for mark in marks:
        if mark.subtype in (*_OPENED, *_CLOSED, *_BROKEN_OFF):
            is_open = mark.subtype in _OPENED
            state = Ending.MID_TURN if mark.subtype in _BROKEN_OFF else Ending.CLEAN
            waiting.clear()
        for item in mark.items:
            state = _after(item, state, waiting)
    return Ending.MID_TURN if is_open or waiting else state


def _after(item: SeenItem, state: Ending, waiting: set[str]) -> Ending:
    if item.kind is ItemKind.TOOL_CALL and item.call_id and item.tool_name not in _HOSTED_TOOLS:
        waiting.add(item.call_id)
    elif item.kind is ItemKind.TOOL_RESULT:
        waiting.discard(item.call_id or "")
        return Ending.MID_TURN
    elif item.kind is ItemKind.USER_TEXT or item.starts_turn:
        waiting.clear()
        return Ending.MID_TURN
    elif item.kind is ItemKind.ASSISTANT_TEXT:
        return Ending.CLEAN
    return state


def _flags(own: dict[str, Any], line: Lineage, marks: Sequence[Mark], own_from: int) -> tuple[str, ...]:
    source = own.get("source")
    flags = [f"originator:{own['originator']}"] if isinstance(own.get("originator"), str) else []
    flags += [f"source:{source}"] if isinstance(source, str) else []
    has_copy = any(mark.items for mark in marks[1:own_from] if mark.type != "session_meta")
    flags += ["replays_parent"] if line.parent_id and has_copy else []
    flags += ["no_session_meta"] if not own else []
    return tuple(flags)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
