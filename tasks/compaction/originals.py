"""Where the originals of evicted items can be read back: a log and a range of its lines. Pure."""

from collections import Counter
from collections.abc import Sequence

from tasks.compaction.marker import numbered
from tasks.compaction.plan import Context


def originals(context: Context, evicted: Sequence[int]) -> str:
    """Reading those lines gives every evicted item. Where a session has no log of lines, its items by their number."""
    items = [context.items[at] for at in evicted]
    logs = Counter(item.source_id for item in items)
    lines = [item.line_no for item in items if item.line_no is not None]
    if context.log_path and len(logs) == 1 and len(lines) == len(items):
        return f"{context.log_path} {numbered('line', min(lines), max(lines))}"
    seqs = [item.seq for item in items]
    return f"session {items[0].session_id} {numbered('item', min(seqs), max(seqs))}"
