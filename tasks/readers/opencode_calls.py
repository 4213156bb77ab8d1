"""Paid calls of OpenCode. A message may take several steps, each a call of its own; its `tokens` are those of the last one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tasks.readers.opencode_objects import Message, Object
from tasks.readers.usage import Usage, cached_beside
from tasks.readers.values import digest, fields, moment, text, whole

Step = list[Object]


def steps(parts: Sequence[Object]) -> list[Step]:
    """The parts of a message by step: a `step-start` opens one, a `step-finish` is the last but for what is no answer."""
    found: list[Step] = [[]]
    for part in parts:
        if part.data.get("type") == "step-start" and any(one.data.get("type") != "step-start" for one in found[-1]):
            found.append([])
        found[-1].append(part)
    return found


def usages(message: Message, taken: Sequence[Step]) -> list[Usage | None]:
    """What each step cost; of a message without counted steps its own tokens, for the first."""
    found = [_of_step(step) for step in taken]
    own = usage(message.data.get("tokens"))
    if not any(found):
        return [None if own.is_empty else own, *found[1:]]
    last = next(one for one in reversed(found) if one)
    if not own.is_empty and _counts(own) != _counts(last) and own.output != sum(one.output or 0 for one in found if one):
        last_at = max(number for number, one in enumerate(found) if one)
        found[last_at] = replace(last, flags=(*last.flags, "usage_differs"))
    return found


def usage(tokens: Any) -> Usage:
    """Token counts of a message or step. Reasoning is beside the output unless the total says that it is inside."""
    said = fields(tokens)
    cache = fields(said.get("cache"))
    counts = (said.get("input"), cache.get("read"), cache.get("write"), said.get("output"))
    reasoning = said.get("reasoning")
    beside = cached_beside(*counts, reasoning_beside=reasoning)
    total = whole(said.get("total"))[0]
    sums = sum(whole(count)[0] or 0 for count in counts)
    if total is None or total == sums + (whole(reasoning)[0] or 0):
        return beside
    if total == sums:
        return cached_beside(*counts, reasoning=reasoning)
    return replace(beside, flags=(*beside.flags, "total_differs"))


def model(data: dict[str, Any]) -> str | None:
    """The model that a message names; users' messages and old ones have it inside of an object."""
    return text(data.get("modelID")) or text(fields(data.get("model")).get("modelID"))


def call_key(message: Message, spent: Usage, number: int) -> str | None:
    """Names a call in every copy of it: a fork copies messages under new ids, with their times."""
    at = moment(message.created)[0]
    if at is None:
        return None
    return digest("opencode", at.isoformat(), model(message.data) or "", *map(str, _counts(spent)), str(number))


def _of_step(step: Step) -> Usage | None:
    said = [usage(part.data.get("tokens")) for part in step if part.data.get("type") == "step-finish"]
    return next((one for one in reversed(said) if not one.is_empty), None)


def _counts(spent: Usage) -> tuple[int | None, ...]:
    return spent.uncached, spent.cache_read, spent.cache_write, spent.output
