"""`chunk_letter`: the score as it was published, to see what `chunk` changed."""

from tasks.compaction.chunk_score import order, scored
from tasks.compaction.cutting import Cutting
from tasks.compaction.evict import Order
from tasks.compaction.evicting import Evicting
from tasks.compaction.run_marker import Style


class ChunkLetter(Evicting):
    """What `chunk` keeps, by the published weights, with no pins, and with markers that repeat the tool and the path."""

    name = "chunk_letter"
    is_control = True
    style = Style.FULL

    def order(self, cutting: Cutting) -> Order:
        return order(scored(cutting))
