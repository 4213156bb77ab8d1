"""What stands where chunks were taken out: one line that says what, and where it is. Pure."""

from collections.abc import Sequence

from tasks.compaction.placeholder import what_for
from tasks.domain.item import Item

LABEL_CHARS = 60
CONTINUED = "[elided]"
"""Stands in the other arguments of a call that one marker speaks for."""


def marker(label: str, lines: tuple[int, int], tokens: int, ref: int, names: Sequence[str] = ()) -> str:
    """`lines` are the first and the last, `ref` is the item's place in its session, `names` what a reader may look for."""
    index = f": {', '.join(names)}" if names else ""
    return f"[elided: {label} lines {lines[0]}-{lines[1]}, {tokens:,} tokens, ref {ref}{index}]"


def label_of(item: Item, call: Item | None, cwd: str | None) -> str:
    """The tool, and the path or the command; of a long one the end of the path, the beginning of the command."""
    path = item.path or (call.path if call else None)
    told = _within(what_for(item, call or item), cwd)
    if len(told) > LABEL_CHARS:
        told = f"…{told[1 - LABEL_CHARS :]}" if path else f"{told[: LABEL_CHARS - 1]}…"
    return " ".join(part for part in (item.tool_name or (call.tool_name if call else None) or "tool", told) if part)


def _within(path: str, folder: str | None) -> str:
    return path[len(folder) :].lstrip("/") if folder and path.startswith(folder.rstrip("/") + "/") else path
