"""`tier1_literal`: CodeCoder's first tier by its printed code, kept to show what that frees: next to nothing."""

from collections import defaultdict

from tasks.compaction.placeholder import head_of, size_of, truncated
from tasks.compaction.plan import Budget, Change, CompactionPlan, Context, Disposition, is_compacted, unless_larger
from tasks.compaction.policy import Policy
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind

RECENT = 10
HEAD = 200


class Tier1Literal(Policy):
    """As printed: the newest ten results *of each message* stay, and a message holds one, so none is ever replaced; a
    placeholder says two sizes and nothing else, the second in bytes although it is called chars."""

    name = "tier1_literal"
    is_control = True

    def plan(self, context: Context, budget: Budget) -> CompactionPlan:
        messages: dict[tuple[str, int | None], list[int]] = defaultdict(list)
        for at, item in enumerate(context.items):
            if item.kind == ItemKind.TOOL_RESULT:
                messages[_message(item)].append(at)
        old = {at for results in messages.values() for at in results[: max(0, len(results) - RECENT)]}
        changes = []
        for at, item in enumerate(context.items):
            if item.kind == ItemKind.REASONING:
                changes.append(Change(at, Disposition.REMOVED, None, "thinking: all of it is dropped"))
            elif at in old and not is_compacted(item):
                text = truncated(size_of(item.text), size_of(head_of([item.text], HEAD)))
                changes.append(Change(at, Disposition.PLACEHOLDER, text, f"older than the newest {RECENT} of its message"))
        return unless_larger(self.decided(changes=tuple(changes)), context)


def _message(item: Item) -> tuple[str, int | None]:
    """What the items of one message have in common: the record's id, or its line where the log has no ids."""
    return item.item_id.rpartition(":")[0], item.line_no
