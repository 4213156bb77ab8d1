"""Where a session is replayed: the calls at which a policy is tried, and how far the future of each reaches. Pure.

A segment is a run of calls that see one conversation: it ends at a compaction, at a clear, and where a person goes back to say
something else. What happened behind its end says nothing of what the context before it was needed for.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, pairwise

from tasks.compaction.window import Moments
from tasks.context.window import Stay
from tasks.domain.kinds import ItemKind

FIRST, STEP = 20_000, 5_000
"""Counted tokens of the contexts that every session is tried at."""
CALLS_AHEAD = 10
"""Fewer calls have too little future to judge by."""


class Trigger(StrEnum):
    """Why a policy is tried at a call."""

    GRID = "grid"
    """The first call whose items have so many counted tokens: 20,000, 25,000, ..."""
    OWN = "own"
    """The first call whose prompt passes the policy's own trigger."""
    ASKED = "asked"
    """The first call whose prompt is as large as somebody asked."""
    LOGGED = "logged"
    """The agent compacted here."""


@dataclass(frozen=True, slots=True)
class Point:
    """A call at which a policy is tried: it is the first of the future."""

    at: int
    """Index into the chain."""
    no: int
    end: int
    """Index of the first call that is no longer its future."""
    trigger: Trigger
    at_tokens: int
    """What the trigger asked for: counted tokens of the items on the grid, else tokens of the prompt."""
    prompt_tokens: int
    """As the provider counted them; counted here where it did not."""

    @property
    def horizon(self) -> int:
        """Calls of the future."""
        return self.end - self.at


def segments(moments: Moments) -> list[range]:
    """The calls of each segment, as indexes; without the call behind the end of the session."""
    calls = moments.chain.calls[:-1]
    breaks = {at for at, (one, other) in enumerate(pairwise(calls), 1) if one.epoch != other.epoch}
    breaks |= {stay.last + 1 for stay in moments.chain.stays if _is_a_return(stay)}
    starts = [0, *sorted(at for at in breaks if 0 < at < len(calls)), len(calls)]
    return [range(one, other) for one, other in pairwise(starts) if one < other]


def _is_a_return(stay: Stay) -> bool:
    """A person's words leave the window by a compaction, or because the person went back before them."""
    return stay.item.kind == ItemKind.USER_TEXT and not stay.item.on_path


def grid(moments: Moments) -> list[Point]:
    """The points that every policy is tried at, once each however many sizes one call passes."""
    sizes, found = counted(moments), list[Point]()
    for segment in segments(moments):
        wanted = FIRST
        for at in segment:
            if sizes[at] < wanted or segment.stop - at < CALLS_AHEAD:
                continue
            passed = sizes[at] // STEP * STEP
            found.append(_point(moments, at, segment.stop, Trigger.GRID, passed))
            wanted = passed + STEP
    return found


def passing(moments: Moments, prompt_tokens: int, trigger: Trigger) -> Point | None:
    """The first call whose prompt has so many tokens; None where there is none with enough future."""
    moment = moments.first_with(prompt_tokens)
    segment = next((one for one in segments(moments) if moment and moment.at in one), None)
    if moment is None or segment is None or segment.stop - moment.at < CALLS_AHEAD:
        return None
    return _point(moments, moment.at, segment.stop, trigger, prompt_tokens)


def logged(moments: Moments) -> Iterator[tuple[Point, list[Stay], list[Stay]]]:
    """(point, what stood there before, what was left of it) of each compaction that the agent made itself."""
    for before, after in pairwise(segments(moments)):
        last, first = before.stop - 1, after.start
        if moments.chain.calls[last].epoch == moments.chain.calls[first].epoch:
            continue
        stood, now = _standing(moments, last), _standing(moments, first)
        known = {stay.item.item_id for stay in stood}
        kept = [stay for stay in now if stay.item.item_id in known or _is_new_summary(stay)]
        yield _point(moments, first, after.stop, Trigger.LOGGED, moments.every[last].tokens), stood, kept


def _is_new_summary(stay: Stay) -> bool:
    return stay.item.kind == ItemKind.COMPACTION_SUMMARY


def _standing(moments: Moments, at: int) -> list[Stay]:
    return [stay for stay in moments.held(moments.every[at]) if stay.item.kind != ItemKind.REASONING]


def counted(moments: Moments) -> list[int]:
    """Counted tokens of what each call's prompt held, without thinking."""
    grown = [0] * (len(moments.chain.calls) + 1)
    for stay in moments.chain.stays:
        if stay.item.kind != ItemKind.REASONING:
            grown[stay.first] += stay.item.tokens
            grown[stay.last + 1] -= stay.item.tokens
    return list(accumulate(grown[:-1]))


def future(moments: Moments, point: Point) -> list[str]:
    """Ids of what was said and done from a point to the end of its segment, in order; thinking as well."""
    chain = moments.chain
    first, last = chain.calls[point.at].no, chain.calls[point.end - 1].no
    coming = {item.position: item.item_id for item in chain.answers if first <= item.no <= last}
    known = {stay.item.item_id for stay in chain.stays if stay.first <= point.at <= stay.last}
    coming |= {
        stay.item.position: stay.item.item_id
        for stay in chain.stays
        if point.at < stay.first < point.end and stay.item.item_id not in known
    }
    return [coming[position] for position in sorted(coming)]


def _point(moments: Moments, at: int, end: int, trigger: Trigger, at_tokens: int) -> Point:
    return Point(at, moments.every[at].no, end, trigger, at_tokens, moments.every[at].tokens)
