import subprocess
import sys
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.context.pricing import Origin, Prices, load_prices

FIRED = {
    "input_cost_per_token": 3e-06,
    "output_cost_per_token": 1.5e-05,
    "cache_read_input_token_cost": 3e-07,
    "cache_creation_input_token_cost": 3.75e-06,
    "cache_creation_input_token_cost_above_1hr": 6e-06,
    "input_cost_per_token_above_200k_tokens": 6e-06,
    "output_cost_per_token_above_200k_tokens": 2.25e-05,
    "cache_read_input_token_cost_above_200k_tokens": 6e-07,
    "cache_creation_input_token_cost_above_200k_tokens": 7.5e-06,
    "max_input_tokens": 1_000_000,
}
PLAIN = {"input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06}
PRICES = Prices(
    {
        "fired-4-20260101": FIRED,
        "plain-1": PLAIN,
        "tiered": {**PLAIN, "input_cost_per_token_above_200k_tokens": 2e-06, "input_cost_per_token_above_272k_tokens": 5e-06},
        "unpriced": {"max_input_tokens": 8192},
        "embedding": {"input_cost_per_token": 1e-07},
        "seat/fired-4": {"max_input_tokens": 64_000},
    }
)


def price(model: str | None, prices: Prices = PRICES, **counts: Any) -> Decimal | None:
    return prices.cost(model, **counts).usd


def test_each_bucket_has_its_own_price() -> None:
    found = price(
        "fired-4-20260101", input_uncached=1_000, cache_read=10_000, cache_write=3_000, cache_write_1h=1_000, output=500
    )
    assert found == Decimal("0.003") + Decimal("0.003") + Decimal("0.0075") + Decimal("0.006") + Decimal("0.0075")


@pytest.mark.parametrize(("prompt", "dollars"), [(200_000, "0.6"), (200_001, "1.200006")])
def test_a_prompt_above_the_tier_costs_the_higher_price(prompt: int, dollars: str) -> None:
    assert price("fired-4-20260101", input_uncached=prompt) == Decimal(dollars)


def test_the_whole_prompt_chooses_the_tier_of_every_bucket() -> None:
    found = price("fired-4-20260101", input_uncached=1_000, cache_read=250_000, cache_write=1_000, output=100)
    assert found == Decimal("0.006") + Decimal("0.15") + Decimal("0.0075") + Decimal("0.00225")


@pytest.mark.parametrize(("prompt", "dollars"), [(100_000, "0.1"), (250_000, "0.5"), (300_000, "1.5")])
def test_the_highest_tier_that_is_exceeded_holds(prompt: int, dollars: str) -> None:
    assert price("tiered", input_uncached=prompt) == Decimal(dollars)


def test_a_bucket_without_its_own_price_costs_what_fresh_input_does_and_an_hour_twice_that() -> None:
    found = price("plain-1", input_uncached=1, cache_read=10, cache_write=300, cache_write_1h=100)
    assert found == Decimal("0.000411")


def test_an_hour_long_write_without_a_total_is_counted_once() -> None:
    assert price("fired-4-20260101", cache_write_1h=1_000) == Decimal("0.006")


@pytest.mark.parametrize("model", [None, "", "<synthetic>", "mystery-coder-9b", "unpriced", "fired"])
def test_an_unknown_price_is_none_and_never_zero(model: str | None) -> None:
    cost = PRICES.cost(model, input_uncached=10, output=10)
    assert (cost.usd, cost.origin) == (None, Origin.UNPRICED)


@pytest.mark.parametrize("model", ["plain-1", "mystery-coder-9b", None])
def test_a_request_without_usage_has_no_cost_whatever_its_model(model: str | None) -> None:
    cost = PRICES.cost(model)
    assert (cost.usd, cost.origin) == (None, Origin.NO_USAGE)


def test_a_request_that_counts_zero_has_usage() -> None:
    cost = PRICES.cost("plain-1", output=0)
    assert (cost.usd, cost.origin) == (Decimal("0E-9"), Origin.REPORTED)


def test_a_bucket_that_was_not_reported_counts_as_zero() -> None:
    assert price("plain-1", input_uncached=None, output=5) == Decimal("0.00001")


def test_output_of_a_model_without_an_output_price_is_not_free() -> None:
    assert price("embedding", input_uncached=10, output=1) is None
    assert price("embedding", input_uncached=10, output=0) == Decimal("0.000001")


@pytest.mark.parametrize(
    "model", ["fired-4", "anthropic/fired-4", "us.anthropic.fired-4-20260101-v1:0", "fired-4[1m]", "Fired-4@20260101"]
)
def test_a_model_is_priced_under_its_other_names(model: str) -> None:
    assert price(model, input_uncached=1_000) == Decimal("0.003")


def test_a_seat_that_lists_no_price_costs_what_the_model_does_and_keeps_its_own_limit() -> None:
    assert price("seat/fired-4", input_uncached=1_000) == Decimal("0.003")
    assert PRICES.context_limit("seat/fired-4") == 64_000


def test_a_price_has_nine_places() -> None:
    assert f"{price('fired-4-20260101', cache_read=1):f}" == "0.000000300"


@given(st.integers(0, 200_000), st.integers(0, 10_000))
def test_below_the_tiers_prices_add_up(first: int, second: int) -> None:
    def both(tokens: int) -> Decimal:
        found = price("plain-1", input_uncached=tokens, output=tokens)
        assert found is not None
        return found

    assert both(first) + both(second) == both(first + second)


def test_the_context_limit_is_the_lists() -> None:
    assert PRICES.context_limit("fired-4") == 1_000_000
    assert PRICES.context_limit("unpriced") == 8192
    assert PRICES.context_limit("plain-1") is None
    assert PRICES.context_limit(None) is None


@pytest.mark.parametrize(
    ("model", "dollars"),
    [
        ("claude-sonnet-4-5-20250929", "3.00 + 0.30 + 3.75 + 6.00 + 15.00"),
        ("claude-opus-4-5-20251101", "5.00 + 0.50 + 6.25 + 10.00 + 25.00"),
        ("claude-sonnet-4-20250514", "3.00 + 0.30 + 3.75 + 6.00 + 15.00"),
        ("claude-haiku-4-5-20251001", "1.00 + 0.10 + 1.25 + 2.00 + 5.00"),
    ],
)
def test_a_hundred_thousand_of_each_at_the_published_prices(model: str, dollars: str) -> None:
    """Published in dollars per million: input, cache read, write for five minutes, write for an hour, output."""
    million = sum(map(Decimal, dollars.split(" + ")))
    cents = price(
        model, load_prices(), input_uncached=10_000, cache_read=10_000, cache_write=20_000, cache_write_1h=10_000, output=10_000
    )
    assert cents == million / 100


@pytest.mark.parametrize(
    ("model", "tier", "counts", "dollars"),
    [
        # 2,000 x 5 + 30,000 x 0.50 + (4,000 - 1,000) x 6.25 + 1,000 x 10 + 800 x 25 dollars per million
        ("claude-opus-4-5-20251101", "standard", (2_000, 30_000, 4_000, 1_000, 800), "0.07375"),
        # 3 x 3 + 151,200 x 0.30 + 812 x 3.75 + 640 x 15
        ("claude-sonnet-4-5", None, (3, 151_200, 812, 0, 640), "0.058014"),
        # the batch costs half of 1 x 1 + 10,000 x 0.10 + 2,000 x 1.25 + 100 x 5
        ("claude-haiku-4-5-20251001", "batch", (1, 10_000, 2_000, 0, 100), "0.0020005"),
        # 40,000 x 1.25 + 60,000 x 0.125 + 2,000 x 10
        ("gpt-5", "default", (40_000, 60_000, None, None, 2_000), "0.0775"),
        # a priority call costs twice that
        ("gpt-5", "fast", (40_000, 60_000, None, None, 2_000), "0.155"),
        # 700 x 2 + 5,000 x 0.50 + 90 x 8
        ("gpt-4.1", None, (700, 5_000, None, None, 90), "0.00462"),
        # 11,000 x 0.15 + 1,300 x 0.60
        ("openrouter/openai/gpt-4o-mini", None, (11_000, None, None, None, 1_300), "0.00243"),
        # 1,000 x 0.25 + 200 x 1.25
        ("anthropic/claude-3-haiku-20240307", None, (1_000, None, None, None, 200), "0.0005"),
        # 9,000 x 3 + 400 x 15
        ("openrouter/anthropic/claude-3.5-sonnet", None, (9_000, None, None, None, 400), "0.033"),
        # 2,000 x 0.95 + 18,000 x 0.19 + 300 x 4
        ("kimi-k2.7-code", None, (2_000, 18_000, None, None, 300), "0.00652"),
        # above 200,000 tokens: 210,000 x 2.50 + 1,000 x 15
        ("gemini-2.5-pro", None, (210_000, None, None, None, 1_000), "0.54"),
    ],
)
def test_calls_of_many_models_cost_what_a_hand_works_out(
    model: str, tier: str | None, counts: tuple[int | None, ...], dollars: str
) -> None:
    fresh, read, written, hour, output = counts
    cost = load_prices().cost(
        model, input_uncached=fresh, cache_read=read, cache_write=written, cache_write_1h=hour, output=output, service_tier=tier
    )
    assert cost.usd == Decimal(dollars)


@pytest.mark.parametrize(
    "model", ["gpt-4-mini", "openai/chatgpt-4o-latest", "gemini/gemini-1.5-pro-exp-0801", "droid-model", "claude-instant-1.1"]
)
def test_what_the_list_does_not_have_stays_unpriced(model: str) -> None:
    assert load_prices().cost(model, input_uncached=1_000).origin is Origin.UNPRICED


def test_reading_the_list_does_not_import_litellm() -> None:
    code = "import sys; from tasks.context.pricing import load_prices; load_prices(); sys.exit('litellm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
