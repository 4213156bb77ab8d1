"""What a request cost, from the price list in litellm's package. The list is read as data; litellm itself is never imported."""

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import orjson

from tasks.context.hosts import Asked, Hosts
from tasks.context.models import candidates, closest
from tasks.context.rates import CACHE_READ, CACHE_WRITE, CACHE_WRITE_1H, INPUT, OUTPUT, Rates, Tariff, kept, priced
from tasks.domain.errors import MidwatchError

PRICE_LIST = "model_prices_and_context_window_backup.json"
NANODOLLAR = Decimal("0.000000001")
LIMIT = "max_input_tokens"
ALIKE = Decimal("1e-12")
"""Hosts that differ by less in a price ask the same: lists are written with floats."""


class Origin(StrEnum):
    """What the cost of a request rests on."""

    REPORTED = "reported"
    """Counts as reported, prices as listed."""
    HALVED = "halved"
    """The same, for a batch whose price the list does not have: half of the listed ones."""
    UNPRICED = "unpriced"
    """Counts were reported, but no price of the model is known."""
    NO_USAGE = "no_usage"
    """The log counts nothing of the call, whatever its model costs."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Dollars, to nine places; None, never zero, where unknown."""

    usd: Decimal | None
    origin: Origin


class Prices:
    """A price list: model name -> fields named as in litellm's list, in dollars per token."""

    def __init__(self, models: Mapping[str, Mapping[str, Any]]) -> None:
        self.models = models
        self._found: dict[str | None, Rates | None] = {}

    def cost(
        self,
        model: str | None,
        *,
        input_uncached: int | None = None,
        cache_read: int | None = None,
        cache_write: int | None = None,
        cache_write_1h: int | None = None,
        output: int | None = None,
        service_tier: str | None = None,
    ) -> Cost:
        """`cache_write` is the total; `cache_write_1h` the part of it that lives for an hour, the rest lives five minutes.

        The prompt (uncached + read + written) chooses the prices for long ones.
        """
        if all(tokens is None for tokens in (input_uncached, cache_read, cache_write, cache_write_1h, output)):
            return Cost(None, Origin.NO_USAGE)
        written_1h = cache_write_1h or 0
        written = max(cache_write or 0, written_1h)
        tariff = self.tariff(model, (input_uncached or 0) + (cache_read or 0) + written, service_tier)
        buckets = {
            INPUT: input_uncached or 0,
            CACHE_READ: cache_read or 0,
            CACHE_WRITE: written - written_1h,
            CACHE_WRITE_1H: written_1h,
            OUTPUT: output or 0,
        }
        total = _sum(tariff, buckets) if tariff else None
        if tariff is None or total is None:
            return Cost(None, Origin.UNPRICED)
        return Cost(total, Origin.HALVED if tariff.is_halved else Origin.REPORTED)

    def tariff(self, model: str | None, prompt: int, service_tier: str | None = None) -> Tariff | None:
        """What each token of a call costs; None for a model without a price."""
        if model not in self._found:
            name = self.listed_name(model)
            self._found[model] = Rates(self.models[name]) if name else None
        rates = self._found[model]
        return rates.tariff(prompt, service_tier) if rates else None

    def context_limit(self, model: str | None) -> int | None:
        """The most prompt tokens the list says the model takes; an agent may run it with less."""
        names = [*candidates(model), self.listed_name(model) or ""]
        limits = (self.models[name].get(LIMIT) for name in names if name in self.models)
        return next((limit for limit in limits if isinstance(limit, int) and limit > 0), None)

    def listed_name(self, model: str | None) -> str | None:
        """The name under which the list has a price of the model."""
        names = candidates(model)
        own = (name if name in self._priced else None for name in names)
        near = (closest(name, self._priced) for name in names)
        return next(filter(None, own), None) or next(filter(None, near), None) or self._hosts.find(names)

    @cached_property
    def _priced(self) -> frozenset[str]:
        return frozenset(name for name, fields in self.models.items() if priced(fields))

    @cached_property
    def _hosts(self) -> Hosts:
        return Hosts({name: _asked(self.models[name]) for name in self._priced})


@lru_cache(maxsize=1)
def load_prices() -> Prices:
    """The list of the installed litellm, read once per process."""
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        raise MidwatchError("The price list comes with the package litellm, which is not installed. Install midwatch again.")
    path = Path(spec.origin).parent / PRICE_LIST
    try:
        models = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise MidwatchError(f"The price list {path} cannot be read: {error}. Install litellm again.") from error
    limits = {name: {LIMIT: fields[LIMIT]} if LIMIT in fields else {} for name, fields in models.items()}
    return Prices({name: {**kept(fields), **limits[name]} for name, fields in models.items() if name != "sample_spec"})


def _asked(fields: Mapping[str, Any]) -> Asked:
    known = {key: Decimal(str(fields[key])).quantize(ALIKE) for key in (INPUT, OUTPUT) if fields.get(key) is not None}
    return Asked(known[INPUT], known.get(OUTPUT), len(fields))


def _sum(tariff: Tariff, buckets: Mapping[str, int]) -> Decimal | None:
    """None where one of the buckets has no price."""
    total = Decimal()
    for bucket, tokens in buckets.items():
        if tokens:
            rate = tariff.of(bucket)
            if rate is None:
                return None
            total += tokens * rate
    return total.quantize(NANODOLLAR)
