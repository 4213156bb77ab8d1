"""What a marker says of a file whose content is gone: which bytes were read, when, and whether it was edited since. Pure."""

import hashlib
from collections.abc import Iterable, Mapping

from tasks.compaction.cutting import Cutting
from tasks.compaction.orphans import Run
from tasks.compaction.run_marker import Note, within
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind, ToolCategory

HASH_CHARS = 8


def references(cutting: Cutting, runs: Iterable[Run]) -> dict[Run, Note]:
    """Of each read: a reference where all of it is gone, and in its first marker that the file was edited since."""
    edits = _edits(cutting)
    found: dict[Run, Note] = {}
    seen: set[int] = set()
    for run in runs:
        position = cutting.spots[run[0]].position
        cut = cutting.items[position].cut
        path = _path_of(cutting, position)
        if cut.source != ToolCategory.READ or not path or position in seen:
            continue
        seen.add(position)
        turn = max((turn for at, turn in edits.get(path, ()) if at > position), default=None)
        stale = "" if turn is None else f"STALE: edited turn {turn}"
        whole = _reference(cut.item, within(path, cutting.context.cwd)) if len(run) == len(cut.chunks) else ""
        if whole or stale:
            found[run] = Note(reference=whole, stale=stale)
    return found


def _reference(result: Item, path: str) -> str:
    digest = hashlib.sha256(result.text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_CHARS]
    return f"{path} @ {digest} (read turn {result.turn or 0}, {len(result.text.splitlines()):,} lines)"


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
