"""How many of the provider's tokens each item of a chain is. Pure.

Where the provider counted an answer, its parts share exactly that count; all else is estimated by the pool's scales, times one
factor of the session's own, which is the median of what its steps grew by and what they should have, held within bounds.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from tasks.context.calibration import Scales, estimate
from tasks.context.samples import rounded_off
from tasks.context.shares import split
from tasks.context.window import Call, Chain, Form, Standing, Stay, Step
from tasks.domain.kinds import ItemKind

FACTOR = (0.85, 1.2)
"""Bounds of a session's own factor."""
PRIOR_TOKENS = 12_000
"""How much growth the pool's own scales weigh beside a session's."""
CLEARED_TOKENS = 12


@dataclass(frozen=True, slots=True)
class Sized:
    """Tokens of an item: an exact part and one that the session's factor scales."""

    exact: int
    estimated: float

    def tokens(self, factor: float) -> int:
        return self.exact + round(self.estimated * factor)


class Sizes:
    """Sizes of all items of a chain, and the session's factor as its steps tell it."""

    def __init__(self, chain: Chain, scales: Sequence[Scales]) -> None:
        """`scales` are those of each call of the chain."""
        self._of = _sized(chain, scales)

    def of(self, stay: Stay, factor: float) -> int:
        """Tokens of an item in the form it stands in."""
        tokens = self._of[_look(stay.item)].tokens(factor)
        return min(tokens, CLEARED_TOKENS) if stay.form is Form.CLEARED else tokens

    def added(self, step: Step) -> tuple[int, float]:
        """(exact, estimated) tokens that enter in a step."""
        found = [self._of[_look(stay.item)] for stay in step.entering if stay.form is not Form.CLEARED]
        return sum(one.exact for one in found), sum(one.estimated for one in found)


def _look(item: Standing) -> tuple[int, bool]:
    """An item, whole or as the few words that take its place."""
    return item.position, item.is_preview


def _sized(chain: Chain, scales: Sequence[Scales]) -> dict[tuple[int, bool], Sized]:
    sized: dict[tuple[int, bool], Sized] = {}
    for stay in chain.stays:
        if _look(stay.item) not in sized:
            sized[_look(stay.item)] = Sized(0, estimate(stay.item, scales[stay.first]))
    answers: dict[int, list[Standing]] = defaultdict(list)
    lacks = rounded_off(chain)
    for item in chain.answers:
        answers[item.no].append(item)
    for at, call in enumerate(chain.calls):
        parts = answers[call.no]
        if call.output_tokens and parts:
            estimates = [estimate(item, scales[at]) for item in parts]
            shares = _shares(parts, estimates, call, lacks)
            sized |= {_look(item): Sized(tokens, 0) for item, tokens in zip(parts, shares, strict=True)}
    return sized


def _shares(items: Sequence[Standing], estimates: Sequence[float], call: Call, lacks: int) -> list[int]:
    """An answer's tokens by its parts. Reasoning that the provider counted is that much, and what its count lacks; the rest is
    shared by estimate."""
    output, thinks = call.output_tokens or 0, [item.kind == ItemKind.REASONING for item in items]
    if call.reasoning_tokens is None or not any(thinks) or all(thinks):
        return split(output, estimates)
    told = min(call.reasoning_tokens, output)
    thoughts = [size for size, is_thinking in zip(estimates, thinks, strict=True) if is_thinking]
    words = [size for size, is_thinking in zip(estimates, thinks, strict=True) if not is_thinking]
    parts, others = iter(split(told + lacks, thoughts)), iter(split(output - told, words))
    return [next(parts if is_thinking else others) for is_thinking in thinks]


class Factor:
    """A session's factor after the steps so far: the weighted median of growth over expectation, with a weight on 1.

    Two heaps meet at the median, so that a step costs the logarithm of the steps before it.
    """

    def __init__(self) -> None:
        self._upto: list[tuple[float, float]] = [(-1.0, PRIOR_TOKENS)]
        """(negative ratio, weight), largest ratio first: the fewest of the smallest that hold half of the weight."""
        self._beyond: list[tuple[float, float]] = []
        self._weight_upto = self._weight = float(PRIOR_TOKENS)

    @property
    def value(self) -> float:
        """Within its bounds."""
        return min(FACTOR[1], max(FACTOR[0], -self._upto[0][0]))

    def learn(self, growth: float, expected: float) -> None:
        """One step more."""
        if expected < 1:
            return
        ratio = growth / expected
        self._weight += expected
        if ratio <= -self._upto[0][0]:
            heappush(self._upto, (-ratio, expected))
            self._weight_upto += expected
        else:
            heappush(self._beyond, (ratio, expected))
        self._balance()

    def _balance(self) -> None:
        while self._weight_upto * 2 < self._weight and self._beyond:
            ratio, weight = heappop(self._beyond)
            heappush(self._upto, (-ratio, weight))
            self._weight_upto += weight
        while len(self._upto) > 1 and (self._weight_upto - self._upto[0][1]) * 2 >= self._weight:
            ratio, weight = heappop(self._upto)
            heappush(self._beyond, (-ratio, weight))
            self._weight_upto -= weight


def factor_of(told: Iterable[tuple[float, float]]) -> float:
    """The factor after all of these (growth, expected)."""
    factor = Factor()
    for growth, expected in told:
        factor.learn(growth, expected)
    return factor.value
