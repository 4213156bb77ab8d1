"""What the state of an OpenHands conversation adds to its events: what was paid, the zone of its times, the active branch."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from tasks.readers.usage import Usage, cached_beside, cached_inside
from tasks.readers.values import fields, moment, objects, text, whole

QUARTER = timedelta(minutes=15)
ROOT = "__root__"
NO_NODES = ("ConversationStateUpdateEvent", "ConversationErrorEvent")
MAIN = ("agent", "default")


@dataclass(frozen=True, slots=True)
class Paid:
    """One call as the state reports it."""

    response_id: str | None
    usage: Usage
    model: str | None
    context_limit: int | None
    at: float | None
    """Seconds since 1970, where the list of prices has one for each call."""
    purpose: str
    """`agent`, `condenser` ..."""


def paid(state: dict[str, Any]) -> list[Paid]:
    """All calls that the state lists, in its order. Totals stand beside them and are no calls."""
    is_beside = fields(state.get("agent")).get("kind") == "ACPAgent"
    found = []
    for purpose, metrics in fields(fields(state.get("stats")).get("usage_to_metrics")).items():
        used, costs = objects(fields(metrics).get("token_usages")), objects(fields(metrics).get("costs"))
        times = [cost.get("timestamp") for cost in costs] if len(costs) == len(used) else [None] * len(used)
        for one, at in zip(used, times, strict=True):
            seconds = at if isinstance(at, int | float) and moment(at)[0] else None
            model = text(one.get("model")) or text(fields(metrics).get("model_name"))
            limit = whole(one.get("context_window"))[0] or None
            found.append(Paid(text(one.get("response_id")), _usage(one, is_beside), model, limit, seconds, purpose))
    return found


def _usage(one: dict[str, Any], is_beside: bool) -> Usage:
    """An agent behind a protocol reports the cache beside its prompt, any other inside of it."""
    names = ("prompt_tokens", "cache_read_tokens", "cache_write_tokens", "completion_tokens")
    prompt, read, written, output = (one.get(name) for name in names)
    counted = cached_beside if is_beside else cached_inside
    return counted(prompt, read, written, output, reasoning=one.get("reasoning_tokens"))


def zone(events: Sequence[dict[str, Any]], calls: Sequence[Paid]) -> timedelta | None:
    """How far the events' clock is ahead of UTC: they have no zone, the prices of the same calls have. None where the two
    do not tell it."""
    at = {call.response_id: call.at for call in calls if call.response_id and call.at is not None}
    first: dict[str, datetime] = {}
    for event in events:
        name = event.get("llm_response_id")
        when, flag = moment(event.get("timestamp"))
        if isinstance(name, str) and when is not None and flag == "naive_time":
            first.setdefault(name, when)
    steps: Counter[int] = Counter()
    for name, when in first.items():
        paid_at = moment(at.get(name))[0]
        if paid_at is not None:
            steps[round((when - paid_at) / QUARTER)] += 1
    if not steps:
        return None
    step, count = steps.most_common(1)[0]
    is_sure = count * 2 > steps.total() and abs(step) <= 14 * 4
    return step * QUARTER if is_sure else None


def abandoned(events: Sequence[dict[str, Any]], state: dict[str, Any]) -> set[str]:
    """Ids of the events beside the active branch. An event without a parent follows the one before it; where the leaf or an
    ancestor is not there, nothing is known to be abandoned."""
    order = [text(event.get("id")) or f"#{no}" for no, event in enumerate(events)]
    place = {name: no for no, name in reversed(list(enumerate(order)))}
    leaf = text(state.get("leaf_event_id"))
    if leaf is None:
        nodes = [name for name, event in zip(order, events, strict=True) if event.get("kind") not in NO_NODES]
        leaf = None if state.get("head_is_empty") is True else next(reversed(nodes), None)
        if leaf is None:
            return set(order) if state.get("head_is_empty") is True else set()
    branch: set[str] = set()
    at: str | None = leaf
    while at is not None:
        if at not in place or at in branch:
            return set()
        branch.add(at)
        at = _parent(events[place[at]], order[place[at] - 1] if place[at] else None)
    return {name for name, event in zip(order, events, strict=True) if name not in branch and event.get("kind") not in NO_NODES}


def parents(events: Sequence[dict[str, Any]]) -> list[int | None]:
    """By its number, the event that each one hangs from."""
    order = [text(event.get("id")) or f"#{no}" for no, event in enumerate(events)]
    place = {name: no for no, name in reversed(list(enumerate(order)))}
    above = [_parent(event, order[no - 1] if no else None) for no, event in enumerate(events)]
    return [place.get(name) if name is not None else None for name in above]


def _parent(event: dict[str, Any], before: str | None) -> str | None:
    named = text(event.get("parent_id"))
    return None if named == ROOT else named or before
