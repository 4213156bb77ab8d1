"""`chunk`: evict blocks of lines and not items, first what stands elsewhere anyway, then what is worth least."""

from tasks.compaction.chunk_score import order, scored
from tasks.compaction.cutting import Cutting
from tasks.compaction.evict import Order
from tasks.compaction.evicting import Evicting


class Chunk(Evicting):
    """What people and the agent said, and the blocks of lines of results, edits and writes that are worth most by a score of
    ten terms (age, size, names that are in use, where from); what a later item shows again, and what an edit replaced, goes
    first. A marker stands in place of each run; with `index` (2) also names that would be gone altogether. Frees what it is
    asked to, else what is above `target_tokens`, once `trigger_tokens` (80,000) are passed."""

    name = "chunk"

    def order(self, cutting: Cutting) -> Order:
        return order(scored(cutting))
