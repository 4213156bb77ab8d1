"""Removals that no record tells, inferred from a prompt that shrank: whole items, named by rule, few. Pure.

Each rule is what a program or a provider is known to do (README): a fixed set of items, and when it can happen at all. What was
read from the cache decides first: a call that read all of the prompt before it has lost nothing; one that read nothing of it,
though it was cached a moment ago, has other tools or another system prompt. A set is believed when it explains what is missing
within its tolerance. Nothing is picked to fit.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tasks.context.overhead import LEAST, lasts
from tasks.context.unlogged import RULES, Held, Rule
from tasks.context.window import Call, Chain, Form, Stay, steps

SHRINK_TOKENS, SHRINK_SHARE = 1_500, 0.01
STEPS_PER_REMOVAL = 100


@dataclass(frozen=True, slots=True)
class Removal:
    """Stays that end before the call `at`; cleared ones leave a few words."""

    at: int
    rule: str
    gone: tuple[Stay, ...]
    clears: bool = False
    leaves_unlogged: bool = False
    """In place of what left stands something that the log does not hold: a summary."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a chain says of its steps before anything is inferred."""

    missing: Sequence[int]
    """Tokens that each step lacks against what the items say."""
    levels: Sequence[int]
    """What the items leave unexplained at each call."""
    turns: Sequence[int]
    is_anew: Sequence[bool]
    """The program was started anew, another model took over, or the prefix changed: the overhead may have moved."""
    size: Callable[[Stay, bool], int]
    """Tokens of a stay, in full or cleared."""


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
        and not _read_it_all(before, call, told.missing[at])
        and lasts(told.levels, at)
    ]


def _read_it_all(before: Call, call: Call, missing: int) -> bool:
    """A prefix that lost so much is at least so much shorter than the prompt before."""
    return (call.cache_read_tokens or 0) * 2 > before.prompt_tokens * 2 - missing


def _removal(chain: Chain, at: int, told: Evidence, earlier: Sequence[Removal]) -> Removal | None:
    left = {stay.item.position for removal in earlier for stay in removal.gone if removal.at <= at}
    stays = [stay for stay in chain.stays if stay.item.position not in left]
    held = Held(
        [stay for stay in stays if stay.first < at <= stay.last], [stay for stay in stays if stay.first == at],
        chain.calls[at - 1], chain.calls[at], told.turns[at], told.missing[at], told.levels[at - 1],
    )  # fmt: skip
    for rule in RULES:
        chosen = tuple(rule.choose(held)) if told.is_anew[at] in rule.anew else ()
        tokens = sum(told.size(stay, False) - told.size(stay, True) * rule.clears for stay in chosen)
        if chosen and _is_believed(rule, held, tokens, is_anew=told.is_anew[at]):
            return Removal(at, rule.name, chosen, rule.clears, rule.leaves_unlogged)
    return None


def _is_believed(rule: Rule, held: Held, tokens: int, *, is_anew: bool) -> bool:
    """Where the overhead stands still, a set must explain what is missing. Where it may have moved, one is asked for only
    when the overhead alone cannot have shrunk by so much; then it must leave an overhead that can be."""
    if not is_anew:
        return abs(held.missing - tokens) <= rule.tolerance * held.missing or rule.leaves_unlogged
    level = held.level - held.missing
    return level < LEAST * held.level <= level + tokens <= held.level / LEAST


def applied(chain: Chain, removals: Sequence[Removal]) -> Chain:
    """The chain with the stays of these removals cut short."""
    ends = {(stay.item.position, stay.first): removal for removal in reversed(removals) for stay in removal.gone}
    cut = [piece for stay in chain.stays for piece in _cut(stay, ends.get((stay.item.position, stay.first)))]
    return replace(chain, stays=tuple(cut))


def _cut(stay: Stay, removal: Removal | None) -> Iterable[Stay]:
    if removal is None:
        yield stay
        return
    if stay.first < removal.at:
        yield replace(stay, last=removal.at - 1, inferred=True)
    if removal.clears:
        yield replace(stay, first=removal.at, form=Form.CLEARED, inferred=True)


def untold(chain: Chain, removals: Sequence[Removal]) -> list[bool]:
    """For each call, whether something stands in its window that the log does not hold, after an inferred removal."""
    first = min((removal.at for removal in removals if removal.leaves_unlogged), default=len(chain.calls))
    until = next((at for at in range(first, len(chain.calls)) if chain.calls[at].epoch != chain.calls[first].epoch), None)
    return [first <= at < (len(chain.calls) if until is None else until) for at in range(len(chain.calls))]


def turns(chain: Chain) -> list[int]:
    """The turn of each call."""
    found: list[int] = []
    for step in steps(chain):
        new = max((stay.item.turn for stay in step.entering if not stay.item.is_made), default=0)
        found.append(max(new, found[-1] if found else 0))
    return found
