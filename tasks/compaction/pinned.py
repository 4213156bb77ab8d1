"""What stays word for word at any age: the latest plan as the agent's own tool left it, and the ledger of constraints. Pure.

Completed steps are collapsed by the agent through its plan tool; nothing here rewrites a plan.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.compaction.marker import SECTION
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind, ToolCategory
from tasks.facts.constraints import constraints
from tasks.facts.plan import plan

_CHECKLIST = re.compile(r"^\s*(?:[-*]|\d+[.)])\s+\[[ xX~-]\]\s+\S", re.M)


@dataclass(frozen=True, slots=True)
class Pinned:
    """Positions of calls and texts."""

    plan: frozenset[int]
    superseded: frozenset[int]
    """Calls of the plan tool whose whole list a later call replaced."""


def pinned(items: Sequence[Item]) -> Pinned:
    """The call that holds the latest plan; where it takes several calls to tell it, all of them; where no tool kept one, the
    last checklist that the agent wrote."""
    calls = [at for at, item in enumerate(items) if item.kind == ItemKind.TOOL_CALL and item.tool_category == ToolCategory.PLAN]
    steps = plan(items)
    if not steps:
        listed = [at for at, item in enumerate(items) if item.kind == ItemKind.ASSISTANT_TEXT and _CHECKLIST.search(item.text)]
        return Pinned(frozenset([*calls, *listed[-1:]]), frozenset())
    wrote = {id(step.item) for step in steps}
    holders = [at for at, item in enumerate(items) if id(item) in wrote]
    alone = plan([items[holders[-1]]])
    if [(step.text, step.status) for step in alone] != [(step.text, step.status) for step in steps]:
        return Pinned(frozenset([*calls, *holders]), frozenset())
    return Pinned(frozenset([holders[-1]]), frozenset(at for at in calls if at < holders[-1]))


def section(items: Sequence[Item]) -> str:
    """The ledger with the turns in which it was said, and the open steps; each as it was written."""
    rules = [f"- turn {rule.item.turn or 0}: {rule.text}" for rule in constraints(items)]
    steps = [f"- {step.text}" for step in plan(items) if step.is_open]
    lines = [f"## {SECTION}"]
    lines += ["Rules:", *rules] if rules else ["Rules: none was said."]
    lines += ["Open steps of the plan:", *steps] if steps else []
    return "\n".join(lines)
