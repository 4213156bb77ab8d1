"""What an export is made from: sessions as the lake tells them, redacted like everything there, sub-agents inside."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar


@dataclass(frozen=True, slots=True)
class Placed:
    """One thing said or done, where it stands in the session that is exported."""

    session_id: str
    """Of the session it is exported with; `home_session_id` is where it was first said."""
    position: int
    item_id: str
    kind: str
    text: str = ""
    turn: int | None = None
    request_no: int | None = None
    epoch: int | None = None
    on_path: bool = True
    in_context: bool = True
    inherited: bool = False
    home_session_id: str = ""
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
    flags: tuple[str, ...] = ()
    source_id: str | None = None
    generation: int | None = None
    log_path: str | None = None
    line_no: int | None = None
    byte_offset: int | None = None
    byte_length: int | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One paid call of a session; None is what the log does not say."""

    session_id: str
    request_no: int
    request_id: str
    at: datetime | None = None
    model: str | None = None
    prompt_tokens: int | None = None
    """What the cache gave and took is in it."""
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    output_origin: str = "reported"
    stop_reason: str | None = None
    service_tier: str | None = None
    cost_usd: Decimal | None = None
    flags: tuple[str, ...] = ()

    @property
    def is_sum(self) -> bool:
        """Stands for several calls of which the log tells but the sum."""
        return "sum_of_calls" in self.flags


@dataclass(frozen=True, slots=True)
class Session:
    """A session with all that stands in it, in order."""

    facts: Mapping[str, Any]
    """Columns of the view `sessions`."""
    items: Sequence[Placed] = ()
    calls: Sequence[Call] = ()
    compactions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By the id of the item that is the summary; what has none is not here."""
    agents: Sequence["Session"] = ()
    """The sub-agents that it ran."""

    @property
    def session_id(self) -> str:
        return str(self.facts["session_id"])


Row = TypeVar("Row", Placed, Call)


def rows_of(kind: type[Row], rows: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Rows whose columns are named like the fields; a null is the field's default."""
    names = {one.name for one in fields(kind)}
    found = [{name: value for name, value in row.items() if name in names and value is not None} for row in rows]
    return [kind(**{**row, "flags": tuple(row.get("flags", ()))}) for row in found]


def tree(
    facts: Sequence[Mapping[str, Any]], items: Sequence[Placed], calls: Sequence[Call], compactions: Iterable[Mapping[str, Any]]
) -> Session:
    """The first of the sessions, each sub-agent in the one that ran it; a log may name a session as its own ancestor."""
    summaries = {row["summary_item_id"]: row for row in compactions if row.get("summary_item_id")}
    placed: set[str] = set()

    def grown(row: Mapping[str, Any]) -> Session:
        name = row["session_id"]
        placed.add(name)
        below = [one for one in facts[1:] if one["parent_session_id"] == name and one["session_id"] not in placed]
        return Session(
            row,
            [item for item in items if item.session_id == name],
            [call for call in calls if call.session_id == name],
            summaries,
            [grown(one) for one in below],
        )

    return grown(facts[0])
