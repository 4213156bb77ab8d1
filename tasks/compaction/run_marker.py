"""What stands where chunks were taken out: one line that says what, and where it is. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from tasks.compaction.placeholder import what_for
from tasks.domain.item import Item

LABEL_CHARS = 60
CONTINUED = "[elided]"
"""Stands in the other arguments of a call that one marker speaks for."""


class Style(StrEnum):
    """How much a marker says."""

    FULL = "full"
    """The tool and the path or command as well, and the tokens."""
    SHORT = "short"
    """Lines and reference: the tool and its path or command stand in the call, which stays."""


@dataclass(frozen=True, slots=True)
class Note:
    """What else the marker of a run says."""

    names: tuple[str, ...] = ()
    """What a reader may look for in what is gone."""
    revision: str = ""
    """Which bytes of a file these were, when all that a read showed of it is gone."""
    stale: str = ""
    """That the file was edited since it was read."""

    @property
    def extra(self) -> str:
        """The words that it adds to a marker."""
        return self.begins + self.ends

    @property
    def begins(self) -> str:
        """Behind the lines."""
        return f" {self.revision}" if self.revision else ""

    @property
    def ends(self) -> str:
        """Behind the reference."""
        return (f", {self.stale}" if self.stale else "") + (f": {', '.join(self.names)}" if self.names else "")


NOTHING = Note()


@dataclass(frozen=True, slots=True)
class Gone:
    """What a marker speaks of."""

    lines: tuple[int, int]
    tokens: int
    ref: int
    """The place of the item in its session."""


def marker(style: Style, label: str, gone: Gone, note: Note = NOTHING) -> str:
    """One line."""
    lines = f"lines {gone.lines[0]}-{gone.lines[1]}{note.begins}"
    if style == Style.FULL:
        return f"[elided: {label} {lines}, {gone.tokens:,} tokens, ref {gone.ref}{note.ends}]"
    return f"[elided: {lines}, ref {gone.ref}{note.ends}]"


def label_of(item: Item, call: Item | None, cwd: str | None) -> str:
    """The tool, and the path or the command; of a long one the end of the path, the beginning of the command."""
    told = within(what_for(item, call or item), cwd)
    if len(told) > LABEL_CHARS:
        is_path = item.path or (call.path if call else None)
        told = f"…{told[1 - LABEL_CHARS :]}" if is_path else f"{told[: LABEL_CHARS - 1]}…"
    return " ".join(part for part in (item.tool_name or (call.tool_name if call else None) or "tool", told) if part)


def within(path: str, folder: str | None) -> str:
    """A path as it is said in that folder."""
    return path[len(folder) :].lstrip("/") if folder and path.startswith(folder.rstrip("/") + "/") else path
