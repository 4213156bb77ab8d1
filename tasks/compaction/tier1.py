"""`tier1`: drop the thinking, and leave of old results where they came from and how they begin."""

from tasks.compaction import degrade
from tasks.compaction.options import whole
from tasks.compaction.plan import Budget, CompactionPlan, Context
from tasks.compaction.policy import Policy


class Tier1(Policy):
    """CodeCoder's first tier, by its prose: the newest results of the whole context stay (`recent_count`, 10), of older ones a
    bracket with the size, the path or command, and the first characters (`head`, 200; with 0 the bracket alone, as in its
    code). What people and the agent said stays, and every call with its arguments."""

    name = "tier1"
    claim = "30 to 50 %"

    def plan(self, context: Context, budget: Budget) -> CompactionPlan:
        recent = whole(context.settings, "recent_count", degrade.RECENT)
        head = whole(context.settings, "head", degrade.HEAD)
        changes = degrade.changes(context, recent=recent, head=head)
        return self.decided(changes=tuple(changes), notes=degrade.lost_decisions(context))
