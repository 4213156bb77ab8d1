"""Prefixes that were sent before and were paid for again: how many tokens, and why. Pure.

A cause is named where the log shows what it asks for, in the order of `CAUSES`; else it is unknown. README lists the evidence.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from itertools import accumulate

from tasks.context.attribution import Account, Line
from tasks.context.trees import Additions
from tasks.context.window import Call, Step, steps
from tasks.domain.kinds import ItemKind

SMALLEST = 1_024
"""Providers cache no shorter prefix, and in steps of up to so many tokens."""
SHORT, LONG = timedelta(minutes=5), timedelta(hours=1)
"""How long a cached prefix lives, by what was paid for writing it."""
LOOKBACK = 20
"""Blocks before a breakpoint that Anthropic compares with what it has cached."""
UNCHANGED_TOKENS, UNCHANGED_SHARE = 500, 0.01
"""A step that was foretold so closely only added to the prompt."""


class Cause(StrEnum):
    """Why a prefix was not read from the cache."""

    COMPACTION = "compaction"
    MODEL_CHANGE = "model_change"
    IDLE = "idle"
    REMOVAL = "removal"
    """Something earlier in the context was taken away without a record: inferred."""
    EDIT = "edit"
    """Something earlier in the context was taken away: cleared, rewound, dropped."""
    OVERHEAD_CHANGE = "overhead_change"
    """Tools, rules or the system prompt changed: the overhead moves with this call."""
    THINKING_CHANGE = "thinking_change"
    """Thinking was turned on or off, which Anthropic keeps apart in its cache."""
    PREFIX_CHANGE = "prefix_change"
    """Not even the tools and the system prompt were read, which stand first."""
    LOOKBACK = "lookback"
    """More blocks came in at once than the provider looks back over."""
    LAG = "lag"
    """As much was read as by the call before: what that one sent was not cached yet."""
    PROVIDER = "provider"
    """The prompt only grew, and a cache that promises nothing did not hold it."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Miss:
    """One call that paid for a prefix again."""

    request_id: str
    request_no: int
    tokens_repaid: int
    """What stood unchanged in front of the prompt and had been sent to the cache by the call before, and was not read."""
    cause: Cause


@dataclass(frozen=True, slots=True)
class _Turnover:
    """A call and the one before it, with what is known of both."""

    before: Call
    call: Call
    line: Line
    step: Step
    kept: int
    lives_an_hour: int
    """Tokens of the longest prefix that was ever written for an hour."""
    is_inferred: bool
    thinks: bool
    thought: bool

    @property
    def caches_by_itself(self) -> bool:
        """The provider decides what it caches, and counts no writes."""
        return self.call.cache_write_tokens is None

    @property
    def only_grew(self) -> bool:
        allowed = max(UNCHANGED_TOKENS, UNCHANGED_SHARE * self.call.prompt_tokens)
        return self.line.step_residual_tokens is not None and abs(self.line.step_residual_tokens) <= allowed


def misses(account: Account) -> list[Miss]:
    """The misses of a chain. A prefix that was never cached (the log reports no reads, no writes) is none."""
    found = []
    for turnover in _turnovers(account):
        call = turnover.call
        repaid = min(turnover.kept, call.prompt_tokens, _cached(turnover.before)) - (call.cache_read_tokens or 0)
        if repaid >= SMALLEST:
            found.append(Miss(call.request_id, call.no, repaid, _cause(turnover)))
    return found


def _turnovers(account: Account) -> list[_Turnover]:
    calls, changes, kept = account.chain.calls, steps(account.chain), _kept(account)
    thinking = {item.no for item in account.chain.answers if item.kind == ItemKind.REASONING}
    inferred = {removal.at for removal in account.removals}
    hour = list(accumulate((_cached(call) if call.cache_write_1h_tokens else 0 for call in calls), max))
    return [
        _Turnover(
            calls[at - 1], call, account.lines[at], changes[at], kept[at], hour[at - 1], at in inferred, call.no in thinking,
            calls[at - 1].no in thinking,
        )
        for at, call in enumerate(calls)
        if at and call.cache_read_tokens is not None
    ]  # fmt: skip


def _kept(account: Account) -> list[int]:
    """For each call, how much of the prompt before it still stands unchanged in front of it: all up to the first that left."""
    stays = sorted(account.sojourns, key=lambda one: one.stay.item.position)
    in_front = Additions(len(stays) + 1)  # by rank of a stay: tokens held before it
    entering, leaving = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for rank, one in enumerate(stays):
        entering[one.stay.first].append(rank)
        leaving[one.stay.last + 1].append(rank)
    kept = [0]
    for at, line in enumerate(account.lines[:-1]):
        for sign, ranks in ((-1, leaving[at]), (1, entering[at])):
            for rank in ranks:
                in_front.add(rank + 1, len(stays) + 1, sign * stays[rank].tokens)
        gone = leaving[at + 1]
        front = line.overhead_tokens + in_front.at(gone[0]) if gone else line.prompt_tokens
        kept.append(min(line.prompt_tokens, front))
    return kept


def _cached(call: Call) -> int:
    """Tokens of a prompt that the cache holds afterwards; where the provider caches by itself, all of it."""
    if call.cache_write_tokens is None:
        return call.prompt_tokens
    return (call.cache_read_tokens or 0) + call.cache_write_tokens


def _is_idle(one: _Turnover) -> bool:
    """The pause outlived the cache. What was written for an hour is still there after five minutes."""
    pause = one.call.at - one.before.at if one.call.at and one.before.at else timedelta()
    return pause > LONG or (pause > SHORT and (one.call.cache_read_tokens or 0) + SMALLEST >= one.lives_an_hour)


def _is_thinking_change(one: _Turnover) -> bool:
    """Answers before and after differ in whether they think, and the tools were read."""
    return not one.caches_by_itself and bool(one.call.cache_read_tokens) and one.thinks != one.thought


def _is_lag(one: _Turnover) -> bool:
    return one.caches_by_itself and 0 < (one.before.cache_read_tokens or 0) <= (one.call.cache_read_tokens or 0)


CAUSES: tuple[tuple[Cause, Callable[[_Turnover], bool]], ...] = (
    (Cause.COMPACTION, lambda one: one.call.epoch != one.before.epoch),
    (Cause.MODEL_CHANGE, lambda one: one.call.model != one.before.model),
    (Cause.IDLE, _is_idle),
    (Cause.REMOVAL, lambda one: one.is_inferred),
    (Cause.EDIT, lambda one: one.kept < one.before.prompt_tokens),
    (Cause.OVERHEAD_CHANGE, lambda one: one.line.overhead_cause is not None),
    (Cause.THINKING_CHANGE, _is_thinking_change),
    (Cause.PREFIX_CHANGE, lambda one: not one.caches_by_itself and one.call.cache_read_tokens == 0),
    (Cause.LOOKBACK, lambda one: not one.caches_by_itself and len(one.step.entering) > LOOKBACK),
    (Cause.LAG, _is_lag),
    (Cause.PROVIDER, lambda one: one.caches_by_itself and one.only_grew),
)  # fmt: skip
"""What is asked in turn."""


def _cause(one: _Turnover) -> Cause:
    return next((cause for cause, asks in CAUSES if asks(one)), Cause.UNKNOWN)
