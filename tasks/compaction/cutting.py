"""A context cut into chunks, and what its texts say to each other. Pure; remembers the items that it has cut.

A session is asked about at many of its calls, and its items are the same ones: whoever compacts it again and again hands the
same `Cuts` to every policy.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tasks.compaction.chunks import ATOMS, Chunk, Cut, Cutter
from tasks.compaction.cut import calls_of
from tasks.compaction.plan import Context
from tasks.compaction.run_marker import Gone, Style, label_of, marker
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind, ToolCategory
from tasks.tokens.looking import looks

_SOURCES = {one: one for one in (ToolCategory.READ, ToolCategory.SEARCH, ToolCategory.SHELL)} | {
    ToolCategory.TEST: ToolCategory.SHELL
}


REMEMBERED = 50_000
"""Items; then the memory starts anew."""


@dataclass(frozen=True, slots=True)
class Labeled:
    """A cut item with what a marker says of it, and the tokens that such a marker costs."""

    cut: Cut
    label: str
    marker_tokens: Mapping[Style, int]


@dataclass(frozen=True, slots=True)
class Spot:
    """A chunk in its context."""

    position: int
    number: int
    """Of the chunk, within its item."""
    chunk: Chunk


@dataclass(frozen=True)
class Cutting:
    """A context in chunks. `spots` are in the order of the context."""

    context: Context
    items: tuple[Labeled, ...]
    spots: tuple[Spot, ...]

    @property
    def tokens(self) -> int:
        """Of the whole context."""
        return sum(one.cut.tokens for one in self.items)

    @cached_property
    def _calls(self) -> Mapping[str, int]:
        return calls_of(self.context.items)

    def call_of(self, position: int) -> Item | None:
        """The call that a result is of."""
        item = self.context.items[position]
        at = self._calls.get(item.call_id or "") if item.kind == ItemKind.TOOL_RESULT else None
        return None if at is None else self.context.items[at]

    @cached_property
    def made_by(self) -> tuple[int, ...]:
        """Beside the items: the call that made each; of a result the one that asked for it, which is one before its first
        reader."""
        numbers = self.context.request_nos
        return tuple(
            numbers[self._calls.get(item.call_id or "", at)] if item.kind == ItemKind.TOOL_RESULT else numbers[at]
            for at, item in enumerate(self.context.items)
        )

    @cached_property
    def last_item_with(self) -> Mapping[str, int]:
        """Line -> position of the last item that shows it."""
        last: dict[str, int] = {}
        for position, one in enumerate(self.items):
            last.update(dict.fromkeys(one.cut.lines, position))
        return last

    @cached_property
    def of_item(self) -> Mapping[int, tuple[int, ...]]:
        """Position -> indexes into `spots` of its chunks."""
        found: dict[int, list[int]] = {}
        for index, spot in enumerate(self.spots):
            found.setdefault(spot.position, []).append(index)
        return {position: tuple(indexes) for position, indexes in found.items()}


@dataclass
class Cuts:
    """Cuts contexts. Remembers items by their ids, and the context that it was asked about last."""

    kinds: frozenset[str] = field(default=ATOMS)
    _items: dict[str, tuple[Item, Item | None, Labeled]] = field(default_factory=dict)
    _last: Cutting | None = None

    def of(self, context: Context) -> Cutting:
        """The context in chunks."""
        if self._last is not None and self._last.context.items is context.items and self._last.context.now == context.now:
            return self._last
        cutter, calls = Cutter(context.count, self.kinds), calls_of(context.items)
        items = tuple(self._labeled(context, cutter, item, calls) for item in context.items)
        spots = tuple(
            Spot(position, number, chunk) for position, one in enumerate(items) for number, chunk in enumerate(one.cut.chunks)
        )
        self._last = Cutting(context, items, spots)
        return self._last

    def _labeled(self, context: Context, cutter: Cutter, item: Item, calls: Mapping[str, int]) -> Labeled:
        at = calls.get(item.call_id or "") if item.kind == ItemKind.TOOL_RESULT else None
        call = None if at is None else context.items[at]
        known = self._items.get(item.item_id)
        if known and _is_same(known[0], item) and (known[1] is None) == (call is None):
            return known[2]
        cut = cutter.cut(item, source_of(item, call))
        label = label_of(item, call, context.cwd)
        cost = marker_tokens(label, item, cut, context.count) if cut.chunks else {}
        if len(self._items) >= REMEMBERED:
            self._items.clear()
        self._items[item.item_id] = (item, call, Labeled(cut, label, cost))
        return self._items[item.item_id][2]


def _is_same(one: Item, other: Item) -> bool:
    return one is other or (one.text, one.kind, one.flags) == (other.text, other.kind, other.flags)


def source_of(result: Item, call: Item | None) -> ToolCategory | None:
    """READ, SEARCH or SHELL, also where a shell reads or searches; None for what is no result, and for all others."""
    if result.kind != ItemKind.TOOL_RESULT:
        return None
    category = result.tool_category or (call.tool_category if call else None)
    source = _SOURCES[ToolCategory(category)] if category in _SOURCES else None
    if source == ToolCategory.SHELL and call is not None:
        return looks(call.text) or source
    return source


def marker_tokens(label: str, item: Item, cut: Cut, count: Callable[[str], int]) -> dict[Style, int]:
    """Of a marker in this item, with its own line: by the largest of its numbers, so that none costs more."""
    last = max(chunk.lines_at[1] for chunk in cut.chunks)
    gone = Gone((last, last), cut.tokens, item.seq)
    return {style: count(f"\n{marker(style, label, gone)}\n") for style in Style}
