"""Where a context may be cut: turns, and calls with their results. Pure; every policy that cuts asks here."""

from collections.abc import Sequence

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind


def turn_starts(items: Sequence[Item]) -> list[int]:
    """Positions of what a person typed: a summary, a reminder or a tool's result that was logged as the user's is none."""
    starts = [at for at, item in enumerate(items) if item.kind == ItemKind.USER_TEXT and not item.is_sidechain]
    return [at for number, at in enumerate(starts) if number == 0 or at - starts[number - 1] > 1 or _is_new(items, at)]


def _is_new(items: Sequence[Item], at: int) -> bool:
    """Two messages one after the other are one turn only where the log counts them as one."""
    return items[at].turn is None or items[at].turn != items[at - 1].turn


def protected_from(items: Sequence[Item], turns: int) -> int | None:
    """Position at which the last so many turns begin; None where there are no more than that. No turns protect nothing."""
    starts = turn_starts(items)
    if turns <= 0:
        return len(items)
    return None if len(starts) <= turns else starts[-turns]


def results_of(items: Sequence[Item]) -> dict[str, int]:
    """Position of each call's result, by call id; the first where an id comes twice."""
    found: dict[str, int] = {}
    for at, item in enumerate(items):
        if item.kind == ItemKind.TOOL_RESULT and item.call_id:
            found.setdefault(item.call_id, at)
    return found


def calls_of(items: Sequence[Item]) -> dict[str, int]:
    """Position of each call, by call id."""
    found: dict[str, int] = {}
    for at, item in enumerate(items):
        if item.kind == ItemKind.TOOL_CALL and item.call_id:
            found.setdefault(item.call_id, at)
    return found


def whole_before(items: Sequence[Item], at: int) -> int:
    """The last position up to `at` where something can be put between two items without parting a call from its result."""
    while parted := open_calls(items, at):
        at = min(parted)
    return at


def open_calls(items: Sequence[Item], end: int) -> set[int]:
    """Positions before `end` of calls whose result stands at it or later: a cut there must not part them."""
    calls = calls_of(items[:end])
    return {calls[call_id] for call_id, at in results_of(items).items() if at >= end and call_id in calls}
