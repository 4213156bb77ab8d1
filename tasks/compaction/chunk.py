"""`chunk`: evict blocks of lines and not items, first what stands elsewhere anyway, then what is worth least."""

from tasks.compaction.chunk_pins import pinned
from tasks.compaction.chunk_score import RECOVERABLE, order, scored
from tasks.compaction.cutting import Cutting
from tasks.compaction.evict import Order
from tasks.compaction.evicting import Evicting


class Chunk(Evicting):
    """What people and the agent said, open steps of the plan, how the last test runs failed, and of all else the blocks of
    lines that are worth most by a score of ten terms (age, size, names in use, whether it can be had again); what a later item
    shows again, and what an edit replaced, goes first. A short marker stands in place of each run, for a file with its hash and
    whether it was edited since (`references`, 0 for without); with `index` (2) also names that would be gone altogether. Frees
    what it is asked to, else what is above `target_tokens` once `trigger_tokens` (80,000) are passed; less than `least_tokens`
    (0) it leaves, for the cache's sake."""

    name = "chunk"
    version = 2
    has_references = True

    def order(self, cutting: Cutting) -> Order:
        kept = pinned(cutting)
        return [index for index in order(scored(cutting, RECOVERABLE)) if index not in kept]
