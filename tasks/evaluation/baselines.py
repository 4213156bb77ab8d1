"""The controls that every policy stands beside: what the same tokens would have cost, chosen without a rule. Pure.

A control is an order of eviction. At a budget it evicts from the front until it has freed as much as the policy did, and it
leaves what the policy leaves where it took something out: as many tokens for each run of units. The unit that frees too much
is evicted with the chance that makes the budget exact in the mean: items are large, and a control that always freed more would
lose by it. One walk of an order serves all budgets. `oracle` knows the future and nobody can do as well; it says how much
there is to win.
"""

import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.evaluation.units import Unit

SEEDS = 20
OLDEST, RANDOM, RANDOM_CHUNKS, ORACLE = "oldest", "random", "random_chunks", "oracle"
CONTROLS = (OLDEST, RANDOM, RANDOM_CHUNKS, ORACLE)
_APART = 1 << 20
"""More blocks than any item has."""
MARKER = 12
"""Tokens that stand for a run that was taken out, where a policy does not say otherwise."""


@dataclass(frozen=True, slots=True)
class Target:
    """A budget to keep to."""

    frees: int
    """Net tokens."""
    residue: int = MARKER
    """Tokens left for each run of evicted units."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Where an order is cut for a target, with some chance."""

    chance: float
    evicted: int
    """Units, from the front of the order."""
    freed: int
    gross: int
    """Tokens evicted, without what is left for them."""


@dataclass(frozen=True, slots=True)
class Order:
    """Units in the order of their eviction."""

    control: str
    seed: int | None
    units: Sequence[Unit]


def oldest(units: Sequence[Unit], items: Sequence[Item]) -> Order:
    """Results by age, then calls, then the rest."""
    is_call = [item.kind == ItemKind.TOOL_CALL for item in items]
    return Order(OLDEST, None, sorted(units, key=lambda unit: (unit.rank, is_call[unit.position], unit.position, unit.number)))


def drawn(control: str, units: Sequence[Unit], name: str, seed: int) -> Order:
    """By chance; the same for the same context and seed."""
    chance = random.Random(f"{name}:{seed}")
    shuffled = list(units)
    chance.shuffle(shuffled)
    return Order(control, seed, sorted(shuffled, key=lambda unit: unit.rank))


def oracle(units: Sequence[Unit], uses: int) -> Order:
    """What serves no use first, the oldest before; then what serves the fewest uses a token that nothing kept serves."""
    served = {use for unit in units if unit.rank for use in unit.holds}
    waiting = {at for at, unit in enumerate(units) if not unit.rank and unit.holds - served}
    kept: list[int] = []
    while waiting and len(served) < uses:
        best = max(waiting, key=lambda at: (len(units[at].holds - served) / max(1, units[at].tokens), -at))
        if not units[best].holds - served:
            break
        kept.append(best)
        waiting.discard(best)
        served |= units[best].holds
    place = {at: number for number, at in enumerate(reversed(kept), 1)}
    order = sorted(range(len(units)), key=lambda at: (units[at].rank, place.get(at, 0), at))
    return Order(ORACLE, None, [units[at] for at in order])


def worthwhile(order: Order, residue: int) -> tuple[Order, frozenset[int]]:
    """The order without items that are no larger than what would stand in their place; and the uses that these serve."""
    spared = [unit for unit in order.units if unit.is_whole and unit.rank == 0 and unit.tokens <= residue]
    if not spared:
        return order, frozenset()
    left = {id(unit) for unit in spared}
    served = frozenset(use for unit in spared for use in unit.holds)
    return Order(order.control, order.seed, [unit for unit in order.units if id(unit) not in left]), served


def cuts(order: Order, frees: Sequence[int], residue: int) -> list[list[Cut]]:
    """For each amount the two cuts between which it lies; all of the order where that never frees so much."""
    gross, runs = _grown(order.units)
    net = [tokens - number * residue for tokens, number in zip(gross, runs, strict=True)]
    best = list(accumulate(net, max))
    found = list[list[Cut]]()
    for wanted in frees:
        at = bisect_left(best, wanted)
        if at in (0, len(best)):
            at = min(at, len(best) - 1)
            found.append([Cut(1.0, at, net[at], gross[at])])
            continue
        chance = (wanted - net[at - 1]) / (net[at] - net[at - 1])
        both = ((1 - chance, at - 1), (chance, at))
        found.append([Cut(share, one, net[one], gross[one]) for share, one in both if share > 0])
    return found


def _grown(units: Sequence[Unit]) -> tuple[list[int], list[int]]:
    """(tokens, runs) of the first 0, 1, 2, ... units: neighbors within an item make one run."""
    gone: set[int] = set()
    gross, runs = [0], [0]
    for unit in units:
        place = unit.position * _APART + unit.number
        gone.add(place)
        gross.append(gross[-1] + unit.tokens)
        runs.append(runs[-1] + 1 - (place - 1 in gone) - (place + 1 in gone))
    return gross, runs


def lost_at(order: Order, uses: int, spared: frozenset[int]) -> list[int]:
    """For each use the number of evicted units from which on nothing serves it; beyond all for what is spared."""
    last = [0] * uses
    for number, unit in enumerate(order.units, 1):
        for use in unit.holds:
            last[use] = number
    return [len(order.units) + 1 if use in spared else number for use, number in enumerate(last)]
