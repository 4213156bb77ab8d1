"""Sessions of tests/windows.py with money: calls that cost what a small price list says, and their accounts as rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from windows import Story

from tasks.context.account_rows import tell
from tasks.context.attribution import accounts
from tasks.context.calibration import Learned
from tasks.context.pricing import Prices
from tasks.context.window import Call

MODEL, UNPRICED = "claude-opus-4-5-20251101", "claude-loom-0"
FIELDS = {
    "input_cost_per_token": 5e-06,
    "cache_read_input_token_cost": 5e-07,
    "cache_creation_input_token_cost": 6.25e-06,
    "cache_creation_input_token_cost_above_1hr": 1e-05,
    "output_cost_per_token": 2.5e-05,
}
PRICES = Prices({MODEL: FIELDS})
"""Dollars per million: 5 fresh, 0.50 read, 6.25 written, 10 written for an hour, 25 of output."""


def paid(call: Call, prices: Prices = PRICES) -> Call:
    """A call with its cost at list price."""
    cost = prices.cost(
        call.model,
        input_uncached=call.input_uncached_tokens,
        cache_read=call.cache_read_tokens,
        cache_write=call.cache_write_tokens,
        cache_write_1h=call.cache_write_1h_tokens,
        output=call.output_reported_tokens,
        service_tier=call.service_tier,
    )
    return replace(call, cost_usd=cost.usd)


@dataclass(frozen=True)
class Told:
    """The rows of a session's account."""

    tables: Mapping[str, Sequence[Mapping[str, Any]]]

    @property
    def lines(self) -> Sequence[Mapping[str, Any]]:
        return self.tables["reconciliation"]

    @property
    def stays(self) -> Sequence[Mapping[str, Any]]:
        return self.tables["residency"]

    def stay(self, item_id: str) -> Mapping[str, Any]:
        (found,) = (row for row in self.stays if row["item_id"] == item_id)
        return found


def told(story: Story, prices: Prices = PRICES, *, at_list_price: bool = True) -> Told:
    """The account of a story of one conversation, its calls paid at list price unless they say themselves what they cost."""
    if at_list_price:
        story.calls = [paid(call, prices) for call in story.calls]
    session, learned = story.session(), Learned([])
    (account,) = accounts(session, learned)
    return Told(tell(session, account, learned, prices, {}))


def dollars(text: str) -> Decimal:
    return Decimal(text).quantize(Decimal("1e-9"))
