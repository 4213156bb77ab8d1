"""What programs and providers take out of a prompt without a record: the rules of `removals.py`. Pure.

Each is published behavior, not what fits a corpus: README says where each number is from.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from tasks.context.window import Call, Form, Stay
from tasks.domain.kinds import ItemKind

CLEARS_FROM_TOKENS = 130_000
"""Claude Code clears old results once its own count passes its warning line: 135,000 to 147,000 of a window of 200,000."""
KEPT_TOKENS, CHARS_PER_TOKEN = 40_000, 4
"""Of results it keeps the latest up to so many tokens, as it estimates them."""
SAVED_TOKENS = 20_000
"""And it does not begin for less."""
KEPT_RESULTS = 3
CLEARABLE = frozenset({
    "Read", "Bash", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "Edit", "MultiEdit", "Write", "NotebookEdit",
})  # fmt: skip
COMPACTS_FROM_TOKENS = 150_000
"""It compacts at 155,000 to 167,000 of a window of 200,000."""
PROVIDER_CLEARS_FROM_TOKENS = 100_000
"""Anthropic's context editing clears tool results from here on, if nothing else is asked for."""
FORGETS_AFTER = timedelta(hours=1)
"""Once the longest cache has expired, Claude Code no longer asks for thinking of earlier turns."""


@dataclass(frozen=True, slots=True)
class Held:
    """One step: what the window held before it, what came in, and what is missing."""

    stays: Sequence[Stay]
    entering: Sequence[Stay]
    before: Call
    call: Call
    turn: int
    missing: int
    level: int
    """What the items left unexplained at the call before: about the overhead."""

    @property
    def results(self) -> list[Stay]:
        return [one for one in self.stays if one.item.kind == ItemKind.TOOL_RESULT and one.form is not Form.CLEARED]

    @property
    def pause(self) -> timedelta:
        return self.call.at - self.before.at if self.call.at and self.before.at else timedelta()

    @property
    def reads_no_more_than_the_overhead(self) -> bool:
        """Nothing of the conversation came from the cache, and a cache is told of."""
        return self.call.cache_read_tokens is not None and self.call.cache_read_tokens <= self.level


@dataclass(frozen=True, slots=True)
class Rule:
    """A set of items, and how far from what is missing it may be."""

    name: str
    choose: Callable[[Held], Iterable[Stay]]
    """Nothing where the rule cannot apply."""
    tolerance: float = 0.0
    clears: bool = False
    leaves_unlogged: bool = False
    anew: Collection[bool] = (False,)
    """Whether it may explain steps where the overhead may have moved, and others."""


def _old_thinking(held: Held) -> Iterable[Stay]:
    """Thinking of all earlier turns."""
    old = held.pause >= FORGETS_AFTER or held.before.model != held.call.model
    return [one for one in held.stays if old and one.item.kind == ItemKind.REASONING and one.item.turn < held.turn]


def _microcompacted(held: Held) -> Iterable[Stay]:
    """The oldest results, until the rest fits into what the program keeps."""
    clearable = [one for one in held.results if one.item.tool_name in CLEARABLE]
    left, gone = sum(_estimate(one) for one in clearable), list[Stay]()
    for one in clearable[:-KEPT_RESULTS]:
        if left > KEPT_TOKENS:
            gone.append(one)
            left -= _estimate(one)
    is_worth_it = sum(map(_estimate, gone)) >= SAVED_TOKENS
    return gone if is_worth_it and held.before.prompt_tokens >= CLEARS_FROM_TOKENS else ()


def _estimate(stay: Stay) -> float:
    return stay.item.chars / CHARS_PER_TOKEN


def _compacted(held: Held) -> Iterable[Stay]:
    """Everything but the system's words: the summary in its place is not in the log, as in logs of sub-agents' progress."""
    foretold = held.call.prompt_tokens + held.missing
    shrank = held.call.prompt_tokens * 2 <= foretold and held.call.prompt_tokens >= held.level
    if foretold < COMPACTS_FROM_TOKENS or not shrank or not held.reads_no_more_than_the_overhead:
        return ()
    return [one for one in (*held.stays, *held.entering) if one.item.kind != ItemKind.SYSTEM]


def _begun_anew(held: Held) -> Iterable[Stay]:
    """Everything but the system's words and what came with the last prompt: a conversation begun anew in the same log."""
    prompts = [one.item.position for one in held.entering if one.item.kind == ItemKind.USER_TEXT]
    if not prompts or not held.reads_no_more_than_the_overhead:
        return ()
    earlier = [one for one in held.entering if one.item.position < prompts[-1]]
    return [one for one in (*held.stays, *earlier) if one.item.kind != ItemKind.SYSTEM]


def _beside(held: Held) -> Iterable[Stay]:
    """What a program that reads its log again does not find on the line of parents: of calls made together all results but
    the last one, and the calls that they answer."""
    batches: dict[int, list[Stay]] = defaultdict(list)
    for one in held.stays:
        if one.item.kind == ItemKind.TOOL_CALL and one.item.call_id:
            batches[one.item.no].append(one)
    results = {one.item.call_id: one for one in held.results}
    for calls in batches.values():
        answered = [(results[one.item.call_id], one) for one in calls if one.item.call_id in results]
        for result, call in sorted(answered, key=lambda pair: pair[0].item.position)[:-1]:
            yield call
            yield result


def _old_results(held: Held) -> Iterable[Stay]:
    """All results but the latest three."""
    return held.results[:-KEPT_RESULTS] if held.before.prompt_tokens >= PROVIDER_CLEARS_FROM_TOKENS else ()


def _results(held: Held) -> Iterable[Stay]:
    return held.results[:-KEPT_RESULTS]


RULES: tuple[Rule, ...] = (
    Rule("old_thinking", _old_thinking, 0.25, anew=(False, True)),
    Rule("results_over_budget", _microcompacted, 0.1, clears=True),
    Rule("begun_anew", _begun_anew, 0.25),
    Rule("compacted", _compacted, leaves_unlogged=True),
    Rule("old_results", _old_results, 0.1, clears=True),
    Rule("parallel_results", _beside, anew=(True,)),
    Rule("old_results", _results, clears=True, anew=(True,)),
)
"""In the order in which they are tried."""
