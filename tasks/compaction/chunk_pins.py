"""Chunks that stay whatever they cost: the plan with what is open in it, and how the last test runs failed. Pure.

What people demanded needs no pin: nothing that they said is ever taken out.
"""

import re

from tasks.compaction.cutting import Cutting
from tasks.domain.kinds import ItemKind, ToolCategory
from tasks.facts.plan import plan
from tasks.tokens.commands import runs_tests
from tasks.tokens.looking import command_of

_FAILURE = re.compile(
    r"^E {2,}\S|^\s*(?:--- FAIL|FAIL(?:ED)?\b|not ok\b|[✗✕✖×●] )|\b\w*(?:Error|Exception): |panicked at|assertion .*failed",
    re.MULTILINE,
)
"""How common runners say that something failed."""


def pinned(cutting: Cutting) -> set[int]:
    """Indexes into the spots."""
    items = cutting.context.items
    open_steps = {step.item.item_id for step in plan(items) if step.is_open}
    calls = {at for at, item in enumerate(items) if item.item_id in open_steps}
    tests = set(_last_runs(cutting).values())
    return {
        index for index, spot in enumerate(cutting.spots)
        if spot.position in calls
        or (spot.position in tests and _FAILURE.search(items[spot.position].text, spot.chunk.start, spot.chunk.end))
    }  # fmt: skip


def _last_runs(cutting: Cutting) -> dict[str, int]:
    """Command -> position of the last result of that test run."""
    found: dict[str, int] = {}
    for at, one in enumerate(cutting.items):
        item, call = one.cut.item, cutting.call_of(at)
        if item.kind != ItemKind.TOOL_RESULT or call is None or one.cut.source != ToolCategory.SHELL:
            continue
        command = command_of(call.text)
        if item.tool_category == ToolCategory.TEST or runs_tests(command):
            found[command] = at
    return found
