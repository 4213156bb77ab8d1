"""Why a session's windows are not explained: the steps that were furthest off, and what its log shows at each."""

from collections.abc import Iterable, Set
from itertools import pairwise

from tasks.context.attribution import Account, Line
from tasks.context.window import Call, Step, steps

LARGE_TOKENS, LARGE_SHARE = 1_000, 0.01
"""A step that was off by so much, and by such a share of the prompt, has a name of its own."""
UNEXPLAINED = "the log cannot explain"
_PLAN_TOOLS = ("EnterPlanMode", "ExitPlanMode")


def causes(account: Account, redacted: Set[str]) -> list[tuple[str, int, int]]:
    """(cause, request_no, tokens off), the largest first. `redacted`: items whose words an archiver replaced."""
    found = []
    lines = account.lines
    for at, (line, step) in enumerate(zip(lines, steps(account.chain), strict=True)):
        off = line.step_residual_tokens or 0
        if abs(off) >= max(LARGE_TOKENS, LARGE_SHARE * line.prompt_tokens):
            found.append((_cause(line, step, account.chain.calls[at - 1 : at + 1], off, redacted), line.request_no, off))
    if any(removal.leaves_unlogged for removal in account.removals):
        found = [(f"a summary that {UNEXPLAINED}" if name == "compacted" else name, no, off) for name, no, off in found]
    return sorted(found, key=lambda one: -abs(one[2]))


def _cause(line: Line, step: Step, calls: Iterable[Call], off: int, redacted: Set[str]) -> str:
    if line.overhead_cause or line.removal_rule:
        return line.removal_rule or f"overhead moved: {line.overhead_cause}"
    entering = [stay.item for stay in step.entering]
    if off > 0 and any(item.item_id in redacted for item in entering):
        return "words replaced in the log"
    if any(item.tool_name in _PLAN_TOOLS for item in entering):
        return "plan mode: a reminder that is not logged"
    if any(before.model != call.model for before, call in pairwise(calls)):
        return "another model"
    return f"unlogged {'growth' if off > 0 else 'removal'}: {UNEXPLAINED}"


def told(account: Account, redacted: Set[str], most: int = 4) -> str:
    """The causes in a line."""
    found = causes(account, redacted)
    if not found:
        return f"small steps add up (session's factor {account.factor:.3f})"
    return "; ".join(f"{name} @{no} {off:+,}" for name, no, off in found[:most])
