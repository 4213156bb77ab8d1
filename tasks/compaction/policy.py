"""What every policy is: a pure plan over what a window holds. One file each, and one row in registry.py."""

from abc import ABC, abstractmethod
from typing import ClassVar

from tasks.compaction.plan import Budget, CompactionPlan, Context


class Policy(ABC):
    """A way to compact a context. Same context, budget and settings, same plan; the class docstring says what it keeps."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    """Raised when the same context gives another plan: what was measured before is then measured again."""
    is_control: ClassVar[bool] = False
    """Only there to be compared with; never offered as a way to compact."""
    takes_budget: ClassVar[bool] = False
    """Frees what it is asked to free; else it has a measure of its own."""

    claim: ClassVar[str] = ""
    """What its authors say that it frees. Only ever printed, beside what was measured."""

    @abstractmethod
    def plan(self, context: Context, budget: Budget) -> CompactionPlan:
        """What becomes of each item."""

    def decided(self, *args: object, **kwargs: object) -> CompactionPlan:
        """A plan in the policy's own name."""
        return CompactionPlan(self.name, self.version, *args, **kwargs)  # type: ignore[arg-type]
