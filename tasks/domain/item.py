"""An item as the lake gives it back: what the rooms that read sessions work on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Item:
    """One thing said or done in a session. `kind` is an ItemKind's value; `seq` and `turn` count within its session."""

    item_id: str
    session_id: str
    seq: int
    kind: str
    text: str
    turn: int | None = None
    role: str = ""
    starts_turn: bool = False
    is_sidechain: bool = False
    request_id: str | None = None
    tool_name: str | None = None
    tool_category: str | None = None
    call_id: str | None = None
    path: str | None = None
    at: datetime | None = None
    tokens: int | None = None
    request_no: int | None = None
    """The call that made it, or the first that could see it."""
    source_id: str | None = None
    line_no: int | None = None
    """From 1, in the log that `source_id` names."""
    flags: tuple[str, ...] = ()
    """What was odd about it; `error` on the result of a call that failed."""


NAMES = tuple(field.name for field in fields(Item))


def from_rows(rows: Iterable[Mapping[str, Any]]) -> list[Item]:
    """Items from rows whose columns are named like the fields; other columns are left out, a null text is an empty one."""
    return [_item(row) for row in rows]


def _item(row: Mapping[str, Any]) -> Item:
    filled = {name: row[name] for name in NAMES if name in row and row[name] is not None}
    return Item(**{"text": "", **filled, "flags": tuple(row.get("flags") or ())})
