"""What a compaction makes of the provider's cache, which holds the beginning of the prompt as it was. Pure."""

from collections.abc import Callable, Iterable, Sequence

from tasks.domain.item import Item


def invalidated(before: Sequence[Item], after: Sequence[Item], count: Callable[[str], int]) -> int:
    """Tokens of the new context that are paid for anew: all behind the items with which both begin."""
    same = 0
    for one, other in zip(before, after, strict=False):
        if (one.kind, one.text) != (other.kind, other.text):
            break
        same += 1
    return _tokens(after[same:], count)


def break_even(invalidated_tokens: int, freed: int, *, write: float = 1.25, read: float = 0.1) -> int | None:
    """Calls after which what is no longer read has paid for what was written again; None where nothing is freed.

    `write` and `read` are prices beside that of fresh input.
    """
    if freed <= 0:
        return None
    return -int(-invalidated_tokens * (write - read) // (freed * read))


def _tokens(items: Iterable[Item], count: Callable[[str], int]) -> int:
    return sum(count(item.text) if item.tokens is None else item.tokens for item in items)
