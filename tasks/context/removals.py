"""Removals that no record tells, inferred from a prompt that shrank: whole items, named by rule, few. Pure.

A step that shrinks for good by more than a threshold against what the items say is looked at. The rules are fixed sets of
items, tried in order; a set is believed to have left when it explains what is missing but for a quarter. Nothing is picked to
fit. Where the program was started anew or another model took over, only thinking is: there the overhead moves.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from tasks.context.overhead import lasts
from tasks.context.window import Chain, Form, Stay
from tasks.domain.kinds import ItemKind

SHRINK_TOKENS, SHRINK_SHARE = 1_500, 0.01
STEPS_PER_REMOVAL = 100
NEAR = 0.25
"""By which share of what is missing a set may be too small or too large."""
KEPT_RESULTS = 3
KEPT_CHARS = 160_000
"""Of results, Claude Code keeps the latest up to 40,000 tokens of four characters when it clears old ones without a record."""


@dataclass(frozen=True, slots=True)
class Removal:
    """Stays that end before the call `at`."""

    at: int
    rule: str
    gone: tuple[Stay, ...]


Held = Sequence[Stay]
"""Stays of a chain at one call, by position."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a chain says of its steps before anything is inferred."""

    missing: Sequence[int]
    """Tokens that each step lacks against what the items say."""
    levels: Sequence[int]
    """What the items leave unexplained at each call."""
    turns: Sequence[int]
    is_anew: Sequence[bool]
    """The program was started anew, or another model took over."""
    size: Callable[[Stay], int]


def infer(chain: Chain, told: Evidence) -> list[Removal]:
    """At most one in a hundred steps (one in a shorter chain), the largest first."""
    most = max(1, len(chain.calls) // STEPS_PER_REMOVAL)
    found: list[Removal] = []
    for at in sorted(_shrunk(chain, told), key=lambda at: (-told.missing[at], at)):
        removal = _removal(chain, at, told, found) if len(found) < most else None
        if removal:
            found.append(removal)
    return sorted(found, key=lambda removal: removal.at)


def _shrunk(chain: Chain, told: Evidence) -> list[int]:
    """Calls whose prompt is too small, for good: one that was too large just before is no removal."""
    return [
        at
        for at, (before, call) in enumerate(pairwise(chain.calls), 1)
        if told.missing[at] >= max(SHRINK_TOKENS, SHRINK_SHARE * before.prompt_tokens)
        and call.epoch == before.epoch
        and lasts(told.levels, at)
    ]


def _removal(chain: Chain, at: int, told: Evidence, earlier: Sequence[Removal]) -> Removal | None:
    gone = {stay.item.position for removal in earlier for stay in removal.gone if removal.at <= at}
    held = [stay for stay in chain.stays if stay.first < at <= stay.last and stay.item.position not in gone]
    for rule, choose in _RULES[:1] if told.is_anew[at] else _RULES:
        chosen = tuple(choose(held, told.turns[at]))
        tokens = sum(told.size(stay) for stay in chosen)
        if chosen and abs(told.missing[at] - tokens) <= NEAR * told.missing[at]:
            return Removal(at, rule, chosen)
    return None


def _old_thinking(held: Held, turn: int) -> Held:
    """Thinking of all earlier turns."""
    return [stay for stay in held if stay.item.kind == ItemKind.REASONING and stay.item.turn < turn]


def _old_results(held: Held, turn: int) -> Held:
    """All results but the latest few."""
    return _results(held)[:-KEPT_RESULTS]


def _results_over_budget(held: Held, turn: int) -> Held:
    """All results but the latest that fit into what a program keeps."""
    results = _results(held)
    chars = list(accumulate(stay.item.chars for stay in reversed(results)))
    return results[: len(results) - max(KEPT_RESULTS, bisect_right(chars, KEPT_CHARS))]


def _results(held: Held) -> Held:
    return [stay for stay in held if stay.item.kind == ItemKind.TOOL_RESULT and stay.form is not Form.CLEARED]


def _everything(held: Held, turn: int) -> Held:
    """A conversation begun anew in the same log: all but the system's words."""
    return [stay for stay in held if stay.item.kind != ItemKind.SYSTEM]


Rule = tuple[str, Callable[[Held, int], Held]]
_RULES: tuple[Rule, ...] = (
    ("old_thinking", _old_thinking),
    ("results_over_budget", _results_over_budget),
    ("old_results", _old_results),
    ("begun_anew", _everything),
)


def applied(chain: Chain, removals: Sequence[Removal]) -> Chain:
    """The chain with the stays of these removals cut short."""
    ends = {(stay.item.position, stay.first): removal.at for removal in reversed(removals) for stay in removal.gone}
    cut = [
        replace(stay, last=ends[stay.item.position, stay.first] - 1, inferred=True)
        if (stay.item.position, stay.first) in ends
        else stay
        for stay in chain.stays
    ]
    return replace(chain, stays=tuple(cut))
