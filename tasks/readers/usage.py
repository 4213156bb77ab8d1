"""Token counts as agents report them -> disjoint buckets. Shared words of all readers; none raises."""

from dataclasses import dataclass
from typing import Any

from tasks.readers.values import count, fields


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call cost, in buckets that share no token. None = not reported."""

    uncached: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    """Total; the two below are its parts where the log splits it."""
    cache_write_5m: int | None = None
    cache_write_1h: int | None = None
    output: int | None = None
    """Reasoning included."""
    reasoning: int | None = None
    flags: tuple[str, ...] = ()
    """What was odd about the numbers."""

    @property
    def is_empty(self) -> bool:
        """Nothing reported, or nothing but zeros."""
        return not any((self.uncached, self.cache_read, self.cache_write, self.output, self.reasoning))


def cached_beside(
    uncached: Any, cache_read: Any = None, cache_write: Any = None, output: Any = None, *, reasoning: Any = None,
    reasoning_beside: Any = None,
) -> Usage:  # fmt: skip
    """`uncached` excludes what the cache gave and took. Of the two kinds of reasoning an agent has one: counted inside
    `output`, or beside it."""
    values, flags = _whole(uncached, cache_read, cache_write, output, reasoning, reasoning_beside)
    fresh, read, written, given, inside, beside = values
    if beside is not None:
        given, inside = (given or 0) + beside, beside
    return Usage(fresh, read, written, output=given, reasoning=inside, flags=flags)


def cached_inside(
    prompt: Any, cache_read: Any = None, cache_write: Any = None, output: Any = None, *, reasoning: Any = None,
    reasoning_beside: Any = None,
) -> Usage:  # fmt: skip
    """`prompt` includes what the cache gave and took; flag `cached_exceeds_input` where it cannot."""
    found = cached_beside(None, cache_read, cache_write, output, reasoning=reasoning, reasoning_beside=reasoning_beside)
    (total,), flags = _whole(prompt)
    fresh = total
    if total is not None:
        fresh = total - (found.cache_read or 0) - (found.cache_write or 0)
        if fresh < 0:
            fresh, flags = 0, (*flags, "cached_exceeds_input")
    return Usage(
        fresh, found.cache_read, found.cache_write, output=found.output, reasoning=found.reasoning, flags=(*flags, *found.flags)
    )


_USAGE_KEYS = ("usage", "tokens", "usageMetadata", "token_usage", "tokenUsage")


def uncounted(data: Any, *, depth: int = 3) -> tuple[str, ...]:
    """Flags of a record of unknown type: `usage_uncounted` where somewhere in it there are token counts."""
    found = _carries_usage(data, depth)
    return ("unknown_type", "usage_uncounted") if found else ("unknown_type",)


def _carries_usage(data: Any, depth: int) -> bool:
    if not isinstance(data, dict) or not depth:
        return False
    return any(isinstance(data.get(key), dict) for key in _USAGE_KEYS) or any(
        _carries_usage(value, depth - 1) for value in data.values()
    )


def _whole(*values: Any) -> tuple[list[int | None], tuple[str, ...]]:
    found = [count(value) for value in values]
    return [number for number, _ in found], tuple(dict.fromkeys(flag for _, flag in found if flag))


def chat_completion(raw: Any) -> Usage:
    """A `usage` object as chat completions, responses and their gateways report it: cached tokens inside of the prompt's,
    reasoning inside of the output's. A gateway says what the cache took beside the details."""
    used = fields(raw)
    prompt = fields(used.get("prompt_tokens_details") or used.get("input_tokens_details"))
    output = fields(used.get("completion_tokens_details") or used.get("output_tokens_details"))
    return cached_inside(
        _first(used, "prompt_tokens", "input_tokens"),
        _first(prompt, "cached_tokens") if "cached_tokens" in prompt else _first(used, "cache_read_input_tokens"),
        _first(used, "cache_creation_input_tokens"),
        _first(used, "completion_tokens", "output_tokens"),
        reasoning=_first(output, "reasoning_tokens"),
    )


def _first(used: dict[str, Any], *names: str) -> Any:
    return next((used[name] for name in names if used.get(name) is not None), None)
