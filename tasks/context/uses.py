"""Whether the session came back to what an item showed it. Pure; the log's windows alone, so no scale changes an answer.

A call uses an item when its answer (text, arguments, thinking) says a path, a name or another rare atom of which that item was
the newest copy in the window, or when its edit, if it succeeded, gave a line that the item showed last.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tasks.context.window import Chain, Form, Session, Standing, chains
from tasks.domain.kinds import ItemKind
from tasks.facts.atoms import EVIDENCE, SHORTEST, atoms
from tasks.facts.lines import lines, replaced, strings

NEVER_HOLD = (ItemKind.SYSTEM, ItemKind.REASONING, ItemKind.IMAGE)
"""What stands there anyway, what may be dropped before the next call, and what has no words: of their use nothing is known."""


@dataclass(frozen=True, slots=True)
class Use:
    """What became of an item that showed something that can be found again."""

    later_uses: int
    """Calls that used it."""
    last_used_request_no: int | None
    """Of the last of them."""


def uses(session: Session, texts: Mapping[str, str]) -> dict[tuple[bool, str], Use]:
    """(is_sidechain, item_id) -> its use in that chain. An item that shows nothing to be recognized by is left out."""
    words = _Words(session, texts)
    found: dict[tuple[bool, str], Use] = {}
    for chain in chains(session):
        if chain.calls:
            side = chain.calls[0].is_sidechain
            found |= {(side, item_id): use for item_id, use in _Reading(chain, words, side).uses().items()}
    return found


class _Words:
    """What the items of a session say. `said` is all that the model ever said: nothing else can be used."""

    def __init__(self, session: Session, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self.calls = {item.call_id: item for item in session.items if item.kind == ItemKind.TOOL_CALL and item.call_id}
        results = [item for item in session.items if item.kind == ItemKind.TOOL_RESULT]
        succeeded = {one.call_id for one in results} - {one.call_id for one in results if "error" in one.flags}
        self.replaced = {call.item_id: replaced(self.text(call)) for name, call in self.calls.items() if name in succeeded}
        self.wanted = set[str]().union(*self.replaced.values())
        self.known = set[str]().union(*(self._atoms(item) for item in session.items if item.kind == ItemKind.SYSTEM))
        self.atoms = {item.item_id: self._atoms(item) - self.known for item in session.items if item.is_made}
        self.said = set[str]().union(*self.atoms.values())

    def text(self, item: Standing) -> str:
        return self._texts.get(item.item_id, "")

    def plain(self, item: Standing) -> str:
        return "\n".join(strings(self.text(item))) if item.kind == ItemKind.TOOL_CALL else self.text(item)

    def _atoms(self, item: Standing) -> set[str]:
        return {atom.text for atom in atoms(self.plain(item), EVIDENCE) if len(atom.text) >= SHORTEST}

    def shows(self, item: Standing) -> tuple[bool, set[str], set[str]]:
        """(whether it shows any atom, those that the model ever said, lines that an edit ever gave)."""
        every = self.atoms[item.item_id] if item.is_made else self._atoms(item) - self.known
        found = lines(self.plain(item)) & self.wanted if self.wanted else set[str]()
        call = self.calls.get(item.call_id or "") if item.kind == ItemKind.TOOL_RESULT else None
        if call is not None:  # what a result says after its call is an echo
            every = every - self.atoms.get(call.item_id, set())
            found -= lines(self.plain(call)) if found else set()
        return bool(every), every & self.said, found


@dataclass(frozen=True, slots=True)
class _Copy:
    """An item in whose words something stands, while the window holds it."""

    item_id: str
    is_made: bool
    first_no: int
    last_no: int


@dataclass(slots=True)
class _Copies:
    """Who holds what, oldest first."""

    of: dict[str, deque[_Copy]] = field(default_factory=lambda: defaultdict(deque))

    def add(self, what: Iterable[str], copy: _Copy, *, only_news: bool) -> None:
        """`only_news`: not what the model coined itself, and still has before it."""
        for one in what:
            held = self.of[one]
            while held and held[0].last_no < copy.first_no:
                held.popleft()
            if not (only_news and held and held[0].is_made):
                held.append(copy)

    def newest(self, one: str, number: int) -> _Copy | None:
        """The copy that served a call: the newest in its window."""
        held = self.of.get(one)
        while held and held[-1].last_no < number:
            held.pop()
        return next((copy for copy in reversed(held or ()) if copy.first_no <= number <= copy.last_no), None)


class _Reading:
    """One chain, read from its first item to its last."""

    def __init__(self, chain: Chain, words: _Words, is_sidechain: bool) -> None:
        self._words = words
        self._side = is_sidechain
        self._spans = _spans(chain)
        stayed = {stay.item.position: stay.item for stay in chain.stays}
        stayed |= {item.position: item for item in chain.answers}
        self._items = [stayed[position] for position in sorted(stayed)]
        self._atoms, self._lines = _Copies(), _Copies()
        self._shows: set[str] = set()
        self._used: dict[str, set[int]] = defaultdict(set)

    def uses(self) -> dict[str, Use]:
        for item in self._items:
            if item.is_made and item.is_sidechain == self._side:
                self._use(item)
            if item.item_id in self._spans and item.kind not in NEVER_HOLD:
                self._show(item)
        return {one: Use(len(self._used[one]), max(self._used[one], default=None)) for one in self._shows}

    def _use(self, item: Standing) -> None:
        for copies, what in (
            (self._atoms, self._words.atoms[item.item_id]),
            (self._lines, self._words.replaced.get(item.item_id, ())),
        ):
            for one in what:
                if copy := copies.newest(one, item.no):
                    self._used[copy.item_id].add(item.no)
                    self._shows.add(copy.item_id)

    def _show(self, item: Standing) -> None:
        can_be_found, said, wanted = self._words.shows(item)
        if can_be_found:
            self._shows.add(item.item_id)
        copy = _Copy(item.item_id, item.is_made, *self._spans[item.item_id])
        self._atoms.add(said, copy, only_news=not item.is_made)
        self._lines.add(wanted, copy, only_news=False)


def _spans(chain: Chain) -> dict[str, tuple[int, int]]:
    """First and last call that held the words of an item; none where they were cleared."""
    spans: dict[str, tuple[int, int]] = {}
    for stay in chain.stays:
        if stay.form != Form.CLEARED:
            first = spans.get(stay.item.item_id, (chain.calls[stay.first].no, 0))[0]
            spans[stay.item.item_id] = first, chain.calls[stay.last].no
    return spans
