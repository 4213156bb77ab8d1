import subprocess
import sys
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.context.pricing import Prices, load_prices

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
    }
)


def test_each_bucket_has_its_own_price() -> None:
    price = PRICES.price(
        "fired-4-20260101", input_uncached=1_000, cache_read=10_000, cache_write=3_000, cache_write_1h=1_000, output=500
    )
    assert price == Decimal("0.003") + Decimal("0.003") + Decimal("0.0075") + Decimal("0.006") + Decimal("0.0075")


@pytest.mark.parametrize(("prompt", "dollars"), [(200_000, "0.6"), (200_001, "1.200006")])
def test_a_prompt_above_the_tier_costs_the_higher_price(prompt: int, dollars: str) -> None:
    assert PRICES.price("fired-4-20260101", input_uncached=prompt) == Decimal(dollars)


def test_the_whole_prompt_chooses_the_tier_of_every_bucket() -> None:
    price = PRICES.price("fired-4-20260101", input_uncached=1_000, cache_read=250_000, cache_write=1_000, output=100)
    assert price == Decimal("0.006") + Decimal("0.15") + Decimal("0.0075") + Decimal("0.00225")


@pytest.mark.parametrize(("prompt", "dollars"), [(100_000, "0.1"), (250_000, "0.5"), (300_000, "1.5")])
def test_the_highest_tier_that_is_exceeded_holds(prompt: int, dollars: str) -> None:
    assert PRICES.price("tiered", input_uncached=prompt) == Decimal(dollars)


def test_a_bucket_without_its_own_price_costs_what_fresh_input_does_and_an_hour_twice_that() -> None:
    price = PRICES.price("plain-1", input_uncached=1, cache_read=10, cache_write=300, cache_write_1h=100)
    assert price == Decimal("0.000411")


def test_an_hour_long_write_without_a_total_is_counted_once() -> None:
    assert PRICES.price("fired-4-20260101", cache_write_1h=1_000) == Decimal("0.006")


@pytest.mark.parametrize("model", [None, "", "<synthetic>", "mystery-coder-9b", "unpriced", "fired"])
def test_an_unknown_price_is_none_and_never_zero(model: str | None) -> None:
    assert PRICES.price(model, input_uncached=10, output=10) is None


def test_a_request_without_usage_has_no_price() -> None:
    assert PRICES.price("plain-1") is None


def test_a_bucket_that_was_not_reported_counts_as_zero() -> None:
    assert PRICES.price("plain-1", input_uncached=None, output=5) == Decimal("0.00001")


def test_output_of_a_model_without_an_output_price_is_not_free() -> None:
    assert PRICES.price("embedding", input_uncached=10, output=1) is None
    assert PRICES.price("embedding", input_uncached=10, output=0) == Decimal("0.000001")


@pytest.mark.parametrize(
    "model", ["fired-4", "anthropic/fired-4", "us.anthropic.fired-4-20260101-v1:0", "fired-4[1m]", "Fired-4@20260101"]
)
def test_a_model_is_priced_under_its_other_names(model: str) -> None:
    assert PRICES.price(model, input_uncached=1_000) == Decimal("0.003")


def test_a_price_has_nine_places() -> None:
    assert f"{PRICES.price('fired-4-20260101', cache_read=1):f}" == "0.000000300"


@given(st.integers(0, 200_000), st.integers(0, 10_000))
def test_below_the_tiers_prices_add_up(first: int, second: int) -> None:
    def price(tokens: int) -> Decimal:
        found = PRICES.price("plain-1", input_uncached=tokens, output=tokens)
        assert found is not None
        return found

    assert price(first) + price(second) == price(first + second)


def test_the_context_limit_is_the_lists() -> None:
    assert PRICES.context_limit("fired-4") == 1_000_000
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
    cents = load_prices().price(
        model, input_uncached=10_000, cache_read=10_000, cache_write=20_000, cache_write_1h=10_000, output=10_000
    )
    assert cents == million / 100


def test_reading_the_list_does_not_import_litellm() -> None:
    code = "import sys; from tasks.context.pricing import load_prices; load_prices(); sys.exit('litellm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
