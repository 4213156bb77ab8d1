"""What the log says that happened to an item in the window: cleared, replaced by a few words, taken away. Pure."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tasks.context.standing import Form, Standing
from tasks.domain.kinds import ItemKind


@dataclass(frozen=True, slots=True)
class Look:
    """How an item stands from some call on."""

    form: Form | None
    """None: not at all."""
    item: Standing
    inferred: bool = False
    """The log does not say when it came to that."""


def first_look(item: Standing) -> Look:
    """How it stands when it comes in."""
    if item.kind == ItemKind.COMPACTION_SUMMARY:
        return Look(Form.SUMMARY, item)
    return Look(Form.PREVIEW if item.is_preview else Form.FULL, item)


def cleared(item: Standing) -> Look:
    """A few words stand for it. Pictures that came with a result go with it."""
    return Look(None if item.kind == ItemKind.IMAGE else Form.CLEARED, item)


class Changes:
    """Notices of a log that change how earlier items stand."""

    def __init__(self, items: Sequence[Standing]) -> None:
        self._cleared: dict[str, list[Standing]] = defaultdict(list)
        """By call id or record."""
        self._replaced: dict[str, list[Standing]] = defaultdict(list)
        for item in items:
            for name in item.clears:
                self._cleared[name].append(item)
            if item.replaces:
                self._replaced[item.replaces].append(item)

    def of(self, item: Standing) -> list[tuple[Standing, Look]]:
        """Each notice that is about an item, with what the item looks like from it on."""
        found: list[tuple[Standing, Look]] = []
        if item.call_id and item.kind in (ItemKind.TOOL_RESULT, ItemKind.IMAGE):
            found += [(notice, cleared(item)) for notice in self._cleared.get(item.call_id, ())]
        if item.call_id and item.kind == ItemKind.TOOL_RESULT:
            found += [(notice, Look(Form.PREVIEW, _preview(item, notice))) for notice in self._replaced.get(item.call_id, ())]
        if self._cleared and not item.is_made and item.kind != ItemKind.TOOL_RESULT:
            found += [(notice, Look(None, item)) for notice in self._cleared.get(record_of(item), ())]
        return found


def record_of(item: Standing) -> str:
    """The native id of the record that says it, as item ids hold it: `agent:record:block`."""
    return item.item_id.partition(":")[2].rpartition(":")[0]


def _preview(item: Standing, words: Standing) -> Standing:
    return replace(item, tokens=words.tokens, chars=words.chars, is_preview=True)
