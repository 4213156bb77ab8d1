"""The messages that Kimi's model has before it, as the journal's operations change them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.seen import SeenItem
from tasks.readers import branches
from tasks.readers.values import whole


@dataclass(slots=True)
class _Message:
    items: list[SeenItem] = field(default_factory=list)
    is_own: bool = False
    """Put there by the program itself: no undo takes it back."""
    is_result: bool = False

    @property
    def is_typed(self) -> bool:
        return any(item.kind is ItemKind.USER_TEXT for item in self.items)

    @property
    def is_summary(self) -> bool:
        return any(item.kind is ItemKind.COMPACTION_SUMMARY for item in self.items)


class History:
    """The window, message by message. What leaves it stays an item; how it left is written on the item."""

    def __init__(self) -> None:
        self._messages: list[_Message] = []

    def append(self, items: list[SeenItem], *, is_own: bool = False, is_result: bool = False) -> list[SeenItem]:
        """Adds a message and gives its items, to which more may be added."""
        self._messages.append(_Message(items, is_own, is_result))
        return items

    def compact(self, summary: list[SeenItem], kept: Any, kept_first: Any) -> int:
        """Leaves the summary and as many of the typed messages, first and last ones, as the journal says; how many items go."""
        typed = [message for message in self._messages if message.is_typed]
        total, first = whole(kept)[0] or 0, whole(kept_first)[0] or 0
        last = max(0, min(total - first, len(typed)))
        head, tail = min(first, total), len(typed) - last
        staying = [message for no, message in enumerate(typed) if no < head or no >= tail]
        for message in staying:
            for item in message.items:
                item.flags += ("preserved",) if "preserved" not in item.flags else ()
        gone = sum(len(message.items) for message in self._messages) - sum(len(message.items) for message in staying)
        self._messages = [*staying, _Message(summary)]
        return gone

    def clear(self) -> int:
        """Empties the window; how many items go."""
        gone = sum(len(message.items) for message in self._messages)
        self._messages = []
        return gone

    def undo(self, prompts: int) -> None:
        """Takes back the last prompts and all that followed them, but never across a compaction."""
        at, gone, before = len(self._messages) - 1, list[SeenItem](), None
        while prompts > 0 and at >= 0 and not self._messages[at].is_summary:
            message = self._messages[at]
            if message.is_own:
                before = before or (message.items[-1] if gone and message.items else None)
            else:
                prompts -= message.is_typed
                gone = [*message.items, *gone]
                del self._messages[at]
            at -= 1
        stays = [item for message in self._messages[: at + 1] for item in message.items]
        branches.leave(gone, before or (stays[-1] if stays else None))

    def prune(self, cutoff: int, at: datetime | None) -> None:
        """Results before the cutoff are shown to the model as cleared from here on; the journal keeps them."""
        for message in self._messages[:cutoff]:
            if message.is_result:
                for item in message.items:
                    if "pruned" not in item.flags:
                        item.flags, item.cleared_at = (*item.flags, "pruned"), at
