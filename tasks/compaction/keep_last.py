"""`keep_last`: the newest tokens, and a word in place of all that was before them."""

from tasks.compaction.evicting import wanted
from tasks.compaction.front import front
from tasks.compaction.options import whole
from tasks.compaction.plan import Budget, Change, CompactionPlan, Context, Disposition, Insert, unless_larger
from tasks.compaction.policy import Policy
from tasks.domain.kinds import ItemKind

KEPT = 20_000


class KeepLast(Policy):
    """The newest tokens (`keep_tokens`, 20,000, where no budget is given), and one line in place of all before them, people's
    words included."""

    name = "keep_last"
    is_control = True
    takes_budget = True

    def plan(self, context: Context, budget: Budget) -> CompactionPlan:
        total = sum(context.tokens(at) for at in range(len(context.items)))
        is_told = budget.frees is not None or budget.window is not None
        frees = wanted(context, budget, total) if is_told else total - whole(context.settings, "keep_tokens", KEPT)
        gone = front(context, frees + context.count(_line(total, len(context.items)))) if frees > 0 else []
        if not gone:
            return self.decided()
        changes = tuple(Change(at, Disposition.REMOVED, None, "before the newest tokens") for at in gone)
        told = Insert(gone[0], ItemKind.NOTICE, _line(sum(map(context.tokens, gone)), len(gone)), "says that something is gone")
        return unless_larger(self.decided(changes=changes, inserts=(told,)), context)


def _line(tokens: int, items: int) -> str:
    return f"[elided: {items:,} items, {tokens:,} tokens]"
