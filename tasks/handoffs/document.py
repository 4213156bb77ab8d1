"""Composes a handoff from the items of a session and its ancestors. Pure and deterministic; the budget is fitted afterwards."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from tasks.domain.item import Item
from tasks.domain.kinds import Ending, ItemKind
from tasks.facts.assents import is_assent
from tasks.facts.constraints import Constraint, active
from tasks.facts.files import files
from tasks.facts.plan import Step, plan
from tasks.handoffs import state
from tasks.handoffs.model import Command, File, Handoff, Log, PlanStep, Quote, Rule

DEFAULT_BUDGET = 4_000
OUTPUT_LINES, OUTPUT_CHARS, CALL_CHARS = 25, 2_000, 400
_RESUME = {"claude-code": "claude --resume", "codex": "codex resume"}
_SESSION_FACTS = (
    "session_id", "agent", "native_id", "state", "title", "project", "cwd", "git_branch", "git_commit", "started_at",
    "ended_at",
)  # fmt: skip
_PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


def compose(
    session: Mapping[str, Any], items: Sequence[Item], ancestors: Sequence[Item] = (), *, lineage: Sequence[str] = (),
    logs: Sequence[Log] = (), compactions: int = 0, budget: int = DEFAULT_BUDGET,
) -> Handoff:  # fmt: skip
    """`session` is its row of the view; `items` its own and inherited ones in order; `ancestors` those of sessions that it
    continues without a copy of their history, the first one first."""
    own = [item for item in items if not item.is_sidechain]
    every = [item for item in ancestors if not item.is_sidechain] + own
    logged = _Logged(logs)
    prompts = [logged.quote(item) for item in every if item.kind == ItemKind.USER_TEXT and item.text.strip()]
    said = [item for item in own if item.kind == ItemKind.ASSISTANT_TEXT and item.text.strip()]
    steps, failure = plan(every), state.last_failure(own)
    next_step = state.next_step(
        own, steps, is_cut_off=session.get("ending") == Ending.MID_TURN, has_failure=failure is not None
    )
    return Handoff.model_validate(
        {name: session.get(name) for name in _SESSION_FACTS}
        | {
            "lineage": tuple(lineage) or (session["session_id"],),
            "is_broken": "broken_chain" in (session.get("flags") or ()),
            "prompts": len(prompts),
            "compactions": compactions,
            "goal": prompts[0] if prompts else None,
            "constraints": [logged.rule(rule) for rule in active(every)],
            "plan": [logged.step(step) for step in steps],
            "done_steps": sum(step.status == "done" for step in steps),
            "last_request": prompts[-1] if len(prompts) > 1 else None,
            "requests": [quote for quote in prompts[1:-1] if not is_assent(quote.text)],
            "last_said": logged.quote(said[-1]) if said else None,
            "failure": logged.command(*failure) if failure else None,
            "open_calls": [logged.command(call, None) for call in state.open_calls(own)],
            "files": _files(every),
            "next_step": next_step,
            "resume": _resume(session),
            "logs": tuple(logs),
            "budget": budget,
        }
    )


class _Logged:
    """Says of each thing in which of the logs it stands."""

    def __init__(self, logs: Sequence[Log]) -> None:
        # With one log there is nothing to tell apart.
        self._numbers = {log.source_id: number for number, log in enumerate(logs, 1)} if len(logs) > 1 else {}

    def _place(self, item: Item) -> dict[str, Any]:
        return {"turn": item.turn, "line": item.line_no, "log": self._numbers.get(item.source_id or "")}

    def quote(self, item: Item) -> Quote:
        return Quote(text=item.text, **self._place(item))

    def rule(self, rule: Constraint) -> Rule:
        return Rule(text=rule.text, kind=rule.kind, session_id=rule.item.session_id, **self._place(rule.item))

    def step(self, step: Step) -> PlanStep:
        return PlanStep(text=step.text, status=step.status, is_open=step.is_open, **self._place(step.item))

    def command(self, call: Item, result: Item | None) -> Command:
        run, output = state.words(call), result.text.rstrip() if result else ""
        tail = _end("\n".join(output.split("\n")[-OUTPUT_LINES:]))
        is_cut = len(run) > CALL_CHARS or len(tail) < len(output)
        return Command(
            tool=call.tool_name or "(unnamed)", call=run[:CALL_CHARS], output=tail, is_cut=is_cut, **self._place(call)
        )


def _end(text: str) -> str:
    """The last whole lines that fit, or the end of the one line that does not."""
    kept = text[-OUTPUT_CHARS:]
    return kept if len(kept) == len(text) or "\n" not in kept else kept.partition("\n")[2]


def _files(items: Sequence[Item]) -> tuple[File, ...]:
    """Edited ones first, then those that were only read; newest first within each."""
    found = [
        File(path=touch.path, op=touch.op, turn=touch.turn, line=touch.line_no, was_edited=touch.was_edited)
        for touch in files(items)
        if touch.op != "search"
    ]
    return tuple(sorted(found, key=lambda file: not file.was_edited))


def _resume(session: Mapping[str, Any]) -> str | None:
    """A command to paste; none where the id is not one that an agent makes."""
    command, native = _RESUME.get(session.get("agent") or ""), str(session.get("native_id") or "")
    if not command or not _PLAIN_ID.fullmatch(native):
        return None
    folder = session.get("cwd")
    return f"cd {shlex.quote(folder)} && {command} {native}" if folder and folder.isprintable() else f"{command} {native}"
