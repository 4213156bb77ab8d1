"""`prune`: before every call, the output of old turns is cut out of the copy that is sent."""

from tasks.compaction.cut import protected_from
from tasks.compaction.options import whole
from tasks.compaction.placeholder import PRUNED, pruned
from tasks.compaction.plan import Budget, Change, CompactionPlan, Context, Disposition, is_compacted, unless_larger
from tasks.compaction.policy import Policy
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind

PROTECTED_TURNS = 3


class Prune(Policy):
    """yoi's first phase: results and thinking before the last `protected_turns` (3) turns become the word `[pruned]`; a
    reference to a blob at the very beginning of a result stays. What was said stays, and every call with its arguments. One
    turn of hundreds of calls is never pruned: a turn begins with what a person typed."""

    name = "prune"

    def plan(self, context: Context, budget: Budget) -> CompactionPlan:
        turns = whole(context.settings, "protected_turns", PROTECTED_TURNS)
        boundary = protected_from(context.items, turns)
        if boundary is None:
            return self.decided(notes=(f"not applicable: no more than {turns} turns, and that many are protected",))
        reason = f"before the last {turns} turns"
        changes = [
            Change(at, Disposition.PLACEHOLDER, text, reason)
            for at, item in enumerate(context.items[:boundary])
            if (text := _pruned(item)) is not None
        ]
        blobs = sum(change.text != PRUNED for change in changes)
        return unless_larger(self.decided(changes=tuple(changes), notes=_about(blobs)), context)


def _pruned(item: Item) -> str | None:
    """What stands in an item's place; None where it stays."""
    if is_compacted(item):
        return None
    if item.kind == ItemKind.TOOL_RESULT:
        # Logs of agents that prune hold such outputs without our mark. Any other that begins so stays whole, and loses nothing.
        return None if item.text.startswith(PRUNED) else pruned(item.text)
    return PRUNED if item.kind == ItemKind.REASONING else None


def _about(blobs: int) -> tuple[str, ...]:
    if not blobs:
        return ()
    return (
        f"{blobs} references to blobs stay: the blobs are in the agent's own store; what the log tells of them is restored",
    )
