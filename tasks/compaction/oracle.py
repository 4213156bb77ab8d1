"""`oracle`: keeps what will be used. Only a replay knows that; it says how far from the best a policy is."""

import heapq

from tasks.compaction.cutting import Cuts, Cutting
from tasks.compaction.evict import Order
from tasks.compaction.evicting import Evicting


class Oracle(Evicting):
    """The chunks that hold most of what the session comes back to (`future_uses`: atoms and lines), for each token; without a
    future nothing is worth keeping, and the oldest goes first."""

    name = "oracle"
    is_control = True

    def __init__(self, cuts: Cuts | None = None, future_uses: frozenset[str] = frozenset()) -> None:
        """`future_uses` are the atoms and lines as texts; the setting of that name goes before it."""
        super().__init__(cuts)
        self.future_uses = future_uses

    def order(self, cutting: Cutting) -> Order:
        told = cutting.context.settings.get("future_uses", self.future_uses)
        if not isinstance(told, (set, frozenset)):
            raise ValueError(f"future_uses: {type(told).__name__} is no set of texts")
        kept = kept_first(cutting, {one for one in told if isinstance(one, str)})
        useless = sorted(set(range(len(cutting.spots))).difference(kept))
        return [*useless, *reversed(kept)]


def kept_first(cutting: Cutting, uses: set[str]) -> list[int]:
    """Chunks by what each adds to those before it, for each of its tokens; what adds nothing is left out."""
    missing = uses.difference(*(one.cut.atoms | one.cut.lines for one in cutting.items if not one.cut.chunks))
    holds = [(spot.chunk.atoms | spot.chunk.lines) & missing for spot in cutting.spots]
    sizes = [max(1, spot.chunk.tokens) for spot in cutting.spots]
    waiting = [(-len(held) / sizes[index], index) for index, held in enumerate(holds) if held]
    heapq.heapify(waiting)
    kept: list[int] = []
    while waiting:
        worth, index = heapq.heappop(waiting)
        now = -len(holds[index] & missing) / sizes[index]
        if now > worth:  # what others keep already is worth nothing twice
            if now < 0:
                heapq.heappush(waiting, (now, index))
            continue
        kept.append(index)
        missing -= holds[index]
    return kept
