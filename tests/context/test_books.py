"""The books of any session balance to the billionth of a dollar, and every stay costs what a slow count says."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from paid import FIELDS, MODEL, UNPRICED, Told, paid, told
from windows import OVERHEAD, Story

from tasks.context import money
from tasks.context.attribution import Account, accounts
from tasks.context.calibration import Learned
from tasks.context.money import Bill
from tasks.context.pricing import Prices
from tasks.context.shares import split
from tasks.context.stay_costs import stay_costs
from tasks.context.window import Call

LONG = "claude-sonnet-4-5"
ODD = Prices(
    {
        MODEL: {**FIELDS, "input_cost_per_token_flex": 1.7e-06, "output_cost_per_token_flex": 3.3e-06},
        LONG: {
            "input_cost_per_token": 3.1e-06,
            "output_cost_per_token": 1.49e-05,
            "cache_read_input_token_cost": 3.33e-08,
            "input_cost_per_token_above_100k_tokens": 6.7e-06,
        },
    }
)
CALLS = st.fixed_dictionaries(
    {
        "model": st.sampled_from([MODEL, MODEL, LONG, UNPRICED]),
        "service_tier": st.sampled_from([None, "batch", "flex", "standard"]),
        "result": st.integers(0, 9_000),
        "hidden": st.integers(-25_000, 90_000) | st.just(0),
        "read": st.floats(0, 1) | st.none(),
        "written": st.floats(0, 1) | st.none(),
        "hour": st.floats(0, 1) | st.none(),
        "output": st.integers(0, 4_000) | st.none(),
        "counts": st.booleans(),
        "moved": st.sampled_from([None, None, Decimal("1.37"), Decimal(0)]),
        "compacts": st.integers(0, 9).map(lambda number: number == 0),
        "asks": st.booleans(),
    }
)


def played(script: Sequence[dict[str, Any]]) -> Story:
    """A story whose calls have any caches, prices and residuals; those that moved were not paid at today's list."""
    story = Story().ask()
    for beat in script:
        story.model = beat["model"]
        if beat["compacts"]:
            story.compact(beat["result"] // 10)
        story.call(hidden=beat["hidden"])
        story.calls[-1] = _cached(story.calls[-1], beat)
        story.use(beat["result"])
        if beat["asks"]:
            story.ask()
    return story


def _cached(call: Call, beat: dict[str, Any]) -> Call:
    prompt = max(1, call.prompt_tokens)
    read = None if beat["read"] is None else int(prompt * beat["read"])
    written = None if beat["written"] is None else int((prompt - (read or 0)) * beat["written"])
    hour = None if beat["hour"] is None else int((written or 0) * beat["hour"])
    made = paid(
        replace(
            call, prompt_tokens=prompt, cache_read_tokens=read, cache_write_tokens=written, cache_write_1h_tokens=hour,
            input_uncached_tokens=prompt - (read or 0) - (written or 0), service_tier=beat["service_tier"],
            output_reported_tokens=beat["output"], output_tokens=beat["output"] if beat["counts"] else None,
        ),
        ODD,
    )  # fmt: skip
    if beat["moved"] is None or made.cost_usd is None:
        return made
    return replace(made, cost_usd=(made.cost_usd * beat["moved"]).quantize(Decimal("1e-9")))


def money_of(rows: Told, calls: Sequence[Call]) -> None:
    """Asserts that everything adds up."""
    total = Decimal()
    for line, call in zip(rows.lines, calls, strict=True):
        parts = [line[f"cost_{part}_usd"] for part in ("explained", "overhead", "residual", "output")]
        if call.cost_usd is None:
            assert parts == [None] * 4
            continue
        assert sum(parts) == call.cost_usd
        assert min(parts[0], parts[1], parts[3]) >= 0
        total += sum(parts[1:])
        estimate = line["cost_output_estimated_usd"]
        assert estimate is None or estimate >= parts[3]
    for stay in rows.stays:
        ways = [stay[f"cost_{way}_usd"] for way in ("cache_read", "cache_write", "uncached")]
        assert stay["cost_usd"] == (None if None in ways else sum(ways))
        assert None in ways or min(ways) >= 0
        assert stay["share_cached"] is None or 0 <= stay["share_cached"] <= 1
        total += stay["cost_usd"] or 0
    assert total == sum(call.cost_usd or 0 for call in calls)


@settings(max_examples=150, deadline=None)
@given(st.lists(CALLS, min_size=1, max_size=9))
def test_the_books_of_any_session_balance(script: list[dict[str, Any]]) -> None:
    story = played(script)
    money_of(told(story, ODD, at_list_price=False), story.calls)


def slow(account: Account, bills: Sequence[Bill]) -> tuple[list[list[int]], list[int]]:
    """Atoms by way and read tokens of every stay: at each call the items side by side at the end, each against each stretch."""
    paid_by, read = [[0, 0, 0] for _ in account.sojourns], [0] * len(account.sojourns)
    order = sorted(range(len(account.sojourns)), key=lambda at: account.sojourns[at].stay.item.position)
    for at, bill in enumerate(bills):
        held = [one for one in order if account.sojourns[one].stay.first <= at <= account.sojourns[one].stay.last]
        end = bill.tokens - sum(account.sojourns[one].tokens for one in held)
        for one in held:
            begin, end = end, end + account.sojourns[one].tokens
            edge = 0
            for number, (stretch, rate) in enumerate(zip(bill.stretches, bill.rates(), strict=True)):
                low = begin if number == 0 else max(begin, edge)
                edge += stretch.tokens
                tokens = max(0, min(end, edge) - low)
                paid_by[one][stretch.way] += tokens * rate
                read[one] += tokens if stretch.way is money.Way.READ else 0
    return paid_by, read


@settings(max_examples=150, deadline=None)
@given(st.lists(CALLS, min_size=1, max_size=9))
def test_every_stay_costs_what_a_slow_count_says(script: list[dict[str, Any]]) -> None:
    (account,) = accounts(played(script).session(), Learned([]))
    bills = [money.bill(call, ODD) for call in account.chain.calls]
    paid_by, read = slow(account, bills)
    order = sorted(range(len(paid_by)), key=lambda at: account.sojourns[at].stay.item.position)
    explained = sum(
        found.explained
        for bill, line in zip(bills, account.lines, strict=True)
        if (found := money.parts(bill, line.explained_tokens, line.overhead_tokens))
    )
    shares = split(explained, [weight for at in order for weight in paid_by[at]])
    costs = stay_costs(account, bills, explained)
    for rank, at in enumerate(order):
        assert costs[at].by_way in (None, tuple(shares[3 * rank : 3 * rank + 3]))
        weight = account.sojourns[at].tokens * account.sojourns[at].calls
        assert costs[at].share_cached == (read[at] / weight if weight else None)


def test_items_and_overhead_that_overlap_or_leave_a_gap_still_balance() -> None:
    """A hidden part of either sign, more explained than there is, and nothing read at all."""
    story = Story().ask().call()
    for hidden, read in ((5_000, 0), (-5_000, 100), (-OVERHEAD, 0), (0, 30_000)):
        story.use(800)
        story.call(hidden=hidden, read=read)
    rows = told(story)
    money_of(rows, story.calls)
    assert {line["cost_residual_usd"].compare(Decimal(0)) for line in rows.lines} == {Decimal(-1), Decimal(0), Decimal(1)}


def test_no_tokens_are_shared_evenly() -> None:
    assert split(5, [0, 0]) == [2, 3]


@given(st.integers(0, 10**14), st.lists(st.integers(0, 10**30), min_size=1, max_size=12))
def test_shares_of_large_numbers_are_whole_and_add_up(total: int, weights: list[int]) -> None:
    shares = split(total, weights)
    assert sum(shares) == total
    full = sum(weights)
    assert not full or all(abs(share * full - total * weight) <= full for share, weight in zip(shares, weights, strict=True))
