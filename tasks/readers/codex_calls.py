"""Which call produced which item. Codex does not say; the order of the lines does.

Newer versions write a call's items and then its token_count, older ones (0.60) the token_count first. The order is settled
anew in every turn, because a resumed session may change its version.
"""

from collections.abc import Mapping, Sequence

from tasks.domain.kinds import ItemKind
from tasks.domain.seen import SeenItem
from tasks.readers.codex_items import PRODUCED
from tasks.readers.codex_lines import Mark


def assign(marks: Sequence[Mark], request_ids: Mapping[int, str]) -> None:
    """Sets `request_id` of produced items. `request_ids`: the paid calls by the number of the record that reports them."""
    pending: list[SeenItem] = []
    """Produced, and not yet paid for: the call's report comes after them."""
    run: list[SeenItem] = []
    """Produced since the last thing that went into the context."""
    open_id: str | None = None
    """The call whose report came before its items."""
    for mark in marks:
        if mark.no in request_ids:
            late = pending or run
            for item in late:
                item.request_id = request_ids[mark.no]
            open_id = None if late else request_ids[mark.no]
            pending, run = [], []
        if mark.type == "compacted":
            pending, run, open_id = [], [], None
        for item in mark.items:
            if item.kind in PRODUCED:
                item.request_id = open_id
                run.append(item)
                if open_id is None:
                    pending.append(item)
            elif item.kind is ItemKind.TOOL_RESULT:
                run = []
            elif item.kind in (ItemKind.USER_TEXT, ItemKind.INJECTED):
                pending, run, open_id = [], [], None
