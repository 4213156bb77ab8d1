"""`random_chunks`: chunks by lot. What is no better than this owes what it has to its chunks."""

import random

from tasks.compaction.cutting import Cutting
from tasks.compaction.evict import Order
from tasks.compaction.evicting import Evicting
from tasks.compaction.options import whole


class RandomChunks(Evicting):
    """All but chunks that are drawn by lot; another `seed` (0) is another lot."""

    name = "random_chunks"
    is_control = True

    def order(self, cutting: Cutting) -> Order:
        chunks = list(range(len(cutting.spots)))
        random.Random(whole(cutting.context.settings, "seed", 0)).shuffle(chunks)
        return chunks
