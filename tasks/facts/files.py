"""The files a session touched: what was last done to each, and when."""

from collections.abc import Iterable
from dataclasses import dataclass

from tasks.domain.item import Item
from tasks.facts.shellfiles import EVERYTHING
from tasks.facts.touches import touches


@dataclass(frozen=True, slots=True)
class FileTouch:
    """A file, with the last thing done to it."""

    path: str
    """As logged."""
    op: str
    """edit, write, add, delete, restore, format, read, search or other."""
    turn: int | None
    line_no: int | None
    """Of the call, in the log."""
    times: int
    was_edited: bool
    """At any time in the session, not only last."""


def files(items: Iterable[Item]) -> list[FileTouch]:
    """Files by their last touch, newest first, one row per path; only calls count, text that mentions a path does not.

    What may have changed anything, such as a checkout, names no file here; what only may have changed a file is no edit.
    """
    touched: dict[str, FileTouch] = {}
    for touch in touches(items):
        if touch.path == EVERYTHING or "*" in touch.path:
            continue
        old = touched.pop(touch.path, None)
        edited = (touch.is_change and touch.is_certain) or (old is not None and old.was_edited)
        times = 1 + (old.times if old else 0)
        touched[touch.path] = FileTouch(touch.path, touch.op, touch.call.turn, touch.call.line_no, times, edited)
    return list(reversed(touched.values()))
