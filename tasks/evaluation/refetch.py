"""What it would have cost to read again what was lost: the fewest items, the largest help a token first. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tasks.domain.item import Item
from tasks.domain.kinds import ToolCategory

MOST_TOKENS, CALL_TOKENS = 2_000, 60
"""Of an item that is read again, nobody reads more; the call itself costs as well."""
_AGAIN = frozenset({ToolCategory.READ, ToolCategory.SEARCH, ToolCategory.EDIT})
"""What these show stands in a file and can be read again. What a command, a sub-agent or the web said cannot."""


@dataclass(frozen=True, slots=True)
class Refetch:
    """Of one view."""

    calls: int = 0
    tokens: int = 0
    unrecoverable: int = 0
    """Uses that no file shows again."""


def is_recoverable(item: Item) -> bool:
    """Whether what an item says can be read again."""
    return item.tool_category in _AGAIN


class Refetching:
    """Of one context: which of its items served which use."""

    def __init__(self, items: Sequence[Item], tokens: Sequence[int], holders: Mapping[int, Collection[int]]) -> None:
        self._cost = [min(size, MOST_TOKENS) + CALL_TOKENS for size in tokens]
        self._sources = {use: [at for at in found if is_recoverable(items[at])] for use, found in holders.items()}

    def of(self, lost: frozenset[int]) -> Refetch:
        """Of the uses that were lost."""
        helps: dict[int, set[int]] = {}
        for use in lost:
            for at in self._sources.get(use, ()):
                helps.setdefault(at, set()).add(use)
        waiting = set[int]().union(*helps.values())
        unrecoverable, calls, tokens = len(lost) - len(waiting), 0, 0
        while waiting:
            best = max(helps, key=lambda at: (len(helps[at] & waiting) / self._cost[at], -at))
            waiting -= helps.pop(best)
            calls, tokens = calls + 1, tokens + self._cost[best]
        return Refetch(calls, tokens, unrecoverable)
