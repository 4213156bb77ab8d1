"""What the stays of a chain cost, by the way in which their tokens were paid at each call. Pure.

At every call the items held stand in order at the end of the prompt, so each way of paying covers a run of them. Runs are added
to trees over all stays; a stay takes what its place gained between its first call and its last: the work is calls and stays,
each times the logarithm of the stays, however long they are and however much is paid again.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from tasks.context.attribution import Account, Sojourn
from tasks.context.money import Bill, Way
from tasks.context.shares import split
from tasks.context.trees import Additions, Sums


@dataclass(frozen=True, slots=True)
class StayCost:
    """What a stay cost in nano-dollars at the calls that have a price, by way; None where none of its calls has one."""

    by_way: tuple[int, int, int] | None
    share_cached: float | None
    """Of its token-requests, those that were read from the cache; None where it has no tokens."""


def stay_costs(account: Account, bills: Sequence[Bill], explained: int) -> list[StayCost]:
    """In the order of the account's sojourns; they add up to `explained`, what its calls paid for what they held."""
    order = sorted(range(len(account.sojourns)), key=lambda at: _place(account.sojourns[at]))
    walk = _Walk([account.sojourns[at] for at in order], len(bills))
    for at, bill in enumerate(bills):
        walk.pay(at, bill)
    walk.end(len(bills))
    shares = split(explained, [weight for rank in range(len(order)) for weight in walk.paid[rank]])
    priced = list(accumulate((bill.paid is not None for bill in bills), initial=0))
    costs: dict[int, StayCost] = {}
    for rank, at in enumerate(order):
        one = account.sojourns[at]
        by_way = shares[3 * rank], shares[3 * rank + 1], shares[3 * rank + 2]
        has_price = priced[one.stay.last + 1] > priced[one.stay.first]
        weight = one.tokens * one.calls
        costs[at] = StayCost(by_way if has_price else None, walk.read[rank] / weight if weight else None)
    return [costs[at] for at in range(len(order))]


def _place(one: Sojourn) -> tuple[int, int]:
    return one.stay.item.position, one.stay.first


class _Walk:
    """One walk over the calls of a chain. A stay's rank is its place among all of them by position."""

    def __init__(self, stays: Sequence[Sojourn], calls: int) -> None:
        self.paid = [[0, 0, 0] for _ in stays]
        """Atoms of each stay by way, complete when it has ended."""
        self.read = [0] * len(stays)
        """Token-requests of each stay that were read from the cache."""
        self._stays = stays
        self._held = Sums(len(stays))
        self._rates = [Additions(len(stays)) for _ in Way]
        self._reads = Additions(len(stays))
        self._entering: dict[int, list[int]] = defaultdict(list)
        self._leaving: dict[int, list[int]] = defaultdict(list)
        for rank, one in enumerate(stays):
            self._entering[one.stay.first].append(rank)
            self._leaving[one.stay.last + 1].append(rank)

    def pay(self, at: int, bill: Bill) -> None:
        """One call: what left is settled, what enters is counted from here, and all that is held pays."""
        self.end(at)
        for rank in self._entering.get(at, ()):
            self._count(rank, -1)
            self._held.add(rank, self._stays[rank].tokens)
        first, edge = 0, self._held.total - bill.tokens
        runs = list(zip(bill.stretches, bill.rates(), strict=True))
        for (stretch, rate), (after, rate_after) in pairwise(runs):
            edge += stretch.tokens
            rank, before = self._held.find(edge)
            self._run(stretch.way, rate, first, rank)
            if before < edge and rank < len(self._stays):
                self._move(rank, edge - before, (stretch.way, rate), (after.way, rate_after))
            first = rank
        last, rate = runs[-1]
        self._run(last.way, rate, first, len(self._stays))

    def end(self, at: int) -> None:
        """Settles the stays whose last call was the one before."""
        for rank in self._leaving.get(at, ()):
            self._count(rank, 1)
            self._held.add(rank, -self._stays[rank].tokens)

    def _run(self, way: Way, rate: int, first: int, end: int) -> None:
        """All stays from one rank up to another were paid in one way at this call."""
        self._rates[way].add(first, end, rate)
        if way is Way.READ:
            self._reads.add(first, end, 1)

    def _move(self, rank: int, tokens: int, to: tuple[Way, int], of: tuple[Way, int]) -> None:
        """The first tokens of a stay that lies across an edge, which was counted with the stretch after it."""
        self.paid[rank][to[0]] += tokens * to[1]
        self.paid[rank][of[0]] -= tokens * of[1]
        self.read[rank] += tokens if to[0] is Way.READ else 0

    def _count(self, rank: int, sign: int) -> None:
        """What the tree says of a stay's place, taken when it enters and given when it has ended."""
        tokens = sign * self._stays[rank].tokens
        for way in Way:
            self.paid[rank][way] += tokens * self._rates[way].at(rank)
        self.read[rank] += tokens * self._reads.at(rank)
