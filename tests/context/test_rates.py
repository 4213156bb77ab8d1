"""What a token costs by service tier and length of prompt."""

from typing import Any

import pytest

from tasks.context.rates import Rates, kept

DAY = {
    "input_cost_per_token": 2e-06,
    "output_cost_per_token": 1e-05,
    "cache_read_input_token_cost": 2e-07,
    "cache_creation_input_token_cost": 2.5e-06,
}


def dollars(fields: dict[str, Any], prompt: int = 1_000, tier: str | None = None) -> tuple[str | None, ...]:
    """Dollars per million tokens: fresh, read, written, written for an hour, output."""
    t = Rates(fields).tariff(prompt, tier)
    per_token = (t.input, t.cache_read, t.cache_write, t.cache_write_1h, t.output)
    return tuple(None if one is None else f"{(one * 1_000_000).normalize():f}" for one in per_token)


def test_a_tier_has_the_prices_that_are_listed_for_it() -> None:
    fields = {**DAY, **{f"{name}_flex": price / 4 for name, price in DAY.items()}}
    assert dollars(fields, tier="flex") == ("0.5", "0.05", "0.625", "1", "2.5")


@pytest.mark.parametrize("tier", [None, "", "standard", "default", "auto", "[trimmed]"])
def test_a_tier_that_is_not_listed_costs_what_none_does(tier: str | None) -> None:
    fields = {**DAY, "input_cost_per_token_flex": 1e-06}
    assert dollars(fields, tier=tier) == ("2", "0.2", "2.5", "4", "10")


def test_a_bucket_that_the_tier_does_not_list_moves_as_fresh_input_does() -> None:
    """Fresh input costs 1.5 times as much, and so do reads and writes; output has a price of its own."""
    fields = {**DAY, "input_cost_per_token_priority": 3e-06, "output_cost_per_token_priority": 2e-05}
    assert dollars(fields, tier="priority") == ("3", "0.3", "3.75", "6", "20")


@pytest.mark.parametrize("tier", ["fast", "priority"])
def test_fast_is_the_priority_tier(tier: str) -> None:
    assert dollars({**DAY, "input_cost_per_token_priority": 4e-06}, tier=tier)[0] == "4"


def test_a_batch_is_half_where_the_list_has_no_batch_price() -> None:
    tariff = Rates(DAY).tariff(1_000, "batch")
    assert tariff.is_halved
    assert dollars(DAY, tier="batch") == ("1", "0.1", "1.25", "2", "5")


def test_a_batch_price_of_the_list_is_no_rule() -> None:
    fields = {**DAY, "input_cost_per_token_batches": 1.6e-06}
    assert not Rates(fields).tariff(1_000, "batch").is_halved
    assert dollars(fields, tier="batch") == ("1.6", "0.16", "2", "3.2", "8")


LONG = {
    **DAY,
    "input_cost_per_token_above_200k_tokens": 4e-06,
    "output_cost_per_token_above_200k_tokens": 1.5e-05,
    "cache_read_input_token_cost_above_200k_tokens": 4e-07,
    "cache_creation_input_token_cost_above_200k_tokens": 5e-06,
    "cache_creation_input_token_cost_above_1hr": 4e-06,
    "cache_creation_input_token_cost_above_1hr_above_200k_tokens": 8e-06,
}


def test_a_long_prompt_has_its_own_price_in_every_bucket() -> None:
    assert dollars(LONG, prompt=200_000) == ("2", "0.2", "2.5", "4", "10")
    assert dollars(LONG, prompt=200_001) == ("4", "0.4", "5", "8", "15")


def test_a_long_prompt_of_a_tier_that_lists_only_short_ones_moves_alike() -> None:
    fields = {**LONG, "input_cost_per_token_batches": 1e-06, "output_cost_per_token_batches": 5e-06}
    assert dollars(fields, prompt=200_001, tier="batch") == ("2", "0.2", "2.5", "4", "7.5")


def test_a_long_prompt_of_a_tier_has_the_price_that_is_listed_for_both() -> None:
    fields = {**LONG, "input_cost_per_token_above_200k_tokens_priority": 1e-05, "input_cost_per_token_priority": 3e-06}
    assert dollars(fields, prompt=200_001, tier="priority") == ("10", "1", "12.5", "20", "37.5")


def test_a_write_for_twelve_hours_is_none_for_five_minutes() -> None:
    assert dollars({**DAY, "cache_creation_input_token_cost_above_12hr": 9e-06})[2:4] == ("2.5", "4")


def test_prices_in_a_list_by_length_are_prices_like_others() -> None:
    steps = [
        {"input_cost_per_token": 1e-06, "output_cost_per_token": 5e-06, "range": [0, 32_000.0]},
        {"input_cost_per_token": 2e-06, "output_cost_per_token": 9e-06, "range": [32_000.0, 128_000.0]},
    ]
    fields = kept({"mode": "chat", "tiered_pricing": steps})
    assert dollars(fields, prompt=32_000) == ("1", "1", "1", "2", "5")
    assert dollars(fields, prompt=32_001) == ("2", "2", "2", "4", "9")
