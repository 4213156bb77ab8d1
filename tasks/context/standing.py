"""What the account of a session is made from: its calls, and the items that may have stood in their windows."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum


class Form(StrEnum):
    """In which form an item stands in a window."""

    FULL = "full"
    PREVIEW = "preview"
    """The beginning of an output that was saved to a file."""
    CLEARED = "cleared"
    """A few words in its place."""
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Call:
    """One call with its own count of prompt tokens."""

    request_id: str
    no: int
    prompt_tokens: int
    epoch: int
    at: datetime | None = None
    model: str | None = None
    output_tokens: int | None = None
    """None where the log has only a lower bound."""
    reasoning_tokens: int | None = None
    is_sidechain: bool = False
    input_uncached_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    cache_write_1h_tokens: int | None = None
    output_reported_tokens: int | None = None
    """Also where it is a lower bound."""
    service_tier: str | None = None
    cost_usd: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """An item as it stands in a session, own or inherited."""

    item_id: str
    position: int
    no: int
    """The call that made it, or the first that could see it."""
    epoch: int
    kind: str
    tokens: int
    chars: int = 0
    turn: int = 0
    is_made: bool = False
    """By a call: it is part of an answer."""
    on_path: bool = True
    is_sent: bool = True
    is_sidechain: bool = False
    call_id: str | None = None
    flags: frozenset[str] = frozenset()
    is_preview: bool = False
    opaque_chars: int | None = None
    """Length of what the log keeps of it that only the model can read."""
    tool_name: str | None = None
    marks: int = 0
    """Of a result: how many capitals and signs of punctuation its text has."""
    clears: tuple[str, ...] = ()
    """Of a notice of a microcompaction: the `call_id`s whose results it clears, and the records that it takes away."""
    replaces: str | None = None
    """Of words that stand in place of a result: the `call_id` of that one."""
    cleared_at: datetime | None = None
    branch: int | None = None
    """Off the path: position of the first item of the branch that it stands on, where the log tells branches apart."""
    branch_after: int | None = None
    """Position of the item that this branch goes on from; None at the session's start."""
    branch_under: int | None = None
    """The branch of that item; None on the path."""
    image_width: int | None = None
    image_height: int | None = None
    image_tokens: int | None = None
    """Of an image: as its provider publishes it; None where its size or the rule is not known."""

    @property
    def enters(self) -> int:
        """Number of the first call that may hold it."""
        return self.no + 1 if self.is_made else self.no


@dataclass(frozen=True, slots=True)
class Stay:
    """An unbroken run of a chain's calls that hold an item. `first` and `last` are indexes into the chain."""

    item: Standing
    first: int
    last: int
    form: Form
    epoch: int
    inferred: bool = False
    """The log does not say that it left."""


@dataclass(frozen=True, slots=True)
class Session:
    """What the account of a session is made from."""

    session_id: str
    agent: str
    agent_version: str | None
    calls: tuple[Call, ...]
    items: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """Calls that follow each other in one conversation, and the stays of all that they held, by position."""

    calls: tuple[Call, ...]
    stays: tuple[Stay, ...]
    answers: tuple[Standing, ...] = ()
    """All that its calls made, also what no later call held: thinking that the next prompt drops."""
