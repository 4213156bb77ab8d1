"""Prefixes that were sent before and were paid for again: how many tokens, and why. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from tasks.context.attribution import Account
from tasks.context.window import Call

SMALLEST = 1_024
"""Providers cache no shorter prefix, and in steps of up to so many tokens."""
SHORT, LONG = timedelta(minutes=5), timedelta(hours=1)
"""How long a cached prefix lives, by what was paid for writing it."""


class Cause(StrEnum):
    """Why a prefix was not read from the cache."""

    IDLE = "idle"
    COMPACTION = "compaction"
    MODEL_CHANGE = "model_change"
    EDIT = "edit"
    """Something earlier in the context was taken away: cleared, rewound, dropped."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Miss:
    """One call that paid for a prefix again."""

    request_id: str
    request_no: int
    tokens_repaid: int
    cause: Cause


def misses(account: Account) -> list[Miss]:
    """The misses of a chain. A prefix that was never cached (the log reports no reads, no writes) is none."""
    kept = _kept(account)
    found = []
    for at in range(1, len(account.chain.calls)):
        before, call = account.chain.calls[at - 1], account.chain.calls[at]
        if call.cache_read_tokens is None:
            continue
        cause = _cause(account.chain.calls[:at], call, kept[at] < before.prompt_tokens)
        shared = before.prompt_tokens if cause in (Cause.IDLE, Cause.MODEL_CHANGE, Cause.UNKNOWN) else kept[at]
        repaid = min(shared, call.prompt_tokens, _cached(before)) - call.cache_read_tokens
        if repaid >= SMALLEST:
            found.append(Miss(call.request_id, call.no, repaid, cause))
    return found


def _kept(account: Account) -> list[int]:
    """For each call, how much of the prompt before it still stands unchanged in front of it: all up to the first that left."""
    ends: dict[int, int] = {}
    for sojourn in account.sojourns:
        stay = sojourn.stay
        ends[stay.last + 1] = min(ends.get(stay.last + 1, stay.item.position), stay.item.position)
    kept = [0]
    for at, line in enumerate(account.lines[:-1], 1):
        gone = ends.get(at)
        front = line.prompt_tokens if gone is None else line.overhead_tokens + _before(account, at, gone)
        kept.append(min(line.prompt_tokens, front))
    return kept


def _before(account: Account, at: int, position: int) -> int:
    """Tokens of what stood before a position at the call before `at`."""
    held = (s for s in account.sojourns if s.stay.first < at <= s.stay.last + 1 and s.stay.item.position < position)
    return sum(sojourn.tokens for sojourn in held)


def _cached(call: Call) -> int:
    """Tokens of a prompt that the cache holds afterwards; where the provider caches by itself, all of it."""
    if call.cache_write_tokens is None:
        return call.prompt_tokens
    return (call.cache_read_tokens or 0) + call.cache_write_tokens


def _cause(earlier: Sequence[Call], call: Call, is_edited: bool) -> Cause:
    before = earlier[-1]
    if call.epoch != before.epoch:
        return Cause.COMPACTION
    if call.model != before.model:
        return Cause.MODEL_CHANGE
    lifetime = LONG if any(one.cache_write_1h_tokens for one in earlier) else SHORT
    if call.at and before.at and call.at - before.at > lifetime:
        return Cause.IDLE
    return Cause.EDIT if is_edited else Cause.UNKNOWN
