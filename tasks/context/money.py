"""What a call paid for each stretch of its prompt, in whole billionths of a dollar that add up to its cost. Pure, no floats.

A prompt is an axis of tokens: first what was read from the cache, then what was written to it, the rest is fresh. The overhead
stands in front, the items that the window held at the end, the residual is the gap between them, or where they overlap. What
lies between two places costs the difference of what is paid up to each, so the parts add up. List prices say how dear one token
is beside another; what a call paid in all is the cost that its request has.
"""

from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from typing import NamedTuple

from tasks.context.pricing import Prices
from tasks.context.rates import Tariff
from tasks.context.shares import rounded
from tasks.context.window import Call

NANO = 10**9
"""Billionths in a dollar: the unit of all money that is stored."""
ATOM = 10**18
"""Parts of a dollar in which prices of single tokens are whole numbers."""
USUAL = Tariff(Decimal("1e-6"), Decimal("1e-7"), Decimal("1.25e-6"), Decimal("2e-6"), Decimal("5e-6"))
"""How dear tokens are beside each other where a call has a cost and the list no longer has its model: as for most models."""


class Way(IntEnum):
    """How tokens of a prompt are paid, in the order in which they stand there."""

    READ = 0
    WRITTEN = 1
    FRESH = 2


@dataclass(frozen=True, slots=True)
class Stretch:
    """Tokens of a prompt that were paid alike, and what they cost together at list price, in atoms."""

    way: Way
    tokens: int
    cost: int


@dataclass(frozen=True, slots=True)
class Bill:
    """One call. `paid` is its whole cost in nano-dollars, None where unpriced; other prices are the list's, in atoms."""

    stretches: tuple[Stretch, ...]
    tokens: int
    """Of the prompt."""
    paid: int | None
    prompt: int
    """What all of the prompt costs."""
    listed: int
    """What the whole call costs."""
    read_token: int
    output_token: int

    def upto(self, place: int) -> int:
        """The prompt up to a place, at list price. Before 0 the axis goes on as it begins, after its end as it ends."""
        total = 0
        for stretch in self.stretches:
            if place <= stretch.tokens or stretch is self.stretches[-1]:
                return total + stretch.cost * place // stretch.tokens
            total += stretch.cost
            place -= stretch.tokens
        return total

    def in_nano(self, listed: int) -> int:
        """What was paid for something of this list price."""
        return rounded((self.paid or 0) * listed, self.listed)

    def rates(self) -> list[int]:
        """Atoms that were paid for a token of each stretch."""
        return [(self.paid or 0) * (ATOM // NANO) * one.cost // (self.listed * one.tokens) for one in self.stretches]


class Parts(NamedTuple):
    """What the parts of a call cost in nano-dollars; they add up to what it paid. The residual's may be below zero."""

    explained: int
    overhead: int
    residual: int
    output: int


def bill(call: Call, prices: Prices) -> Bill:
    """What a call paid for, by the prices of its model, its service tier and the length of its prompt."""
    paid = None if call.cost_usd is None else int(call.cost_usd * NANO)
    tariff = prices.tariff(call.model, call.prompt_tokens, call.service_tier) or USUAL
    made = _bill(call, tariff, paid)
    return made if made.listed else _bill(call, USUAL, paid)


def _bill(call: Call, tariff: Tariff, paid: int | None) -> Bill:
    stretches = tuple(_stretches(call, tariff))
    prompt = sum(stretch.cost for stretch in stretches)
    output_token = _atoms(tariff.input * 5 if tariff.output is None else tariff.output)
    listed = prompt + output_token * (call.output_reported_tokens or 0)
    return Bill(stretches, call.prompt_tokens, paid, prompt, listed, _atoms(tariff.cache_read), output_token)


def _stretches(call: Call, tariff: Tariff) -> list[Stretch]:
    """Those that hold tokens. A call that reports nothing of its cache paid for all of its prompt as fresh."""
    read = min(call.cache_read_tokens or 0, call.prompt_tokens)
    written = min(call.cache_write_tokens or 0, call.prompt_tokens - read)
    hour = min(call.cache_write_1h_tokens or 0, written)
    fresh = call.prompt_tokens - read - written
    write = (written - hour) * _atoms(tariff.cache_write) + hour * _atoms(tariff.cache_write_1h)
    found = [
        Stretch(Way.READ, read, read * _atoms(tariff.cache_read)),
        Stretch(Way.WRITTEN, written, write),
        Stretch(Way.FRESH, fresh, fresh * _atoms(tariff.input)),
    ]
    return [stretch for stretch in found if stretch.tokens > 0]


def _atoms(dollars: Decimal) -> int:
    return round(dollars * ATOM)


def parts(told: Bill, explained_tokens: int, overhead_tokens: int) -> Parts | None:
    """What the parts of a call cost; None where it is unpriced."""
    if told.paid is None:
        return None
    front, items, end = (
        told.in_nano(place) for place in (told.upto(overhead_tokens), told.upto(told.tokens - explained_tokens), told.prompt)
    )
    return Parts(end - items, front, items - front, told.paid - end)


def output_cost(told: Bill, tokens: int) -> int | None:
    """Nano-dollars of an answer, had it so many tokens; None where the call is unpriced."""
    if told.paid is None:
        return None
    return told.in_nano(told.prompt + tokens * told.output_token) - told.in_nano(told.prompt)


def repaid_cost(told: Bill, tokens: int) -> int | None:
    """Nano-dollars that were paid for the first tokens after what the cache gave, beyond reading them; None where unpriced."""
    if told.paid is None:
        return None
    read = sum(stretch.tokens for stretch in told.stretches if stretch.way is Way.READ)
    return told.in_nano(told.upto(read + tokens) - told.upto(read) - tokens * told.read_token)


def dollars(nano: int | None) -> Decimal | None:
    """Nano-dollars as they are stored."""
    return None if nano is None else Decimal(nano).scaleb(-9)
