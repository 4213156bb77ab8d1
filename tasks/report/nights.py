"""The headline of each night, kept in a line beside the page, so that the page can say what changed. Pure.

Order is that of the runs, whatever the order of the lines: a lake that was built again counts its snapshots from one again.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any

from tasks.report.answers import Answer

COUNTS = (
    "sessions", "requests", "prompt_tokens", "output_tokens", "requests_unpriced", "explained_tokens", "overhead_tokens",
    "residual_tokens", "tokens_repaid", "handoffs", "broken", "warned",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Night:
    """The lake as one snapshot found it. None = not known."""

    at: datetime
    """Start of the newest run that committed."""
    snapshot: int
    sessions: int = 0
    requests: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cost_usd: Decimal | None = None
    requests_unpriced: int = 0
    explained_tokens: int = 0
    overhead_tokens: int = 0
    residual_tokens: int = 0
    tokens_repaid: int = 0
    """By prefixes that were paid for again."""
    handoffs: int = 0
    broken: int = 0
    """Checks that must hold and do not."""
    warned: int = 0


def told(known: Sequence[Night]) -> bytes:
    """A line for each."""
    lines = (json.dumps(asdict(night), default=str, sort_keys=True) for night in known)
    return "".join(f"{line}\n" for line in lines).encode()


def read(content: bytes) -> list[Night]:
    """The nights there are lines of; a line that was torn, or that is none, is as if it were not there."""
    found = (_night(line) for line in content.split(b"\n"))
    return sorted((night for night in found if night), key=lambda night: (night.at, night.snapshot))


def with_tonight(known: Sequence[Night], tonight: Night) -> list[Night]:
    """One line a snapshot: telling it again replaces it."""
    others = [night for night in known if (night.at, night.snapshot) != (tonight.at, tonight.snapshot)]
    return sorted([*others, tonight], key=lambda night: (night.at, night.snapshot))


def by_run(known: Sequence[Night]) -> list[Night]:
    """The last snapshot of each run: ingest and account are commits of their own, and maintenance brings nothing new."""
    return list({night.at: night for night in known}.values())


def changes(known: Sequence[Night]) -> list[dict[str, Any]]:
    """What each night but the first added, with the night's own figures under `night`."""
    nights = by_run(known)
    return [_change(before, night) for before, night in pairwise(nights)]


def _change(before: Night, night: Night) -> dict[str, Any]:
    added = {name: getattr(night, name) - getattr(before, name) for name in COUNTS}
    both = night.cost_usd is not None and before.cost_usd is not None
    cost = night.cost_usd - before.cost_usd if both else None  # type: ignore[operator]
    return {"at": night.at, "night": night, "before": before.at, "cost_usd": cost, **added}


def _night(line: bytes) -> Night | None:
    try:
        document = json.loads(line)
        cost = document.get("cost_usd")
        counts = {name: int(document.get(name, 0)) for name in COUNTS}
        at = datetime.fromisoformat(document["at"])
        return Night(at, int(document["snapshot"]), cost_usd=None if cost is None else Decimal(cost), **counts)
    except (ValueError, KeyError, TypeError, AttributeError, InvalidOperation):
        return None


def tonight(answers: Mapping[str, Answer], snapshot: int, handoffs: int, offenders: Iterable[str]) -> Night | None:
    """The line of a snapshot; None where no run has committed."""
    runs, total, books = answers["nights"].rows, answers["headline"].rows[0], answers["books_by_agent"].rows
    if not runs:
        return None
    told = {
        name: total[name]
        for name in ("sessions", "requests", "prompt_tokens", "output_tokens", "cost_usd", "requests_unpriced")
    }
    parts = {name: sum(row[name] for row in books) for name in ("explained_tokens", "overhead_tokens", "residual_tokens")}
    repaid = sum(row["tokens_repaid"] for row in answers["cache_misses_by_cause"].rows)
    severities = [name.partition("__")[0] for name in offenders]
    return Night(
        runs[0]["started_at"], snapshot, **told, **parts, tokens_repaid=repaid, handoffs=handoffs,
        broken=severities.count("fail"), warned=severities.count("warn"),
    )  # fmt: skip
