"""Sessions as an export is made from them, without a lake: `told(user("Spin."), answer("Spun.", call="c1"))`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from tasks.exports.model import Call, Placed, Session

START = datetime(2026, 3, 2, 9)


def item(kind: str, text: str, **facts: Any) -> Placed:
    return Placed("loom:1", 0, facts.pop("item_id", ""), kind, text, **facts)


def told(
    *items: Placed, calls: Sequence[Call] = (), agents: Sequence[Session] = (), name: str = "loom:1",
    compactions: Mapping[str, Mapping[str, Any]] | None = None, **facts: Any,
) -> Session:  # fmt: skip
    """Items get their place, and a name where they have none."""
    placed = [
        replace(one, session_id=name, position=at, item_id=one.item_id or f"{name}/{at}", home_session_id=name)
        for at, one in enumerate(items)
    ]
    return Session({"session_id": name, "agent": "loom", **facts}, placed, calls, compactions or {}, agents)


def paid(name: str, number: int, **facts: Any) -> Call:
    return Call("loom:1", number, name, **{"model": "weaver-2", "at": START, **facts})


def priced(name: str, number: int, dollars: str, **facts: Any) -> Call:
    return paid(name, number, cost_usd=Decimal(dollars), **facts)
