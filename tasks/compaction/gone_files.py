"""What a marker says of a file whose content is gone: which bytes were read, when, and whether it was edited since. Pure.

The path stands in the call of the read, which stays.
"""

import hashlib
from collections.abc import Iterable, Mapping

from tasks.compaction.cutting import Cutting
from tasks.compaction.orphans import Run
from tasks.compaction.run_marker import Note
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind, ToolCategory

HASH_CHARS = 8


def references(cutting: Cutting, runs: Iterable[Run]) -> dict[Run, Note]:
    """Of each read, in its first marker: the hash where all of it is gone, unless the file was read again, and that the file
    was edited since."""
    edits, last = _edits(cutting), _last_reads(cutting)
    found: dict[Run, Note] = {}
    seen: set[int] = set()
    for run in runs:
        position = cutting.spots[run[0]].position
        cut, path = cutting.items[position].cut, _path_of(cutting, position)
        if cut.source != ToolCategory.READ or not path or position in seen:
            continue
        seen.add(position)
        turn = max((turn for at, turn in edits.get(path, ()) if at > position), default=None)
        stale = "" if turn is None else f"STALE: edited turn {turn}"
        is_whole = len(run) == len(cut.chunks) and last[path] == position
        if is_whole or stale:
            found[run] = Note(revision=_revision(cut.item) if is_whole else "", stale=stale)
    return found


def _revision(result: Item) -> str:
    digest = hashlib.sha256(result.text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_CHARS]
    return f"@ {digest} (read turn {result.turn or 0})"


def _last_reads(cutting: Cutting) -> dict[str, int]:
    """Path -> position of the last result that read it."""
    return {
        path: at
        for at, one in enumerate(cutting.items)
        if one.cut.source == ToolCategory.READ and (path := _path_of(cutting, at))
    }


def _path_of(cutting: Cutting, position: int) -> str | None:
    item, call = cutting.items[position].cut.item, cutting.call_of(position)
    return item.path or (call.path if call else None)


def _edits(cutting: Cutting) -> Mapping[str, list[tuple[int, int]]]:
    """Path -> (position, turn) of the calls that edited it, without those that failed."""
    items = cutting.context.items
    failed = {item.call_id for item in items if item.kind == ItemKind.TOOL_RESULT and "error" in item.flags}
    found: dict[str, list[tuple[int, int]]] = {}
    for at, item in enumerate(items):
        is_edit = item.kind == ItemKind.TOOL_CALL and item.tool_category == ToolCategory.EDIT
        if is_edit and item.path and item.call_id not in failed:
            found.setdefault(item.path, []).append((at, item.turn or 0))
    return found
