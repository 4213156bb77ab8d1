"""What a policy decides, as data: item by item what becomes of it and why. Applying a plan is dull, and touches no source.

`plan(context, budget)` of a policy gives a CompactionPlan; `apply(plan, items)` gives the items of the compacted context. Items
that a plan does not name are the very same objects afterwards.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from tasks.domain.item import Item

MARK = "compacted:"
"""Flag of an item that a plan made, with the disposition: known by it and never by its text, which any tool may print."""


class Disposition(StrEnum):
    """What becomes of an item."""

    VERBATIM = "verbatim"
    """Stays as it is, because a rule says so."""
    PINNED = "pinned"
    """Stays as it is at any age: the plan, the constraint ledger."""
    REFERENCE = "reference"
    """A line that says where the same bytes can be read again."""
    SPLIT = "split"
    """A part stays word for word, the rest is somewhere else."""
    SUMMARIZED = "summarized"
    """Said shorter, in an item that is inserted."""
    PLACEHOLDER = "placeholder"
    """A fixed form of words in its place."""
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one item. `position` is an index into the items of the context."""

    position: int
    disposition: Disposition
    text: str | None
    """What stands in its place; None where nothing does, and where it stays as it is."""
    reason: str


@dataclass(frozen=True, slots=True)
class Insert:
    """An item that the plan adds in front of a position: a summary, a marker, a ledger."""

    position: int
    kind: str
    """An ItemKind; never `user_text`, since no plan speaks for a person."""
    text: str
    reason: str
    role: str = "user"
    sources: tuple[int, ...] = ()
    """Positions of the original items that it was made from."""
    disposition: Disposition = Disposition.SUMMARIZED
    """What the added item is known by afterwards; PINNED where it repeats word for word."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that a plan points to: the whole text of an item, of which a part stays in the context."""

    path: str
    position: int


@dataclass(frozen=True, slots=True)
class CompactionPlan:
    """All that one policy decided about one context."""

    policy: str
    version: int
    changes: tuple[Change, ...] = ()
    """By position, one each at most."""
    inserts: tuple[Insert, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader of the plan should know: not applicable, gave up, a claim beside a measurement."""

    def __post_init__(self) -> None:
        positions = [change.position for change in self.changes]
        if sorted(set(positions)) != positions:
            raise ValueError(f"{self.policy}: a plan changes an item twice, or out of order: {positions}")


@dataclass(frozen=True, slots=True)
class Budget:
    """How far to go. A policy with rules of its own goes by them and takes `frees` as a wish."""

    frees: int | None = None
    """Net tokens to free; None for the policy's own measure."""
    window: int | None = None
    """Tokens that the compacted context may have at most."""


@dataclass(frozen=True, slots=True)
class Context:
    """What the window holds at the moment of a compaction, and what may be known at it. Nothing later is in here."""

    items: tuple[Item, ...]
    """In the order in which they stand in the prompt."""
    request_nos: tuple[int, ...]
    """Beside them: the call that made each, or the first that could see it."""
    now: int
    """Number of the call that is about to be sent."""
    count: Callable[[str], int]
    """Tokens of a text, in the encoding of `Item.tokens`."""
    turn: int = 0
    cwd: str | None = None
    commit: str | None = None
    """Of the working tree, where the log names it."""
    log_path: str | None = None
    """Of the log that the items stand in."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """The policy's own, by name."""

    def tokens(self, position: int) -> int:
        """Counted tokens of one item."""
        told = self.items[position].tokens
        return self.count(self.items[position].text) if told is None else told

    def age(self, position: int) -> int:
        """Calls between an item's and the one about to be sent."""
        return max(0, self.now - self.request_nos[position])


def apply(plan: CompactionPlan, items: Sequence[Item]) -> tuple[Item, ...]:
    """The items of the compacted context."""
    changes = {change.position: change for change in plan.changes}
    added: dict[int, list[Insert]] = {}
    for insert in plan.inserts:
        added.setdefault(insert.position, []).append(insert)
    view: list[Item] = []
    for position, item in enumerate(items):
        view += [_inserted(plan, one, number, items) for number, one in enumerate(added.get(position, ()))]
        view += _changed(changes.get(position), item)
    view += [_inserted(plan, one, number, items) for number, one in enumerate(added.get(len(items), ()))]
    return tuple(view)


def _changed(change: Change | None, item: Item) -> list[Item]:
    if change is None or change.disposition in (Disposition.VERBATIM, Disposition.PINNED):
        return [item]
    if change.text is None:
        return []
    return [replace(item, text=change.text, tokens=None, flags=(*item.flags, MARK + change.disposition))]


def _inserted(plan: CompactionPlan, insert: Insert, number: int, items: Sequence[Item]) -> Item:
    near = items[min(insert.position, len(items) - 1)] if items else None
    name = f"compaction:{plan.policy}:{near.item_id if near else ''}:{insert.position}.{number}"
    return Item(
        name, near.session_id if near else "", near.seq if near else 0, insert.kind, insert.text,
        turn=near.turn if near else None, role=insert.role, flags=(MARK + insert.disposition,),
    )  # fmt: skip


def is_compacted(item: Item) -> bool:
    """Whether a plan made it what it is."""
    return any(flag.startswith(MARK) for flag in item.flags)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A plan, applied and measured. Tokens are counted content tokens."""

    plan: CompactionPlan
    view: tuple[Item, ...]
    tokens_before: int
    tokens_after: int

    @property
    def freed(self) -> int:
        """Net; negative where a plan made the context larger."""
        return self.tokens_before - self.tokens_after


def outcome(plan: CompactionPlan, context: Context) -> Outcome:
    """Applies a plan and counts both sides."""
    view = apply(plan, context.items)
    before = sum(context.tokens(position) for position in range(len(context.items)))
    after = sum(context.count(item.text) if item.tokens is None else item.tokens for item in view)
    return Outcome(plan, view, before, after)


def unless_larger(plan: CompactionPlan, context: Context) -> CompactionPlan:
    """The plan, or one that changes nothing where it would make the context larger."""
    grown = -outcome(plan, context).freed
    if grown <= 0:
        return plan
    return replace(
        plan, changes=(), inserts=(), artifacts=(), notes=(*plan.notes, f"not applied: it would add {grown:,} tokens")
    )
