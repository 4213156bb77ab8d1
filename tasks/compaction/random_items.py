"""`random`: whole calls and results by lot. What is no better than this has no evidence for its rule."""

import random

from tasks.compaction.cutting import Cutting
from tasks.compaction.evict import Order
from tasks.compaction.evicting import Evicting
from tasks.compaction.options import whole


class RandomItems(Evicting):
    """All but whole results and the arguments of whole calls, drawn by lot; of the last one only as much goes as is asked for.
    Another `seed` (0) is another lot."""

    name = "random"
    is_control = True

    def order(self, cutting: Cutting) -> Order:
        groups = list(cutting.of_item.values())
        random.Random(whole(cutting.context.settings, "seed", 0)).shuffle(groups)
        return [index for group in groups for index in group]
