"""`oldest`: whole results by age, then whole calls. The control that a policy has to beat."""

from tasks.compaction.cutting import Cutting
from tasks.compaction.evict import Order
from tasks.compaction.evicting import Evicting
from tasks.domain.kinds import ItemKind


class Oldest(Evicting):
    """All but whole results, the oldest first, and then the arguments of whole calls, the oldest first; of the last one only as
    much goes as is asked for."""

    name = "oldest"
    is_control = True

    def order(self, cutting: Cutting) -> Order:
        kinds = [cutting.items[spot.position].cut.item.kind for spot in cutting.spots]
        return sorted(range(len(kinds)), key=lambda index: (kinds[index] != ItemKind.TOOL_RESULT, index))
