"""The part of each prompt that no log shows: system prompt, tool schemas, rules. Constant between few change points. Pure.

A change point is at most one in forty calls. It needs a jump in a single step, and either a cause that the log names (a
compaction, another model, a new process after a pause, a prefix that was cached a moment ago and is not read) or a level that
stays for a while on both sides. No program's overhead falls to less than two fifths of what it was: what shrinks by more lost
items, whether or not a rule says which.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

CALLS_PER_CHANGE = 40
JUMP_TOKENS, JUMP_SHARE = 1_000, 0.01
"""A step that the items do not explain by so many tokens, or by such a share of the prompt, may be a jump."""
LEAST = 0.4
"""Of the overhead before, a new one is at least so much; or the one before of the new one."""
LASTING = 5
"""Calls that a shifted level must stay for, on both sides, when the log names no cause."""
START, LEVEL_SHIFT = "start", "level_shift"


@dataclass(frozen=True, slots=True)
class Segment:
    """Calls from `first` on, until the next segment, that share one overhead."""

    first: int
    overhead: int
    cause: str


@dataclass(frozen=True, slots=True)
class Levels:
    """What a chain's items leave unexplained at each call."""

    tokens: Sequence[int]
    prompts: Sequence[int]
    causes: Sequence[str | None]
    """What the log names before each call that may move the overhead."""
    untold: Sequence[bool]
    """Something stands in the window that the log does not hold: the level there is more than the overhead."""

    def of(self, a: int, b: int) -> int:
        """The overhead of the calls from `a` until `b`: the median, each call weighed by the inverse of its prompt. What scales
        are off by adds up with the prompt, so short ones know better."""
        told = [at for at in range(a, b) if not self.untold[at]] or range(a, b)
        return max(0, round(_median((self.tokens[at], 1 / max(1, self.prompts[at])) for at in told)))


def _median(weighted: Iterable[tuple[float, float]]) -> float:
    """The value at which half of the weight is reached."""
    ordered = sorted(weighted)
    half, passed = sum(weight for _, weight in ordered) / 2, 0.0
    for value, weight in ordered:
        passed += weight
        if passed >= half:
            return value
    return ordered[-1][0]


def segments(levels: Levels) -> list[Segment]:
    """Segments of a chain."""
    cuts: dict[int, str] = {0: START}
    size = len(levels.tokens)
    best: dict[tuple[int, int], tuple[float, int]] = {}
    for _ in range(size // CALLS_PER_CHANGE):
        stretches = list(pairwise([*sorted(cuts), size]))
        best |= {(a, b): _best_cut(levels, a, b) for a, b in stretches if (a, b) not in best}
        gain, at = max(best[stretch] for stretch in stretches)
        if gain <= 0:
            break
        cuts[-at] = levels.causes[-at] or LEVEL_SHIFT
    return [Segment(a, levels.of(a, b), cuts[a]) for a, b in pairwise([*sorted(cuts), size])]


def one_segment(levels: Levels) -> list[Segment]:
    """One overhead for all calls: what an account without change points would say."""
    return [Segment(0, levels.of(0, len(levels.tokens)), START)]


def _best_cut(levels: Levels, a: int, b: int) -> tuple[float, int]:
    """(tokens of residual that the best cut between two calls takes away, its place below zero: the first of equals)."""
    jumps = _jumps(levels, a, b)
    whole = _spread(levels, a, b) if jumps else 0
    return max(((whole - _spread(levels, a, at) - _spread(levels, at, b), -at) for at in jumps), default=(0, 0))


def _jumps(levels: Levels, a: int, b: int) -> list[int]:
    """Where a cut may be."""
    found = []
    tokens = levels.tokens
    for at in range(a + 1, b):
        if abs(tokens[at] - tokens[at - 1]) < max(JUMP_TOKENS, JUMP_SHARE * levels.prompts[at - 1]):
            continue
        is_told = levels.causes[at] or (at - a >= LASTING and b - at >= LASTING and lasts(tokens, at))
        if is_told and _can_be(levels.of(a, at), levels.of(at, b)):
            found.append(at)
    return found


def _can_be(before: int, after: int) -> bool:
    """Whether one overhead may follow another."""
    return min(before, after) >= LEAST * max(before, after)


def lasts(levels: Sequence[int], at: int) -> bool:
    """Whether the level before a call and the one from it on differ by at least half of the jump between them."""
    jump = levels[at] - levels[at - 1]
    shift = median(levels[at : at + LASTING]) - median(levels[max(0, at - LASTING) : at])
    return jump * shift > 0 and abs(shift) * 2 >= abs(jump)


def _spread(levels: Levels, a: int, b: int) -> float:
    middle = levels.of(a, b)
    return sum(abs(level - middle) for level in levels.tokens[a:b])
