"""A model under the names of those who host it, for logs that name it plainly. Pure.

Lists drop the plain names of retired models and never had those of open ones; what hosts ask for them is there.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from tasks.context.models import plain

REGIONAL = re.compile(r"(?:^|/)(?:(?:[a-z]{2}|us-gov)-[a-z]+-\d|us|eu|global|apac)/")
"""A listing for one region, where a model may cost more than elsewhere."""
MAKERS = frozenset({"dashscope", "deepseek", "gemini", "meta_llama", "minimax", "mistral", "moonshot", "openai", "xai", "zai"})
"""Hosts that are asked first, since they made the models that bear their names."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What one host asks: dollars per fresh token and per token of output, and how many prices it tells in all."""

    input: Decimal
    output: Decimal | None
    prices: int = 2


class Hosts:
    """Where a list has a model but under its plain name."""

    def __init__(self, asked: Mapping[str, Asked]) -> None:
        """`asked`: by listed name."""
        self._asked = asked

    def find(self, names: Iterable[str]) -> str | None:
        """The listed name of the first of a model's names, most exact first, that is hosted somewhere."""
        return next(filter(None, (self._agreed(self._by_plain.get(plain(name), ())) for name in names)), None)

    def _agreed(self, hosts: Iterable[str]) -> str | None:
        """The fullest listing, where more than half of the makers, or else of all hosts, ask the same."""
        made = [host for host in hosts if host.split("/")[0] in MAKERS] or list(hosts)
        votes = Counter((self._asked[host].input, self._asked[host].output) for host in made)
        for price, times in votes.most_common(1):
            if times * 2 > votes.total():
                alike = (host for host in made if (self._asked[host].input, self._asked[host].output) == price)
                return min(alike, key=lambda host: (-self._asked[host].prices, host))
        return None

    @cached_property
    def _by_plain(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for name, asked in self._asked.items():
            if asked.input and not REGIONAL.search(name.lower()):
                found[plain(name)].append(name)
        return found
