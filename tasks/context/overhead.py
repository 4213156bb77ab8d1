"""The part of each prompt that no log shows: system prompt, tool schemas, rules. Constant between few change points. Pure.

A change point is at most one in forty calls. It needs a jump in a single step, and either a cause that the log names (a
compaction, another model, a new process after a pause) or a level that stays for a while on both sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

CALLS_PER_CHANGE = 40
JUMP_TOKENS, JUMP_SHARE = 1_000, 0.01
"""A step that the items do not explain by so many tokens, or by such a share of the prompt, may be a jump."""
LASTING = 5
"""Calls that a shifted level must stay for, on both sides, when the log names no cause."""
START, LEVEL_SHIFT = "start", "level_shift"


@dataclass(frozen=True, slots=True)
class Segment:
    """Calls from `first` on, until the next segment, that share one overhead."""

    first: int
    overhead: int
    cause: str


def segments(levels: Sequence[int], prompts: Sequence[int], causes: Sequence[str | None]) -> list[Segment]:
    """Segments of a chain. `levels`: what the items leave unexplained at each call; `causes`: what the log names before it."""
    cuts: dict[int, str] = {0: START}
    for _ in range(len(levels) // CALLS_PER_CHANGE):
        gain, at = max(((_gain(levels, cuts, at), -at) for at in _jumps(levels, prompts, causes, cuts)), default=(0, 0))
        if gain <= 0:
            break
        cuts[-at] = causes[-at] or LEVEL_SHIFT
    bounds = [*sorted(cuts), len(levels)]
    return [Segment(a, _level(levels[a:b]), cuts[a]) for a, b in pairwise(bounds)]


def one_segment(levels: Sequence[int]) -> list[Segment]:
    """One overhead for all calls: what an account without change points would say."""
    return [Segment(0, _level(levels), START)]


def _jumps(
    levels: Sequence[int], prompts: Sequence[int], causes: Sequence[str | None], cuts: dict[int, str]
) -> list[int]:  # fmt: skip
    """Where a cut may be."""
    found = []
    bounds = [*sorted(cuts), len(levels)]
    for a, b in pairwise(bounds):
        for at in range(a + 1, b):
            if abs(levels[at] - levels[at - 1]) < max(JUMP_TOKENS, JUMP_SHARE * prompts[at - 1]):
                continue
            if causes[at] or (at - a >= LASTING and b - at >= LASTING and lasts(levels, at)):
                found.append(at)
    return found


def lasts(levels: Sequence[int], at: int) -> bool:
    """Whether the level before a call and the one from it on differ by at least half of the jump between them."""
    jump = levels[at] - levels[at - 1]
    shift = median(levels[at : at + LASTING]) - median(levels[max(0, at - LASTING) : at])
    return jump * shift > 0 and abs(shift) * 2 >= abs(jump)


def _gain(levels: Sequence[int], cuts: dict[int, str], at: int) -> float:
    """How many tokens of residual a cut takes away."""
    a = max(cut for cut in cuts if cut < at)
    b = min((cut for cut in cuts if cut > at), default=len(levels))
    return _spread(levels[a:b]) - _spread(levels[a:at]) - _spread(levels[at:b])


def _level(levels: Sequence[int]) -> int:
    return max(0, round(median(levels)))


def _spread(levels: Sequence[int]) -> float:
    middle = _level(levels)
    return sum(abs(level - middle) for level in levels)
