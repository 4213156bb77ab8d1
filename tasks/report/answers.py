"""An answer of the lake, together with the question that gave it: a page shows both."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows in the order of the question."""

    name: str
    """Of a file in sql/analysis."""
    rows: Rows
    sql: str = ""
    """Text of that file."""
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """What gives the same rows in a terminal."""
        given = [f"--param {shlex.quote(f'{name}={value}')}" for name, value in self.params.items()]
        return " ".join(["midwatch query", self.name, *given])
