"""Which rows tell what a session of Copilot CLI cost, so that every token is counted exactly once.

The log says it in two ways, neither of them whole. Each answer carries its output tokens, and nothing of its prompt. When the
program ends, a snapshot gives the totals of each model: prompts, cache and output of all calls, also of those that left no
message (titles, retries). It is cumulative over the session; one in which any count fell, or a model is missing, began anew.

So a call is a row with what it reports, and for each snapshot and model there is one more row, flag `sum_of_calls`: the growth
since the last snapshot minus what the rows of the calls hold. The sum over the rows of a model is then the snapshot, call by
call as far as the log knows, and no prompt is made up for a call. The row is no call: its prompt is that of a whole run.

Where the calls report more than the growth holds, they cannot all be part of it. Either a killed process left its calls
without a snapshot: then only those since the last resume are subtracted, and the earlier ones stand beside it. Or the models go
by other names: then the snapshot counts alone, and the calls keep no tokens, flag `counted_in_total`. Without a snapshot (a
killed process) the output of the answers is all there is; their prompts stay unknown.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tasks.readers.usage import Usage, cached_inside
from tasks.readers.values import fields, text, whole

_COUNTS = ("inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens")
_VARIANT = re.compile(r"-1m(?:-internal)?$")

Counts = tuple[int, int, int, int, int]
"""In the order of `_COUNTS`; the prompt includes what the cache gave and took."""
_NOTHING: Counts = (0, 0, 0, 0, 0)


def canonical_model(name: Any) -> str | None:
    """Without the suffix that says how large the window is."""
    found = text(name)
    return _VARIANT.sub("", found) if found else None


@dataclass(slots=True)
class Spent:
    """What one call reports."""

    request_id: str
    model: str | None
    counts: Counts


@dataclass(slots=True)
class Total:
    """The growth of one model since the last snapshot, without what calls hold."""

    model: str
    rest: Counts
    reported: frozenset[str]
    """The counts that the snapshot has at all."""
    flags: tuple[str, ...] = ()


@dataclass(slots=True)
class Settled:
    """What a snapshot decides."""

    totals: list[Total] = field(default_factory=list)
    emptied: list[str] = field(default_factory=list)
    """Calls that keep no tokens of their own."""
    models: dict[str, str] = field(default_factory=dict)
    """The model of calls that named none."""


class Snapshots:
    """Follows the snapshots of one session."""

    def __init__(self) -> None:
        self._before: dict[str, Counts] = {}

    def settle(self, metrics: Any, current: str | None, earlier: Iterable[Spent], recent: Iterable[Spent]) -> Settled | None:
        """None where the snapshot counts nothing. Since the last snapshot there were calls `earlier` than the last resume, and
        `recent` ones."""
        now, reported = _metrics(metrics)
        if not now:
            return None
        is_new_run = self._fell(now)
        before: dict[str, Counts] = {} if is_new_run else self._before
        growth = {model: _minus(counts, before.get(model, _NOTHING)) for model, counts in now.items()}
        self._before = now
        settled = Settled()
        old, new = _by_model(earlier, growth, current, settled), _by_model(recent, growth, current, settled)
        for model in dict.fromkeys((*growth, *old, *new)):
            rest = _share(growth.get(model, _NOTHING), old.get(model, []), new.get(model, []))
            if rest is None:
                settled.emptied += [spent.request_id for spent in new[model]]
                rest = growth.get(model, _NOTHING)
            if any(rest):
                settled.totals.append(Total(model, rest, reported, ("new_run",) if is_new_run else ()))
        return settled

    def _fell(self, now: dict[str, Counts]) -> bool:
        pairs = ((counts, now.get(model, _NOTHING)) for model, counts in self._before.items())
        return any(min(_minus(after, before)) < 0 for before, after in pairs)


def _share(growth: Counts, old: Sequence[Spent], new: Sequence[Spent]) -> Counts | None:
    """What is left of the growth without the calls that are part of it; None where they are more than it."""
    for part in ([*old, *new], new):
        rest = growth
        for spent in part:
            rest = _minus(rest, spent.counts)
        if min(rest) >= 0:
            return rest
    return None


def usage(total: Total) -> Usage:
    """What a total counts, as any call's usage is counted."""
    prompt, read, written, output, reasoning = (
        count if name in total.reported else None for name, count in zip(_COUNTS, total.rest, strict=True)
    )
    return cached_inside(prompt, read, written, output, reasoning=reasoning)


def counted(reported: Any) -> Counts:
    """What an object reports, with zero for what it does not."""
    found = [whole(fields(reported).get(name))[0] or 0 for name in _COUNTS]
    return found[0], found[1], found[2], found[3], found[4]


def _metrics(metrics: Any) -> tuple[dict[str, Counts], frozenset[str]]:
    """By canonical model, as the variants of one model are one; and which counts there are."""
    found: dict[str, Counts] = {}
    reported: set[str] = set()
    for name, metric in fields(metrics).items():
        used, model = fields(metric).get("usage"), canonical_model(name)
        if isinstance(used, dict) and model:
            found[model] = _plus(found.get(model, _NOTHING), counted(used))
            reported.update(name for name in _COUNTS if whole(used.get(name))[0] is not None)
    return found, frozenset(reported)


def _by_model(
    spent: Iterable[Spent], growth: dict[str, Counts], current: str | None, settled: Settled
) -> dict[str, list[Spent]]:
    """Calls that name no model are the session's current one's, where the snapshot knows it; else of the busiest."""
    found: dict[str, list[Spent]] = {}
    for one in spent:
        model = one.model
        if model is None:
            model = current if current in growth else max(growth, key=lambda name: growth[name][3])
            settled.models[one.request_id] = model or ""
        found.setdefault(model or "", []).append(one)
    return found


def _plus(one: Counts, other: Counts) -> Counts:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2], one[3] + other[3], one[4] + other[4]


def _minus(one: Counts, other: Counts) -> Counts:
    return one[0] - other[0], one[1] - other[1], one[2] - other[2], one[3] - other[3], one[4] - other[4]
