"""`passive_fifo`: what no compaction at all comes to: the oldest is pushed out, whatever it is."""

from tasks.compaction.evicting import wanted
from tasks.compaction.front import front
from tasks.compaction.plan import Budget, Change, CompactionPlan, Context, Disposition
from tasks.compaction.policy import Policy


class PassiveFifo(Policy):
    """The newest items; the oldest are gone without a word, what the user demanded at the beginning like the first list of
    files."""

    name = "passive_fifo"
    is_control = True
    takes_budget = True

    def plan(self, context: Context, budget: Budget) -> CompactionPlan:
        frees = wanted(context, budget, sum(context.tokens(at) for at in range(len(context.items))))
        gone = front(context, frees)
        return self.decided(changes=tuple(Change(at, Disposition.REMOVED, None, "pushed out") for at in gone))
