"""How long the money of one very long session takes. Run by hand, asserts nothing.

    python tests/bench/money.py [--calls 5000] [--items 20000]

Makes a session of so many calls and items in one window, and splits its money over the stays: once with a cache that holds all
but the last step, once with one that gives nothing, once with one that gives half. Prints seconds, best of three.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import replace

from paid import PRICES, paid
from windows import Story

from tasks.context import money
from tasks.context.attribution import Account, accounts
from tasks.context.calibration import Learned
from tasks.context.stay_costs import stay_costs
from tasks.context.window import Call
from tasks.domain.kinds import ItemKind

CACHES: dict[str, Callable[[Call], int]] = {
    "all but the last step is read": lambda call: call.cache_read_tokens or 0,
    "nothing is read": lambda _: 0,
    "half is read": lambda call: call.prompt_tokens // 2,
}


def session(calls: int, items: int) -> Account:
    """The account of one conversation without a compaction."""
    story, prompt = Story().ask().call(), 20_000
    for at in range(1, calls):
        while len(story.items) < at * items // calls:
            story.add(ItemKind.TOOL_RESULT, 30)
        prompt += sum(51 for _ in story.held)
        story.held.clear()
        made = Call(f"r{at + 1}", at + 1, prompt, 0, None, story.model)
        story.calls.append(replace(made, cache_read_tokens=story.calls[-1].prompt_tokens))
    (found,) = accounts(story.session(), Learned([]))
    return found


def seconds(account: Account) -> float:
    """To make all bills and share them."""
    started = time.perf_counter()
    bills = [money.bill(call, PRICES) for call in account.chain.calls]
    told = zip(bills, account.lines, strict=True)
    parts = [money.parts(bill, line.explained_tokens, line.overhead_tokens) for bill, line in told]
    stay_costs(account, bills, sum(part.explained for part in parts if part))
    return time.perf_counter() - started


def main() -> None:
    """Prints a line for each cache."""
    parser = argparse.ArgumentParser(description="How long the money of one very long session takes.")
    parser.add_argument("--calls", type=int, default=5_000)
    parser.add_argument("--items", type=int, default=20_000)
    asked = parser.parse_args()
    account = session(asked.calls, asked.items)
    stays = sum(one.calls for one in account.sojourns)
    print(f"{len(account.lines):,} calls, {len(account.sojourns):,} stays over {stays:,} calls")
    for name, read in CACHES.items():
        calls = tuple(_cached(call, read(call)) for call in account.chain.calls)
        one = replace(account, chain=replace(account.chain, calls=calls))
        print(f"{name:<32}{min(seconds(one) for _ in range(3)):8.2f} s")


def _cached(call: Call, read: int) -> Call:
    return paid(replace(call, cache_read_tokens=read, cache_write_tokens=call.prompt_tokens - read, input_uncached_tokens=0))


if __name__ == "__main__":
    main()
