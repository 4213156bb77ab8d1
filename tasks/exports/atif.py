"""ATIF, the Agent Trajectory Interchange Format, version 1.7: one JSON document, sub-agents embedded.

Steps are the session's active branch. What the format has no field for stands in `extra`: the ids of the items a step is made
of, their turn, and which of the steps by `system` or `user` are reminders, summaries or notices.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from tasks.exports.atif_steps import Steps, metrics
from tasks.exports.model import Call, Session

VERSION = "ATIF-v1.7"
_FACTS = (
    "agent", "native_id", "project", "cwd", "git_branch", "git_commit", "title", "state", "parent_session_id", "relation",
)  # fmt: skip
_NOTHING_SAID = "The log of this session holds nothing that was said."


def export(session: Session) -> str:
    """The document of a session."""
    return json.dumps(trajectory(session), ensure_ascii=False, indent=1) + "\n"


def trajectory(session: Session) -> dict[str, Any]:
    """The document as plain values; a field without a value is left out."""
    steps = Steps(session)
    told = steps.told() or [{"source": "system", "message": _NOTHING_SAID}]
    elsewhere = [call for call in session.calls if call.request_id not in steps.paid]
    document = {
        "schema_version": VERSION,
        "session_id": session.session_id,
        "trajectory_id": session.session_id,
        "agent": _agent(session),
        "steps": [{"step_id": number, **step} for number, step in enumerate(told, 1)],
        "notes": _notes(elsewhere),
        "final_metrics": _totals(session, told, elsewhere),
        "subagent_trajectories": [trajectory(agent) for agent in session.agents] or None,
        "extra": _extra(session),
    }
    return {name: value for name, value in document.items() if value is not None}


def _agent(session: Session) -> dict[str, Any]:
    models = Counter(call.model for call in session.calls if call.model)
    told = {
        "name": str(session.facts["agent"]),
        "version": session.facts.get("agent_version") or "unknown",
        "model_name": models.most_common(1)[0][0] if models else None,
    }
    return {name: value for name, value in told.items() if value}


def _extra(session: Session) -> dict[str, Any]:
    facts = {name: session.facts.get(name) for name in _FACTS}
    times = {name: at.isoformat() + "Z" for name in ("started_at", "ended_at") if (at := session.facts.get(name))}
    return {**{name: value for name, value in facts.items() if value is not None}, **times}


def _notes(elsewhere: Sequence[Call]) -> str | None:
    if not elsewhere:
        return None
    return (
        f"{len(elsewhere)} more calls were paid on branches that the session left. They are in total_cost_usd and "
        "in extra.left_branches of final_metrics, and in no other total."
    )


def _totals(session: Session, told: Sequence[dict[str, Any]], elsewhere: Sequence[Call]) -> dict[str, Any]:
    """Tokens of the steps; money of everything, sub-agents and left branches included."""
    counted = [step["metrics"] for step in told if "metrics" in step]
    totals: dict[str, Any] = {
        f"total_{name}": sum(found)
        for name in ("prompt_tokens", "completion_tokens", "cached_tokens")
        if (found := [one[name] for one in counted if name in one])
    }
    cost = _cost(session)
    if cost is not None:
        totals["total_cost_usd"] = float(cost)
    written = [
        one["extra"]["cache_creation_input_tokens"] for one in counted if "cache_creation_input_tokens" in one.get("extra", {})
    ]
    extra: dict[str, Any] = {"total_cache_creation_input_tokens": sum(written)} if written else {}
    if elsewhere:
        extra["left_branches"] = {"calls": len(elsewhere), **_sums(elsewhere)}
    return {**totals, "total_steps": len(told), **({"extra": extra} if extra else {})}


def _sums(calls: Iterable[Call]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for call in calls:
        total.update({name: value for name, value in metrics(call).items() if isinstance(value, int)})
    return dict(total)


def _cost(session: Session) -> Decimal | None:
    """None where no call has a price: unpriced is not free."""
    own = [call.cost_usd for call in session.calls if call.cost_usd is not None]
    below = [cost for agent in session.agents if (cost := _cost(agent)) is not None]
    return sum([*own, *below], Decimal(0)) if own or below else None
