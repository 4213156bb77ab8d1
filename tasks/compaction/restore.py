"""A compacted context back to its full text, as far as a larger window has room. Pure: who has the originals is given.

What was changed is known by the mark that the plan left on it, and its original by the id of the item; a text that only looks
like a placeholder is somebody's output, and stays. Summaries are not expanded.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tasks.compaction.plan import MARK, CompactionPlan, Disposition, apply
from tasks.domain.item import Item

Originals = Callable[[str], Item | None]
"""The original of an item, by its id; None where it is nowhere."""
_CHANGED = {MARK + one for one in (Disposition.PLACEHOLDER, Disposition.REFERENCE, Disposition.SPLIT)}


@dataclass(frozen=True, slots=True)
class Gone:
    """An item that a plan took out without a summary in its place."""

    item_id: str
    before: int
    """Index into the view: what it stood before."""
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Compacted:
    """A compacted context, with what is needed to undo it."""

    view: tuple[Item, ...]
    gone: tuple[Gone, ...]


@dataclass(frozen=True, slots=True)
class Restored:
    """A context with what could be restored of it."""

    items: tuple[Item, ...]
    tokens: int
    restored: tuple[str, ...]
    """Ids, the newest first."""
    missing: tuple[str, ...]
    """Ids whose original is nowhere: these stay as they are."""
    left: tuple[str, ...]
    """Ids of what the window had no room for."""

    @property
    def is_incomplete(self) -> bool:
        """Whether something cannot be restored at any size."""
        return bool(self.missing)


@dataclass(slots=True)
class _Slot:
    """A place of the full context: an item of the view, or one that is gone."""

    item: Item | None
    gone: Gone | None = None

    @property
    def item_id(self) -> str:
        return self.gone.item_id if self.gone else self.item.item_id if self.item else ""

    @property
    def is_changed(self) -> bool:
        return self.item is None or any(flag in _CHANGED for flag in self.item.flags)


def compacted(plan: CompactionPlan, items: Sequence[Item]) -> Compacted:
    """Applies a plan, and keeps the ids of what it takes out."""
    changes = {change.position: change for change in plan.changes}
    inserted = [insert.position for insert in plan.inserts]
    gone: list[Gone] = []
    index = 0
    for position, item in enumerate(items):
        index += inserted.count(position)
        change = changes.get(position)
        stays = change is None or change.text is not None or change.disposition in (Disposition.VERBATIM, Disposition.PINNED)
        index += stays
        if change is not None and not stays and change.disposition != Disposition.SUMMARIZED:
            gone.append(Gone(item.item_id, index, item.call_id))
    return Compacted(apply(plan, items), tuple(gone))


def restore(found: Compacted, original: Originals, count: Callable[[str], int], window: int | None = None) -> Restored:
    """Newest first, until the next one would not fit into `window` tokens; without a window all of it."""

    def size(item: Item | None) -> int:
        return 0 if item is None else count(item.text) if item.tokens is None else item.tokens

    slots = _slots(found)
    tokens = sum(size(slot.item) for slot in slots)
    restored: list[str] = []
    missing: list[str] = []
    is_full = False
    left: list[str] = []
    for slots_of_one in _units(slots):
        originals = {slot.item_id: original(slot.item_id) for slot in slots_of_one}
        absent = [name for name, item in originals.items() if item is None]
        more = sum(size(originals[slot.item_id]) - size(slot.item) for slot in slots_of_one)
        if absent:
            missing += absent
        elif is_full or (window is not None and tokens + more > window):
            is_full = True
            left += originals
        else:
            tokens += more
            restored += originals
            for slot in slots_of_one:
                slot.item = originals[slot.item_id]
    return Restored(
        tuple(slot.item for slot in slots if slot.item is not None), tokens, tuple(restored), tuple(missing), tuple(left)
    )


def _slots(found: Compacted) -> list[_Slot]:
    slots: list[_Slot] = []
    waiting = sorted(found.gone, key=lambda gone: gone.before)[::-1]
    for index, item in enumerate([*found.view, None]):
        while waiting and (waiting[-1].before <= index or item is None):
            slots.append(_Slot(None, waiting.pop()))
        if item is not None:
            slots.append(_Slot(item))
    return slots


def _units(slots: Sequence[_Slot]) -> Iterator[list[_Slot]]:
    """What is restored together, the newest first: a call that is gone with its result that is gone."""
    done: set[int] = set()
    for at in range(len(slots) - 1, -1, -1):
        slot = slots[at]
        if at in done or not slot.is_changed:
            continue
        unit = [slot]
        if slot.gone and slot.gone.call_id:
            partners = [n for n in range(at) if (other := slots[n].gone) and other.call_id == slot.gone.call_id]
            done.update(partners)
            unit += [slots[n] for n in reversed(partners)]
        yield unit
