"""What the list of shown messages (`ui_messages.json`) of Cline and Roo Code tells: paid calls and compactions."""

import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from operator import itemgetter
from typing import Any

from tasks.domain.records import Record
from tasks.readers.usage import Usage
from tasks.readers.values import fields, text, whole

STARTED = "api_req_started"
DELETED = ("deleted_api_reqs", "api_req_deleted")
"""Sums of calls whose messages a person took back."""


@dataclass(slots=True)
class Started:
    """One call that brought counts; one that did not was cut off before it was paid, or is still under way."""

    no: int
    """Of its record among the shown messages."""
    at: int | None
    """Milliseconds since 1970: unique in a task, and its name."""
    index: int | None
    """Of the last message that was sent before it was shown."""
    usage: Usage
    model: str | None
    stop: str | None
    answer: int | None = None
    """The message that answered it."""


@dataclass(slots=True)
class Shown:
    """A compaction that is shown to the person."""

    no: int
    key: str | None
    trigger: str
    before: int | None
    after: int | None
    removed: tuple[int, int] | None = None
    """First and last message that is no longer sent."""
    started: int = -1
    """Place in the list of calls of the last one that began before it."""


Split = Callable[[dict[str, Any], int, str | None], Usage]
"""The counts of a call, its time, its provider -> disjoint buckets."""


def started(shown: Sequence[Record], split: Split, models: Sequence[tuple[int, str, str | None]]) -> list[Started]:
    """The paid calls. `models`: (time, model, provider), ascending, for logs whose messages do not name theirs."""
    found = []
    for no, record in enumerate(shown):
        data = record.data
        if data.get("say") != STARTED or data.get("partial") is True:
            continue
        counts = _counts(data.get("text"))
        if counts.get("tokensIn") is None and counts.get("tokensOut") is None:
            continue
        at = moment_of(data)
        named = fields(data.get("modelInfo"))
        past = len(models) if at is None else bisect_right(models, at, key=itemgetter(0))
        _, model, provider = models[max(past, 1) - 1] if models else (0, None, None)
        model, provider = text(named.get("modelId")) or model, text(named.get("providerId")) or provider
        counts.setdefault("apiProtocol", data.get("apiProtocol"))
        index = whole(data.get("conversationHistoryIndex"))[0]
        stop = text(counts.get("cancelReason"))
        found.append(Started(no, at, index, split(counts, at or 0, provider), model, stop))
    return found


def compactions(shown: Sequence[Record], calls: Sequence[Started]) -> list[Shown]:
    """The compactions, in order. A range of left-out messages stands on each message from the first that lacks them."""
    found: list[Shown] = []
    past: tuple[int, int] | None = None
    begun = -1
    for no, record in enumerate(shown):
        data = record.data
        if begun + 1 < len(calls) and calls[begun + 1].no <= no:
            begun += 1
        span = _range(data.get("conversationHistoryDeletedRange"))
        if span is not None and span != past:
            found.append(Shown(no, None, "truncation", None, None, span, begun))
        past = span if span is not None else past
        if data.get("partial") is not True and data.get("say") in ("condense_context", "sliding_window_truncation"):
            found += _told(no, data, begun)
    return found


def _told(no: int, data: dict[str, Any], begun: int) -> list[Shown]:
    is_condensed = data["say"] == "condense_context"
    about = fields(data.get("contextCondense" if is_condensed else "contextTruncation"))
    if not about:
        return []
    key = text(about.get("condenseId" if is_condensed else "truncationId"))
    before, after = whole(about.get("prevContextTokens"))[0], whole(about.get("newContextTokens"))[0]
    return [Shown(no, key, "condense" if is_condensed else "truncation", before, after, None, begun)]


def link(calls: Sequence[Started], messages: Sequence[dict[str, Any]]) -> None:
    """Gives each call the message that answered it: the next answer behind it in time, or in the order of messages."""
    answers = [no for no, one in enumerate(messages) if one.get("role") == "assistant" and one.get("isSummary") is not True]
    at = 0
    for call, later in zip_longest(calls, calls[1:]):
        while at < len(answers) and _is_before(messages[answers[at]], answers[at], call):
            at += 1
        if at < len(answers) and not (later and _is_past(messages[answers[at]], answers[at], later)):
            call.answer = answers[at]
            at += 1


def _is_before(message: dict[str, Any], no: int, call: Started) -> bool:
    at = moment_of(message)
    if at is not None and call.at is not None:
        return at < call.at
    return call.index is not None and no <= call.index


def _is_past(message: dict[str, Any], no: int, later: Started) -> bool:
    """Whether a message came only after the next call had begun."""
    at = moment_of(message)
    if at is not None and later.at is not None:
        return at > later.at
    return later.index is not None and no > later.index


def moment_of(data: dict[str, Any]) -> int | None:
    """`ts`, milliseconds since 1970."""
    at = data.get("ts")
    return at if type(at) is int and at > 0 else None


def _counts(value: Any) -> dict[str, Any]:
    try:
        return dict(fields(json.loads(value))) if isinstance(value, str) else {}
    except (ValueError, RecursionError):
        return {}


def _range(value: Any) -> tuple[int, int] | None:
    is_range = isinstance(value, list) and len(value) == 2 and all(type(one) is int and 0 <= one < 10**9 for one in value)
    return (value[0], value[1]) if is_range and value[0] <= value[1] else None
