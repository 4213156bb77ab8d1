"""Taking the beginning of a context away, whatever stands in it: what no policy should do. Pure."""

from tasks.compaction.cut import calls_of
from tasks.compaction.plan import Context
from tasks.domain.kinds import ItemKind


def front(context: Context, frees: int) -> list[int]:
    """Positions of the oldest items that free so much, and of results whose call is among them. What the program puts before
    every prompt stays."""
    gone: set[int] = set()
    freed = 0
    calls = calls_of(context.items)
    after: dict[int, list[int]] = {}
    for at, item in enumerate(context.items):
        if item.kind == ItemKind.TOOL_RESULT and item.call_id in calls:
            after.setdefault(calls[item.call_id], []).append(at)
    for at, item in enumerate(context.items):
        if freed >= frees:
            break
        if item.kind != ItemKind.SYSTEM and at not in gone:
            added = {at, *after.get(at, ())} - gone
            freed += sum(context.tokens(one) for one in added)
            gone |= added
    return sorted(gone)
