"""The files a session touched: what was last done to each, and when."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind, ToolCategory

_PATCHED = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+?)(?:\\n|\n|\"|$)")
_OPS = {ToolCategory.READ.value: "read", ToolCategory.EDIT.value: "edit", ToolCategory.SEARCH.value: "search"}
_WRITES = {"write", "write_file", "create_file", "create"}


@dataclass(frozen=True, slots=True)
class FileTouch:
    """A file, with the last thing done to it."""

    path: str
    """As logged."""
    op: str
    """edit, write, add, delete, read, search or other."""
    turn: int | None
    line_no: int | None
    """Of the call, in the log."""
    times: int
    was_edited: bool
    """At any time in the session, not only last."""


def files(items: Iterable[Item]) -> list[FileTouch]:
    """Files by their last touch, newest first, one row per path; only calls count, text that mentions a path does not."""
    touched: dict[str, FileTouch] = {}
    for item in items:
        if item.kind != ItemKind.TOOL_CALL:
            continue
        for path, op in _touches(item):
            old = touched.pop(path, None)
            edited = op not in {"read", "search", "other"} or (old is not None and old.was_edited)
            touched[path] = FileTouch(path, op, item.turn, item.line_no, 1 + (old.times if old else 0), edited)
    return list(reversed(touched.values()))


def _touches(item: Item) -> list[tuple[str, str]]:
    patched = [(path.strip(), verb.lower()) for verb, path in _PATCHED.findall(item.text)] if "*** " in item.text else []
    if patched:
        return [(path, "edit" if verb == "update" else verb) for path, verb in patched]
    if not item.path:
        return []
    op = "write" if (item.tool_name or "").lower() in _WRITES else _OPS.get(item.tool_category or "", "other")
    return [(item.path, op)]
