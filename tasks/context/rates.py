"""The prices of one listed model: what a token of each bucket costs, by length of prompt and service tier. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

INPUT = "input_cost_per_token"
OUTPUT = "output_cost_per_token"
CACHE_READ = "cache_read_input_token_cost"
CACHE_WRITE = "cache_creation_input_token_cost"
CACHE_WRITE_1H = "cache_creation_input_token_cost_above_1hr"
BY_LENGTH = "tiered_pricing"
"""Some models have all of their prices in a list by length of prompt instead."""

FALLBACK = {CACHE_READ: (INPUT, 1), CACHE_WRITE: (INPUT, 1), CACHE_WRITE_1H: (INPUT, 2)}
"""Where the list has no price of its own for a bucket: (the bucket whose price it takes, how many times).
Only Anthropic's models write for an hour, and the published rule is twice fresh input."""

FIELD = re.compile(rf"({CACHE_WRITE_1H}|{CACHE_WRITE}|{CACHE_READ}|{INPUT}|{OUTPUT})(?:_above_(\d+)k_tokens)?(?:_([a-z]+))?")
"""A price, the prompt in thousands of tokens above which it holds, and the service tier that it is for."""
BATCHES = "batches"
TIERS = {"batch": BATCHES, "fast": "priority"}
"""Service tiers that logs name otherwise than the list."""
HALF = Decimal("0.5")
"""What providers publish for a batch; taken where the list has no batch price."""


@dataclass(frozen=True, slots=True)
class Tariff:
    """Dollars per token of one call. `output` is None where the list does not say it."""

    input: Decimal
    cache_read: Decimal
    cache_write: Decimal
    cache_write_1h: Decimal
    output: Decimal | None
    is_halved: bool = False
    """By the rule for batches, not by the list."""

    def of(self, bucket: str) -> Decimal | None:
        """By the list's name of a bucket."""
        return {
            INPUT: self.input, CACHE_READ: self.cache_read, CACHE_WRITE: self.cache_write,
            CACHE_WRITE_1H: self.cache_write_1h, OUTPUT: self.output,
        }[bucket]  # fmt: skip


class Rates:
    """The prices of one model that costs something per fresh token."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        """`fields`: those of the list, by length of prompt `_above_..k_tokens`."""
        self._told: dict[tuple[str, str | None], dict[int, Decimal]] = {}
        self._tariffs: dict[tuple[int, str | None], Tariff] = {}
        for key, value in fields.items():
            match = FIELD.fullmatch(key)
            if match and isinstance(value, int | float) and not isinstance(value, bool):
                self._told.setdefault((match[1], match[3]), {})[int(match[2] or 0) * 1000] = Decimal(str(value))

    def tariff(self, prompt: int, service_tier: str | None) -> Tariff:
        """For a call with so many prompt tokens: all of its buckets cost what the highest length that it exceeds does."""
        tier = TIERS.get(service_tier or "", service_tier)
        key = max((length for length in self._lengths if prompt > length), default=0), tier
        if key not in self._tariffs:
            self._tariffs[key] = self._tariff(*key)
        return self._tariffs[key]

    @cached_property
    def _lengths(self) -> frozenset[int]:
        return frozenset(length for told in self._told.values() for length in told)

    def _tariff(self, length: int, tier: str | None) -> Tariff:
        factor = self._factor(length, tier)
        is_halved = factor is None and tier == BATCHES
        times = HALF if is_halved else factor or Decimal(1)
        fresh, read, write, write_1h, output = (
            self._priced(bucket, length, tier, times) for bucket in (INPUT, CACHE_READ, CACHE_WRITE, CACHE_WRITE_1H, OUTPUT)
        )
        if fresh is None or read is None or write is None or write_1h is None:
            raise ValueError("a model without a price for fresh input has no tariff")
        return Tariff(fresh, read, write, write_1h, output, is_halved)

    def _factor(self, length: int, tier: str | None) -> Decimal | None:
        """What a token of this tier costs beside one of none, as fresh input tells it; None where the list has no such tier."""
        told, plain = self._told.get((INPUT, tier), {}) if tier else {}, self._told[INPUT, None]
        at = max((one for one in told if one <= length and plain.get(one)), default=None)
        return None if at is None else told[at] / plain[at]

    def _priced(self, bucket: str, length: int, tier: str | None, factor: Decimal) -> Decimal | None:
        at, price = self._plain(bucket, length)
        own = self._told.get((bucket, tier), {}).get(at) if tier else None
        return own if own is not None else price and price * factor

    def _plain(self, bucket: str, length: int) -> tuple[int, Decimal | None]:
        """(above which length, price) without a tier."""
        told = self._told.get((bucket, None), {})
        at = max((one for one in told if one <= length), default=None)
        if at is not None:
            return at, told[at]
        if bucket not in FALLBACK:
            return 0, None
        other, times = FALLBACK[bucket]
        at, price = self._plain(other, length)
        return at, price and price * times


def priced(fields: Mapping[str, Any]) -> bool:
    """Whether a fresh token has a price. Zero is one: some models are free."""
    return isinstance(fields.get(INPUT), int | float)


def kept(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The prices among the fields of a model; the whole list is many times as large."""
    by_length = {
        f"{key}_above_{int(step['range'][0]) // 1000}k_tokens" if step["range"][0] else key: value
        for step in fields.get(BY_LENGTH) or ()
        if "range" in step
        for key, value in step.items()
        if key != "range"
    }
    return {key: value for key, value in {**by_length, **fields}.items() if FIELD.fullmatch(key)}
