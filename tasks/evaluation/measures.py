"""What a view lost of what the future needed, and what it cost. Pure.

What a policy leaves word for word counts as kept. What it only names (an index of symbols, a marker with a path, a summary in
other words) is credited in a column of its own: an index would satisfy the measure of atoms and help nobody who edits.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from tasks.compaction.plan import Change, CompactionPlan, Context, Disposition, Insert
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.evaluation.future import Use
from tasks.evaluation.item_facts import Told, atoms_of, lines_of, plain, words
from tasks.evaluation.refetch import Refetching
from tasks.facts.plan import plan as steps_of

VERBATIM_CHARS, VERBATIM_WORDS = 40, 5
"""A part of a line of the original says what it said from so many of both on."""
_BULLETS = "-*•>#0123456789.) \t"
_STAYS = (Disposition.VERBATIM, Disposition.PINNED)


COLUMNS = (
    "atom_regret", "weighted_regret", "hard_regret", "line_regret", "refetch_calls", "refetch_tokens", "regret_unrecoverable",
)  # fmt: skip
"""Sums over the uses that a view no longer serves."""
Losses = dict[str, float]
"""By column."""


class Replayed:
    """One context with what its future needed: what every view of it is measured by."""

    def __init__(self, context: Context, uses: Sequence[Use], told: Told) -> None:
        self.context, self.uses, self.told = context, uses, told
        self.items = context.items
        self.tokens = [context.tokens(at) for at in range(len(self.items))]
        self.total = sum(self.tokens)
        self._losses: dict[frozenset[int], Losses] = {}

    @cached_property
    def holders(self) -> dict[int, frozenset[int]]:
        """Use -> positions of the items that say it."""
        atoms = {use.what: number for number, use in enumerate(self.uses) if not use.is_line}
        found: dict[int, set[int]] = {number: set() for number in range(len(self.uses))}
        wanted = frozenset(atoms)
        lined = {use.what: number for number, use in enumerate(self.uses) if use.is_line}
        wanted_lines = frozenset(lined)
        for at, item in enumerate(self.items):
            for what in wanted & self.told.atoms(item):
                found[atoms[what]].add(at)
            for what in wanted_lines & self.told.lines(item) if wanted_lines else ():
                found[lined[what]].add(at)
        return {number: frozenset(positions) for number, positions in found.items()}

    @cached_property
    def refetching(self) -> Refetching:
        return Refetching(self.items, self.tokens, self.holders)

    @cached_property
    def constraints(self) -> list[tuple[int, str]]:
        """(position, sentence) of what people demanded in this context, each once."""
        found: dict[str, int] = {}
        for at, item in enumerate(self.items):
            for sentence in self.told.constraints(item):
                found.setdefault(sentence, at)
        return [(at, sentence) for sentence, at in found.items()]

    @cached_property
    def open_steps(self) -> list[tuple[int, str]]:
        """(position of the call that wrote it, text) of the steps of the plan that are not done."""
        place = {item.item_id: at for at, item in enumerate(self.items)}
        return [(place[step.item.item_id], step.text) for step in steps_of(self.items) if step.is_open]

    def losses(self, lost: frozenset[int]) -> Losses:
        """Of uses by number."""
        if lost not in self._losses:
            atoms = [use for number in lost if not (use := self.uses[number]).is_line]
            again = self.refetching.of(lost)
            values = (
                len(atoms), sum(use.weight for use in atoms), sum(use.is_hard for use in atoms), len(lost) - len(atoms),
                again.calls, again.tokens, again.unrecoverable,
            )  # fmt: skip
            self._losses[lost] = dict(zip(COLUMNS, map(float, values), strict=True))
        return self._losses[lost]


class _Piece:
    """A text that a plan made, and what it may have been copied from."""

    def __init__(self, text: str, originals: Sequence[Item], told: Told) -> None:
        self.text, self._originals, self._told = text, originals, told

    def copies(self, line: str) -> bool:
        """Whether a line of it is a line of the original, or a long enough part of one."""
        stripped = line.strip()
        if any(stripped in self._told.whole(item) for item in self._originals):
            return True
        rest = line.strip(_BULLETS)
        is_long = len(rest) >= VERBATIM_CHARS and len(rest.split()) >= VERBATIM_WORDS
        return is_long and any(rest in self._told.plain(item) for item in self._originals)

    def added(self) -> list[str]:
        """What of it is no copy: each run of such lines."""
        runs, is_open = list[list[str]](), False
        for line in self.text.split("\n"):
            is_new = bool(line.strip()) and not self.copies(line)
            if is_new:
                runs[-1:] = [[*runs[-1], line]] if is_open else [*runs[-1:], [line]]
            is_open = is_new
        return ["\n".join(run) for run in runs]


class View:
    """What a plan leaves of a context, measured by the uses of its future."""

    def __init__(self, plan: CompactionPlan, replayed: Replayed) -> None:
        self._replayed, self._plan = replayed, plan
        items = replayed.items
        self._changed = {change.position: change for change in plan.changes if change.disposition not in _STAYS}
        self._edited = [self._piece_of(change, items) for change in self._changed.values()]
        self._pieces = [*self._edited]
        self._pieces += [_inserted(insert, items, replayed) for insert in plan.inserts]
        self._lines: frozenset[str] | None = None

    def _piece_of(self, change: Change, items: Sequence[Item]) -> _Piece:
        item = items[change.position]
        text = change.text or ""
        if item.kind == ItemKind.TOOL_CALL:
            text = plain(replace(item, text=text))
        return _Piece(text, (item,), self._replayed.told)

    def lost(self) -> tuple[frozenset[int], int]:
        """(uses that nothing serves word for word, how many atoms of them are named all the same)."""
        lost, credited = set[int](), 0
        for number, positions in self._replayed.holders.items():
            if not positions <= self._changed.keys():
                continue
            use = self._replayed.uses[number]
            if use.is_line:
                served, named = use.what in self._kept_lines(), False
            else:
                served, named = self._serves(use.what)
            if not served:
                lost.add(number)
                credited += named
        return frozenset(lost), credited

    def _kept_lines(self) -> frozenset[str]:
        if self._lines is None:
            self._lines = frozenset().union(*(lines_of(piece.text) for piece in self._pieces))
        return self._lines

    def _serves(self, atom: str) -> tuple[bool, bool]:
        """(whether words of the original say it, whether any words do)."""
        named = False
        for piece in self._pieces:
            if atom not in piece.text:
                continue
            for line in piece.text.split("\n"):
                if atom in line and atom in atoms_of(line):
                    if piece.copies(line):
                        return True, True
                    named = True
        return False, named

    def residue(self) -> tuple[int, int]:
        """(runs that were taken out, tokens that stand in their place): words that are none of the original's."""
        added = [run for piece in self._edited for run in piece.added() or [""]]
        return len(added), self._replayed.context.count("\n".join(added)) if added else 0

    def constraints_kept(self) -> int:
        """Of the sentences that people demanded, those that stand word for word."""
        return sum(at not in self._changed or self._says(sentence) for at, sentence in self._replayed.constraints)

    def steps_kept(self) -> int:
        """Of the open steps of the plan, those that stand word for word."""
        return sum(at not in self._changed or self._says(words(text)) for at, text in self._replayed.open_steps)

    def _says(self, sentence: str) -> bool:
        if any(sentence in words(piece.text) for piece in self._pieces):
            return True
        told = self._replayed.told
        return any(
            sentence in words(told.plain(item))
            for at, item in enumerate(self._replayed.items)
            if at not in self._changed and sentence[:20] in item.text
        )


def _inserted(insert: Insert, items: Sequence[Item], replayed: Replayed) -> _Piece:
    sources = insert.sources or range(len(items))
    return _Piece(insert.text, [items[at] for at in sources if at < len(items)], replayed.told)


def generation(plan: CompactionPlan, items: Sequence[Item]) -> int:
    """How many summaries a reader of the view is away from the original words: 0 where none stands in it."""
    old = sum(item.kind == ItemKind.COMPACTION_SUMMARY for item in items)
    made = [insert for insert in plan.inserts if insert.kind == ItemKind.COMPACTION_SUMMARY]
    if not made:
        return old
    reads = any(items[at].kind == ItemKind.COMPACTION_SUMMARY for insert in made for at in insert.sources if at < len(items))
    return old + 1 if reads else max(1, old)


def parted(view: Sequence[Item], before: Sequence[Item]) -> bool:
    """Whether a result stands without its call, or a call without its result, that stood together before."""
    return _halves(view) - _halves(before) != set()


def _halves(items: Sequence[Item]) -> set[str]:
    calls = {item.call_id for item in items if item.kind == ItemKind.TOOL_CALL and item.call_id}
    results = {item.call_id for item in items if item.kind == ItemKind.TOOL_RESULT and item.call_id}
    return {one for one in calls ^ results if one}
