"""Token counts of Amp: three buckets of the prompt beside each other, with their sum."""

from dataclasses import replace
from typing import Any

from tasks.readers.usage import Usage, cached_beside
from tasks.readers.values import fields, text, whole


def of_message(used: dict[str, Any]) -> tuple[Usage, int | None]:
    """What the call of a message cost, and how much its window holds.

    OpenAI's prompts are all booked as written to a cache that nobody pays for: there what is written is fresh.
    """
    fresh, written = used.get("inputTokens"), used.get("cacheCreationInputTokens")
    spent = cached_beside(fresh, used.get("cacheReadInputTokens"), written, used.get("outputTokens"))
    total = whole(used.get("totalInputTokens"))[0]
    buckets = (spent.uncached, spent.cache_read, spent.cache_write)
    if total is not None and total != sum(bucket or 0 for bucket in buckets):
        spent = replace(spent, flags=(*spent.flags, "total_differs"))
    if (text(used.get("model")) or "").startswith("gpt-") and spent.cache_write is not None:
        spent = replace(spent, uncached=(spent.uncached or 0) + spent.cache_write, cache_write=None)
    return spent, whole(used.get("maxInputTokens"))[0]


def of_event(event: dict[str, Any]) -> Usage:
    """What a row of the older ledger says; it knows no cache."""
    tokens = fields(event.get("tokens"))
    return cached_beside(tokens.get("input"), None, None, tokens.get("output"))
