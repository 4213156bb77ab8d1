"""What a verb needs from the outside: somebody to run units of work, and somebody to watch."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

Result = TypeVar("Result")


class Runner(Protocol):
    """Runs one plain function over many small arguments and gives the results back in the order of the arguments."""

    def map(
        self, function: Callable[..., Result], arguments: Sequence[Any], *, label: str, policy: dict[str, Any] | None = None
    ) -> list[Result]:
        """`function` is importable by name; arguments and results are small (paths, plans, counts), never texts."""
        ...


class Progress(Protocol):
    """Shows long work to a person. All amounts are in the unit that `start` was told the total in."""

    def start(self, label: str, total: int) -> None: ...

    def advance(self, amount: int = 1) -> None: ...

    def finish(self) -> None: ...


class Silent:
    """Progress that nobody watches."""

    def start(self, label: str, total: int) -> None: ...

    def advance(self, amount: int = 1) -> None: ...

    def finish(self) -> None: ...


class InProcess:
    """The simplest runner: one unit after the other, here."""

    def map(
        self, function: Callable[..., Result], arguments: Sequence[Any], *, label: str, policy: dict[str, Any] | None = None
    ) -> list[Result]:
        return [function(argument) for argument in arguments]
