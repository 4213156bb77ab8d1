"""What policies that evict chunks have in common: the budget, what is left in place. They differ in order."""

from abc import abstractmethod
from typing import ClassVar

from tasks.compaction.config import target
from tasks.compaction.cutting import Cuts, Cutting
from tasks.compaction.elide import changes
from tasks.compaction.evict import Order, Terms, evict
from tasks.compaction.options import whole
from tasks.compaction.plan import Budget, CompactionPlan, Context
from tasks.compaction.policy import Policy
from tasks.compaction.run_marker import Style

TRIGGER = 80_000


class Evicting(Policy):
    """Takes chunks of calls and results out until enough is freed; what people and the agent said stays."""

    takes_budget = True
    style: ClassVar[Style] = Style.SHORT
    """Of its markers."""
    has_references: ClassVar[bool] = False

    def __init__(self, cuts: Cuts | None = None) -> None:
        """`cuts` remembers the items of a session, for all policies that are asked about it."""
        self.cuts = cuts or Cuts()

    @abstractmethod
    def order(self, cutting: Cutting) -> Order:
        """What goes first."""

    def plan(self, context: Context, budget: Budget) -> CompactionPlan:
        cutting = self.cuts.of(context)
        frees = wanted(context, budget, cutting.tokens)
        least = whole(context.settings, "least_tokens", 0)
        if frees <= 0:
            return self.decided()
        if frees < least:
            return self.decided(notes=(f"{frees:,} tokens are not worth a compaction: least_tokens is {least:,}",))
        out = evict(cutting, self.order(cutting), frees, self.terms(context))
        if out.freed < 0:
            return self.decided(notes=(f"not applied: what stands in place would add {-out.freed:,} tokens",))
        short = frees - out.freed
        notes = (f"{short:,} tokens short of {frees:,}: nothing more can go",) if short > 0 else ()
        return self.decided(changes=tuple(changes(cutting, out)), notes=notes)

    def terms(self, context: Context) -> Terms:
        """By the settings."""
        told = context.settings
        price = whole(told, "marker_tokens", 0) if "marker_tokens" in told else None
        return Terms(self.style, price, whole(told, "index", 0), bool(told.get("references", self.has_references)))


def wanted(context: Context, budget: Budget, tokens: int) -> int:
    """Tokens to free: what is asked for, else what a window has no room for, else what is above the target once the trigger was
    passed."""
    if budget.frees is not None:
        return budget.frees
    if budget.window is not None:
        return tokens - budget.window
    trigger = whole(context.settings, "trigger_tokens", TRIGGER)
    return tokens - whole(context.settings, "target_tokens", target(trigger)) if tokens > trigger else 0
