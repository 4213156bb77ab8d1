"""What was in the model's window at each call of a session, from what the lake knows of it. Pure; counts no tokens.

A session's calls form chains (the conversation, and side questions asked beside it). For each chain every item has stays:
unbroken runs of calls whose prompt held it. An answer enters with the call after the one that gave it, everything else with the
first call that could see it; an item leaves at a compaction, a rewind, when it is cleared, or when the provider drops thinking.
"""

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from functools import cache

from tasks.domain.kinds import ItemKind

ROUNDED_TO = 64


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

    @property
    def rounded_off(self) -> int:
        """Tokens of reasoning that its count lacks: some providers round down, and half a step is missing on average."""
        reasoning = self.reasoning_tokens or 0
        return ROUNDED_TO // 2 if reasoning and reasoning % ROUNDED_TO == 0 else 0


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
    clears: tuple[str, ...] = ()
    """Of a notice of a microcompaction: the `call_id`s whose results it clears."""

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


_FAMILY = re.compile(r"(opus|sonnet|haiku)-(\d{1,2})(?:-(\d{1,2}))?(?:-|$|@|\[)")
_KEEPS_SINCE = {"opus": (4, 5), "sonnet": (4, 6), "haiku": (4, 6)}


@cache
def keeps_thinking(model: str | None) -> bool:
    """Whether thinking of earlier turns stays in the window: Claude since Opus 4.5 and Sonnet 4.6. Other providers drop it."""
    name = (model or "").lower()
    if "claude" not in name:
        return False
    found = _FAMILY.search(name)
    if found is None:
        return "claude-3" not in name
    return (int(found[2]), int(found[3] or 0)) >= _KEEPS_SINCE[found[1]]


def chains(session: Session) -> list[Chain]:
    """The chains of a session, the conversation first. A side question sees the conversation; nothing of it goes back there."""
    sides = {call.is_sidechain for call in session.calls}
    if len(sides) < 2:
        return [_chain(session.calls, session.items)]
    main = _chain([c for c in session.calls if not c.is_sidechain], [i for i in session.items if not i.is_sidechain])
    return [main, _chain([c for c in session.calls if c.is_sidechain], session.items)]


def _chain(calls: Iterable[Call], items: Iterable[Standing]) -> Chain:
    ordered = sorted(calls, key=lambda call: call.no)
    walk = _Walk(ordered, sorted(items, key=lambda item: item.position))
    stays = tuple(stay for item in walk.items for stay in walk.stays(item))
    return Chain(tuple(ordered), stays, tuple(item for item in walk.items if item.is_made))


class _Walk:
    """One chain and its items in order of position."""

    def __init__(self, calls: Sequence[Call], items: Sequence[Standing]) -> None:
        self.calls, self.items = calls, items
        self._numbers = [call.no for call in calls]
        self._turns = self._turn_of_calls()
        self._left = self._rewound()
        self._cleared = self._microcompacted()

    def stays(self, item: Standing) -> Iterable[Stay]:
        """Where an item stood; nothing for one that no call of the chain held."""
        first, end = self._at(item.enters), len(self.calls) if item.is_sent else 0
        end = min(end, self._left.get(item.position, end), self._thinking_ends(item, first))
        until = self._survives(item, first)
        while first < end and self.calls[first].epoch <= until:
            epoch = self.calls[first].epoch
            last = first
            while last + 1 < end and self.calls[last + 1].epoch == epoch:
                last += 1
            yield from self._by_form(item, first, last, epoch)
            first = last + 1

    def _survives(self, item: Standing, first: int) -> float:
        """The last epoch that holds it. A compaction takes all but the system's words and what it preserved; its summary may
        be told in front of it."""
        if item.kind == ItemKind.SYSTEM:
            return math.inf
        if item.kind == ItemKind.COMPACTION_SUMMARY and first < len(self.calls):
            return max(item.epoch, min(item.epoch + 1, self.calls[first].epoch))
        return item.epoch + ("preserved" in item.flags)

    def _by_form(self, item: Standing, first: int, last: int, epoch: int) -> Iterable[Stay]:
        form = Form.PREVIEW if item.is_preview else Form.FULL
        form = Form.SUMMARY if item.kind == ItemKind.COMPACTION_SUMMARY else form
        cleared = self._cleared.get(item.call_id) if item.kind == ItemKind.TOOL_RESULT and item.call_id else None
        cut = last + 1 if cleared is None else min(max(self._at(cleared), first), last + 1)
        if first < cut:
            yield Stay(item, first, cut - 1, form, epoch)
        if cut <= last:
            yield Stay(item, cut, last, Form.CLEARED, epoch)

    def _at(self, number: int) -> int:
        """Index of the first call with this number or a later one."""
        return bisect_left(self._numbers, number)

    def _turn_of_calls(self) -> list[int]:
        turns = [0] * len(self.calls)
        for item in self.items:
            at = self._at(item.no)
            if not item.is_made and at < len(turns):
                turns[at] = max(turns[at], item.turn)
        for at in range(1, len(turns)):
            turns[at] = max(turns[at], turns[at - 1])
        return turns

    def _thinking_ends(self, item: Standing, first: int) -> int:
        """Index of the first call that no longer holds a piece of thinking: that of the next prompt, where it is dropped."""
        if item.kind != ItemKind.REASONING:
            return len(self.calls)
        for at in range(first, len(self.calls)):
            if self._turns[at] > item.turn and not keeps_thinking(self.calls[at].model):
                return at
        return len(self.calls)

    def _rewound(self) -> dict[int, int]:
        """Position of an item off the path -> index of the first call after the return to the path."""
        left: dict[int, int] = {}
        back = len(self.calls)
        for item in reversed(self.items):
            if item.on_path:
                back = self._at(item.no)
            else:
                left[item.position] = back
        return left

    def _microcompacted(self) -> dict[str, int]:
        cleared: dict[str, int] = {}
        for item in self.items:
            for call_id in item.clears:
                cleared.setdefault(call_id, item.no)
        return cleared


@dataclass(frozen=True, slots=True)
class Step:
    """What changed in the window from one call of a chain to the next."""

    entering: tuple[Stay, ...]
    leaving: tuple[Stay, ...]


def steps(chain: Chain) -> list[Step]:
    """One for each call of a chain; in the first everything enters."""
    entering: dict[int, list[Stay]] = defaultdict(list)
    leaving: dict[int, list[Stay]] = defaultdict(list)
    for stay in chain.stays:
        entering[stay.first].append(stay)
        leaving[stay.last + 1].append(stay)
    return [Step(tuple(entering[at]), tuple(leaving[at])) for at in range(len(chain.calls))]
