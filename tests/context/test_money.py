"""What calls and stays cost, worked out by hand: 5 dollars a million fresh, 0.50 read, 6.25 written, 10 for an hour, 25 out."""

from dataclasses import replace
from decimal import Decimal

import pytest
from paid import FIELDS, MODEL, PRICES, UNPRICED, dollars, paid, told
from windows import OVERHEAD, Story

from tasks.context.money import bill, parts
from tasks.context.pricing import Prices
from tasks.context.window import Call
from tasks.domain.kinds import ItemKind

READ_OF_5000 = 4_488
"""Counted tokens of a result that the invented provider counts as 1.11 x 4,488 + 18 = 5,000."""


def call(prompt: int, read: int | None = None, written: int | None = None, output: int | None = None, **facts: object) -> Call:
    fresh = prompt - (read or 0) - (written or 0)
    made = Call("r", 1, prompt, 0, model=MODEL, input_uncached_tokens=fresh, cache_read_tokens=read, cache_write_tokens=written)
    return replace(made, output_reported_tokens=output, **facts)  # type: ignore[arg-type]


def shares(one: Call, explained: int, overhead: int, prices: Prices = PRICES) -> tuple[str, ...] | None:
    """Dollars of (explained, overhead, residual, output)."""
    found = parts(bill(one, prices), explained, overhead)
    return found and tuple(f"{Decimal(nano).scaleb(-9).normalize():f}" for nano in found)


def test_the_overhead_is_in_front_the_items_at_the_end_and_the_residual_between():
    """600 of 1,000 tokens were read, 300 written, 100 fresh: the overhead ends at 500, the items begin at 700."""
    found = shares(paid(call(1_000, read=600, written=300, output=10)), explained=300, overhead=500)
    assert found == ("0.00175", "0.00025", "0.000675", "0.00025")  # 200 written + 100 fresh; 500 read; 100 read + 100 written


def test_a_negative_residual_is_money_that_overhead_and_items_both_claim():
    """Items from 400 on, the overhead up to 500: what lies between was read, and is taken off once."""
    assert shares(paid(call(1_000, read=1_000)), explained=600, overhead=500) == ("0.0003", "0.00025", "-0.00005", "0")


def test_items_beyond_the_prompt_cost_what_its_beginning_does():
    """1,200 tokens explain a prompt of 1,000: 200 of them stand before it, where it was read."""
    found = shares(paid(call(1_000, read=900, written=100)), explained=1_200, overhead=100)
    assert found == ("0.001175", "0.00005", "-0.00015", "0")


def test_an_overhead_beyond_the_prompt_costs_what_its_end_does():
    found = shares(paid(call(1_000, read=900, written=100)), explained=0, overhead=1_100)
    assert found == ("0", "0.0017", "-0.000625", "0")


def test_a_call_that_reports_nothing_of_its_cache_paid_all_as_fresh():
    assert shares(paid(call(1_000)), explained=400, overhead=600) == ("0.002", "0.003", "0", "0")


def test_writes_for_an_hour_and_for_five_minutes_are_one_stretch_at_their_mean():
    """100 at 10 and 300 at 6.25 dollars per million: each of the 400 costs 7.1875."""
    one = paid(call(400, read=0, written=400, cache_write_1h_tokens=100))
    assert shares(one, explained=200, overhead=200) == ("0.0014375", "0.0014375", "0", "0")


def test_a_cost_that_the_list_has_moved_away_from_is_split_in_its_proportions():
    """At today's list the call costs 0.0045 dollars; it was paid 0.009."""
    one = replace(call(1_000, read=500, output=70), cost_usd=Decimal("0.009"))
    assert shares(one, explained=500, overhead=500) == ("0.005", "0.0005", "0", "0.0035")


def test_a_cost_whose_model_the_list_no_longer_has_is_split_in_the_usual_proportions():
    """Read 0.1, written 1.25, output 5 of a fresh token: 1,000 x 0.1 + 400 x 1.25 + 600 x 1 + 160 x 5 = 2,000 fresh tokens."""
    one = replace(call(2_000, read=1_000, written=400, output=160), model=UNPRICED, cost_usd=Decimal("0.002"))
    assert shares(one, explained=1_000, overhead=1_000) == ("0.0011", "0.0001", "0", "0.0008")


def test_a_cost_of_a_model_that_the_list_now_gives_away_is_split_in_the_usual_proportions():
    free = Prices({MODEL: dict.fromkeys(FIELDS, 0.0)})
    one = replace(call(1_000, read=500), cost_usd=Decimal("0.00055"))
    assert shares(one, explained=500, overhead=500, prices=free) == ("0.0005", "0.00005", "0", "0")


def test_a_free_call_costs_nothing_and_is_not_unpriced():
    free = Prices({MODEL: dict.fromkeys(FIELDS, 0.0)})
    assert shares(paid(call(1_000), free), explained=500, overhead=500, prices=free) == ("0", "0", "0", "0")


def test_an_unpriced_call_has_no_parts():
    assert shares(call(1_000), explained=500, overhead=500) is None


def test_thirds_of_a_nanodollar_are_given_to_somebody():
    """Ten billionths of a dollar for three equal parts: each is whole, and together they are the cost."""
    one = replace(call(3_000), cost_usd=Decimal("0.000000010"))
    found = parts(bill(one, PRICES), 1_000, 1_000)
    assert found is not None
    assert sorted(found) == [0, 3, 3, 4]


def test_a_read_of_5000_tokens_carried_for_60_calls_is_written_once_and_read_59_times():
    story = Story().ask().call()
    read = story.use(READ_OF_5000)
    story.call().turns(59)
    stay = told(story).stay(read.item_id)
    assert (stay["requests"], stay["tokens_calibrated"]) == (60, 5_000)
    assert stay["cost_cache_write_usd"] == dollars("0.03125")  # 5,000 x 6.25
    assert stay["cost_cache_read_usd"] == dollars("0.1475")  # 59 x 5,000 x 0.50
    assert stay["cost_uncached_usd"] == 0
    assert stay["cost_usd"] == dollars("0.17875")
    assert stay["share_cached"] == 59 / 60


def test_an_expired_cache_is_paid_for_again_at_the_price_of_writing():
    """Three calls: written, read, and after six minutes all written again."""
    story = Story().ask().call()
    read = story.use(READ_OF_5000)
    story.call().turns(1)
    before = story.calls[-1].prompt_tokens
    story.use(200)
    story.call(seconds=400, read=0)
    found = told(story)
    (miss,) = found.tables["cache_misses"]
    assert (miss["cause"], miss["tokens_repaid"]) == ("idle", before)
    assert miss["cost_usd"] == before * dollars("0.00000575")  # 6.25 - 0.50 per million
    assert found.stay(read.item_id)["cost_cache_write_usd"] == dollars("0.0625")  # 2 x 5,000 x 6.25
    assert found.stay(read.item_id)["cost_cache_read_usd"] == dollars("0.0025")
    assert found.lines[-1]["cost_overhead_usd"] == dollars("0.125")  # 20,000 x 6.25


def test_a_prefix_that_is_paid_for_again_partly_fresh_costs_both_prices_more():
    """10,000 of it written, the rest fresh."""
    story = Story().ask().call()
    story.use(200)
    story.call(seconds=400, read=0)
    before, last = story.calls[0].prompt_tokens, story.calls[-1]
    story.calls[-1] = replace(last, cache_write_tokens=10_000, input_uncached_tokens=last.prompt_tokens - 10_000)
    (miss,) = told(story).tables["cache_misses"]
    assert miss["tokens_repaid"] == before
    assert miss["cost_usd"] == dollars("0.0575") + (before - 10_000) * dollars("0.0000045")


def test_what_is_written_for_an_hour_costs_twice_a_fresh_token():
    story = Story().ask().call()
    read = story.use(READ_OF_5000)
    story.call().turns(2)
    story.calls[1] = replace(story.calls[1], cache_write_1h_tokens=story.calls[1].cache_write_tokens)
    stay = told(story).stay(read.item_id)
    assert stay["cost_cache_write_usd"] == dollars("0.05")  # 5,000 x 10
    assert stay["cost_usd"] == dollars("0.055")


def test_an_item_that_lies_across_the_end_of_the_cache_pays_both_ways():
    """2,000 of its 5,000 tokens were read, 3,000 are fresh."""
    story = Story().ask().call()
    read = story.use(READ_OF_5000)
    story.call()
    last = story.calls[-1]
    story.calls[-1] = replace(
        last, cache_read_tokens=last.prompt_tokens - 3_000, cache_write_tokens=0, input_uncached_tokens=3_000
    )
    stay = told(story).stay(read.item_id)
    assert (stay["cost_cache_read_usd"], stay["cost_uncached_usd"]) == (dollars("0.001"), dollars("0.015"))
    assert stay["share_cached"] == 0.4


def test_an_item_that_is_wider_than_what_was_written_pays_three_ways():
    """Of its 5,000 tokens 1,000 were read, 3,000 written and 1,000 fresh."""
    story = Story().ask().call()
    read = story.use(READ_OF_5000)
    story.call()
    last = story.calls[-1]
    story.calls[-1] = replace(
        last, cache_read_tokens=last.prompt_tokens - 4_000, cache_write_tokens=3_000, input_uncached_tokens=1_000
    )
    stay = told(story).stay(read.item_id)
    ways = (stay["cost_cache_read_usd"], stay["cost_cache_write_usd"], stay["cost_uncached_usd"])
    assert ways == (dollars("0.0005"), dollars("0.01875"), dollars("0.005"))


def test_a_model_without_a_price_in_the_middle_leaves_its_calls_out_of_the_money_and_in_the_shares():
    """60 calls hold the read: at the 20th to the 39th a model answers whose price nobody knows. It reads nothing at first."""
    story = Story().ask().call()
    read = story.use(READ_OF_5000)
    story.call().turns(18)
    story.model = UNPRICED
    late = story.use(READ_OF_5000)
    story.call(read=0).turns(19)
    story.model = MODEL
    story.use(200)
    story.call(read=0).turns(20)
    found = told(story)
    stay = found.stay(read.item_id)
    assert stay["requests"] == 60
    # Of the 40 priced calls two wrote it and 38 read it.
    assert (stay["cost_cache_write_usd"], stay["cost_cache_read_usd"]) == (dollars("0.0625"), dollars("0.095"))
    assert stay["share_cached"] == 57 / 60
    assert found.stay(late.item_id)["cost_usd"] == dollars("0.03125") + dollars("0.05")  # written once, read 20 times
    middle = found.lines[20]
    money = ("cost_explained_usd", "cost_overhead_usd", "cost_residual_usd", "cost_output_usd", "cost_output_estimated_usd")
    assert {middle[name] for name in money} == {None}
    assert middle["explained_tokens"] + middle["overhead_tokens"] + middle["residual_tokens"] == middle["prompt_tokens"]


def test_what_only_unpriced_calls_held_is_unpriced_and_not_free():
    story = Story(model=UNPRICED).ask().call()
    read = story.use(READ_OF_5000)
    stay = told(story.call()).stay(read.item_id)
    money = ("cost_usd", "cost_cache_read_usd", "cost_cache_write_usd", "cost_uncached_usd")
    assert {stay[name] for name in money} == {None}
    assert stay["share_cached"] == 0.0


def test_the_scale_of_a_call_is_explained_over_counted_tokens():
    found = told(Story().ask(100).call())
    assert (found.lines[0]["content_tokens"], found.lines[0]["explained_tokens"]) == (100, 115)
    assert found.lines[0]["scale"] == 1.15


def test_a_window_without_items_has_no_scale():
    story = Story()
    story.calls.append(paid(Call("r1", 1, OVERHEAD, 0, model=MODEL, input_uncached_tokens=OVERHEAD)))
    assert told(story).lines[0]["scale"] is None


@pytest.mark.parametrize(("reported", "tokens"), [(3, 287), (None, 287), (900, 900)])
def test_an_answer_that_the_log_counts_too_low_is_as_long_as_what_it_said(reported: int | None, tokens: int):
    """Thinking of 500 sealed characters is 0.21 x 500 - 35 = 70, text 1.12 x 100 + 2 = 114, a call 1.1 x 30 + 70 = 103."""
    story = Story().ask().call()
    story.add(ItemKind.REASONING, 47, opaque_chars=500)
    story.add(ItemKind.ASSISTANT_TEXT, 100)
    story.use(200)
    story.call()
    story.calls[0] = replace(story.calls[0], output_reported_tokens=reported)
    line = told(story).lines[0]
    assert line["output_tokens_estimated"] == tokens
    assert line["cost_output_usd"] == (reported or 0) * dollars("0.000025")
    assert line["cost_output_estimated_usd"] == tokens * dollars("0.000025")


def test_an_answer_that_no_later_call_held_is_as_long_as_its_words_too():
    story = Story().ask().call()
    story.add(ItemKind.ASSISTANT_TEXT, 100)
    assert told(story).lines[0]["output_tokens_estimated"] == 114


def test_an_answer_of_which_nothing_is_kept_is_what_was_reported():
    story = Story().ask().call()
    story.calls[0] = replace(story.calls[0], output_reported_tokens=3)
    assert told(story).lines[0]["output_tokens_estimated"] == 3


def test_an_answer_that_was_counted_is_not_estimated():
    story = Story().ask().call()
    story.calls[0] = replace(story.calls[0], output_tokens=20, output_reported_tokens=20)
    story.add(ItemKind.ASSISTANT_TEXT, 100)
    line = told(story).lines[0]
    assert (line["output_tokens_estimated"], line["cost_output_estimated_usd"]) == (None, None)


def test_a_call_of_which_neither_words_nor_count_are_kept_has_no_estimate():
    assert told(Story().ask().call()).lines[0]["output_tokens_estimated"] is None


def test_an_unpriced_answer_is_estimated_and_has_no_cost():
    story = Story(model=UNPRICED).ask().call()
    story.add(ItemKind.ASSISTANT_TEXT, 100)
    line = told(story).lines[0]
    assert (line["output_tokens_estimated"], line["cost_output_estimated_usd"]) == (114, None)
