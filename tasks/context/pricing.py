"""What a request cost, from the price list in litellm's package. The list is read as data; litellm itself is never imported."""

import importlib.util
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from tasks.context.models import candidates, closest
from tasks.domain.errors import MidwatchError

PRICE_LIST = "model_prices_and_context_window_backup.json"
NANODOLLAR = Decimal("0.000000001")

INPUT = "input_cost_per_token"
OUTPUT = "output_cost_per_token"
CACHE_READ = "cache_read_input_token_cost"
CACHE_WRITE = "cache_creation_input_token_cost"
CACHE_WRITE_1H = "cache_creation_input_token_cost_above_1hr"
LIMIT = "max_input_tokens"

FALLBACK = {CACHE_READ: (INPUT, 1), CACHE_WRITE: (INPUT, 1), CACHE_WRITE_1H: (INPUT, 2)}
"""Where the list has no price of its own for a bucket: (the bucket whose price it takes, how many times).
Only Anthropic's models write for an hour, and the published rule is twice fresh input."""

FIELD = re.compile(rf"({CACHE_WRITE_1H}|{CACHE_WRITE}|{CACHE_READ}|{INPUT}|{OUTPUT})(?:_above_(\d+)k_tokens)?")
"""A price and the prompt size, in thousands of tokens, above which it holds. Batch, flex and priority prices are others."""

Rates = Mapping[str, tuple[tuple[int, Decimal], ...]]
"""Bucket -> (prompt tokens, dollars per token), the highest tier first; a rate holds for prompts above its tokens."""


@dataclass(frozen=True)
class Prices:
    """A price list: model name -> fields named as in litellm's list, in dollars per token."""

    models: Mapping[str, Mapping[str, Any]]
    _names: dict[str | None, str | None] = field(default_factory=dict, init=False, repr=False, compare=False)
    _rates: dict[str, Rates] = field(default_factory=dict, init=False, repr=False, compare=False)

    def price(
        self,
        model: str | None,
        *,
        input_uncached: int | None = None,
        cache_read: int | None = None,
        cache_write: int | None = None,
        cache_write_1h: int | None = None,
        output: int | None = None,
    ) -> Decimal | None:
        """Dollars, to nine places. None, never zero, for a model without a price or a request without any usage.

        `cache_write` is the total; `cache_write_1h` the part of it that lives for an hour, the rest lives five minutes.
        The prompt (uncached + read + written) chooses the tier.
        """
        name = self.listed_name(model)
        if name is None or all(tokens is None for tokens in (input_uncached, cache_read, cache_write, cache_write_1h, output)):
            return None
        written_1h = cache_write_1h or 0
        written = max(cache_write or 0, written_1h)
        prompt = (input_uncached or 0) + (cache_read or 0) + written
        buckets = {
            INPUT: input_uncached or 0,
            CACHE_READ: cache_read or 0,
            CACHE_WRITE: written - written_1h,
            CACHE_WRITE_1H: written_1h,
            OUTPUT: output or 0,
        }
        return _sum(self._rates_of(name), buckets, prompt)

    def context_limit(self, model: str | None) -> int | None:
        """The most prompt tokens the list says the model takes; an agent may run it with less."""
        name = self.listed_name(model)
        limit = self.models[name].get(LIMIT) if name else None
        return limit if isinstance(limit, int) and limit > 0 else None

    def listed_name(self, model: str | None) -> str | None:
        """The name under which the list has the model."""
        if model not in self._names:
            names = candidates(model)
            listed = (name if name in self.models else None for name in names)
            near = (closest(name, self.models) for name in names)
            self._names[model] = next(filter(None, listed), None) or next(filter(None, near), None)
        return self._names[model]

    def _rates_of(self, name: str) -> Rates:
        if name not in self._rates:
            self._rates[name] = _rates(self.models[name])
        return self._rates[name]


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
    return Prices({name: _kept(fields) for name, fields in models.items() if name != "sample_spec"})


def _kept(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a price or a limit needs; the whole list is many times as large."""
    return {key: value for key, value in fields.items() if key == LIMIT or FIELD.fullmatch(key)}


def _rates(fields: Mapping[str, Any]) -> Rates:
    found: dict[str, list[tuple[int, Decimal]]] = {}
    for key, value in fields.items():
        match = FIELD.fullmatch(key)
        if match and isinstance(value, int | float):
            found.setdefault(match[1], []).append((int(match[2] or 0) * 1000, Decimal(str(value))))
    return {bucket: tuple(sorted(rates, reverse=True)) for bucket, rates in found.items()}


def _sum(rates: Rates, buckets: Mapping[str, int], prompt: int) -> Decimal | None:
    """None where the list does not say what fresh input costs, or what one of the buckets does."""
    total = Decimal()
    if INPUT not in rates:
        return None
    for bucket, tokens in buckets.items():
        if tokens:
            rate = _rate(rates, bucket, prompt)
            if rate is None:
                return None
            total += tokens * rate
    return total.quantize(NANODOLLAR)


def _rate(rates: Rates, bucket: str, prompt: int) -> Decimal | None:
    for above, rate in rates.get(bucket, ()):
        if prompt > above or above == 0:
            return rate
    if bucket not in FALLBACK:
        return None
    other, times = FALLBACK[bucket]
    found = _rate(rates, other, prompt)
    return None if found is None else times * found
