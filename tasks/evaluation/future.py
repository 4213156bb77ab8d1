"""What the real future of a context needed of it: later uses of atoms and lines that stood in it. Pure.

An atom (path, name, hash, address, error) is needed when the model says it later, in thinking, text or arguments, and nothing
showed it again meanwhile: no result and no person. A line is needed when a later edit that succeeded gives it word for word as
what it replaces, and nobody showed or wrote it meanwhile. Each counts once, at its first use. What the model says itself shows
it nothing new.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.evaluation.item_facts import Told

MADE = frozenset({ItemKind.ASSISTANT_TEXT, ItemKind.REASONING, ItemKind.TOOL_CALL})
"""What the model says."""


@dataclass(frozen=True, slots=True)
class Use:
    """Something of the context that the future needed."""

    what: str
    is_line: bool
    delay: int
    """Calls between the compaction and the first use; 0 is the very next call."""
    is_hard: bool
    """In the arguments of a call that succeeded."""

    @property
    def weight(self) -> float:
        """What is needed at once is missed more."""
        return 1 / (1 + self.delay)


@dataclass(slots=True)
class _Found:
    first: dict[str, int] = field(default_factory=dict)
    """Atom or line -> delay of its first use."""
    hard: set[str] = field(default_factory=set)


def uses(context: Iterable[Item], future: Sequence[Item], now: int, told: Told) -> list[Use]:
    """The uses of a context, atoms first, in the order of need. `now` is the number of the first call of the future."""
    stood = [item for item in context if item.kind != ItemKind.REASONING]
    atoms = _atom_uses(frozenset().union(*map(told.atoms, stood)) - told.known, future, now, told)
    lines = _line_uses(stood, future, now, told)
    return [
        *(Use(what, False, delay, what in atoms.hard) for what, delay in atoms.first.items()),
        *(Use(what, True, delay, True) for what, delay in lines.first.items()),
    ]


def _atom_uses(present: frozenset[str], future: Sequence[Item], now: int, told: Told) -> _Found:
    found, seen = _Found(), set[str]()
    for item in future:
        if item.kind not in MADE:
            seen |= told.atoms(item) & present
            continue
        said = (told.atoms(item) & present) - seen
        for what in sorted(said - found.first.keys()):
            found.first[what] = _delay(item, now)
        if item.kind == ItemKind.TOOL_CALL and item.call_id in told.succeeded:
            found.hard |= said
    return found


def _line_uses(stood: Sequence[Item], future: Sequence[Item], now: int, told: Told) -> _Found:
    found = _Found()
    wanted = frozenset().union(*map(told.replaced, future))
    if not wanted:
        return found
    present = wanted.intersection(frozenset().union(*map(told.lines, stood)))
    seen = set[str]()
    for item in future:
        for what in sorted((told.replaced(item) & present) - seen - found.first.keys()):
            found.first[what] = _delay(item, now)
        seen |= told.lines(item) & present
    return found


def _delay(item: Item, now: int) -> int:
    return max(0, (item.request_no or now) - now)
