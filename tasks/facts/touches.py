"""Every touch of a file in a session, in its order: by tools made for it, by patches, by shell commands. Pure."""

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind, ToolCategory
from tasks.facts.shellfiles import EVERYTHING, shell_touches
from tasks.tokens.taxonomy import shell_command

CERTAIN, POSSIBLE = "certain", "possible"
CHANGES = frozenset({"edit", "write", "add", "delete", "restore", "format", "generate"})
_PATCHED = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+?)(?:\\n|\n|\"|$)|\*\*\* (Move) to: (.+?)(?:\\n|\n|\"|$)")
_WRITES = {"write", "write_file", "create_file", "create", "write_to_file"}
_DELETES = {"delete", "delete_file", "remove_file"}
_PATHS = ("file_path", "notebook_path", "filePath", "absolute_path", "path", "target_file")
_SHELLS = {ToolCategory.SHELL.value, ToolCategory.TEST.value}


@dataclass(frozen=True, slots=True)
class Touch:
    """One thing done to one file by one call."""

    path: str
    """As logged; in a shell below the folder it changed to. A folder or a pattern stands for what is in it."""
    op: str
    """read, search, other, or one of CHANGES."""
    is_certain: bool
    """False where the file may be as it was: a formatter, a checkout, a command that failed."""
    call: Item
    result: Item | None
    first_line: int | None = None
    """As asked for."""
    last_line: int | None = None

    @property
    def is_change(self) -> bool:
        return self.op in CHANGES


def touches(items: Iterable[Item]) -> list[Touch]:
    """Of all calls with what came of them; an edit that failed changed nothing, and a read that failed showed nothing."""
    ordered = list(items)
    results = {item.call_id: item for item in ordered if item.kind == ItemKind.TOOL_RESULT and item.call_id}
    found: list[Touch] = []
    for item in ordered:
        if item.kind == ItemKind.TOOL_CALL:
            result = results.get(item.call_id or "")
            found += _of_call(item, result, failed=result is not None and "error" in result.flags)
    return found


def _of_call(item: Item, result: Item | None, *, failed: bool) -> Iterator[Touch]:
    patched = (
        [(one or two, path or moved) for one, path, two, moved in _PATCHED.findall(item.text)] if "*** " in item.text else []
    )
    if patched:
        ops = {"Update": "edit", "Move": "write"}
        yield from (
            Touch(path.strip(), ops.get(verb, verb.lower()), True, item, result) for verb, path in patched if not failed
        )
    elif item.tool_category in _SHELLS:
        for touch in shell_touches(shell_command(item.text)):
            one = Touch(touch.path, touch.op, touch.is_certain and not failed, item, result, touch.first_line, touch.last_line)
            if one.is_change or not failed:
                yield one
    elif not failed:
        yield from _of_tool(item, result)


def _of_tool(item: Item, result: Item | None) -> Iterator[Touch]:
    arguments = _arguments(item.text)
    paths = dict.fromkeys([item.path] if item.path else _paths(arguments))
    op = _op(item, arguments)
    first, last = _asked(arguments) if op == "read" and len(paths) == 1 else (None, None)
    for path in paths:
        yield Touch(path, op, op != "format", item, result, first, last)


def _op(item: Item, arguments: Mapping[str, Any]) -> str:
    name = (item.tool_name or "").lower().rsplit("__", 1)[-1]
    command = arguments.get("command")
    if command == "view":
        return "read"
    if name in _WRITES or command == "create":
        return "write"
    if name in _DELETES:
        return "delete"
    if name == "format_file":
        return "format"
    known = {ToolCategory.READ.value: "read", ToolCategory.EDIT.value: "edit", ToolCategory.SEARCH.value: "search"}
    return known.get(item.tool_category or "", "other")


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _paths(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Where a call names several: in lists of paths, of edits, of files."""
    for value in arguments.values():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                yield from (one[key] for key in _PATHS if isinstance(one.get(key), str) and one[key])
    for key in ("paths", "files", "file_paths"):
        listed = arguments.get(key)
        yield from (one for one in (listed if isinstance(listed, list) else []) if isinstance(one, str) and one)


def _asked(arguments: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """The lines a read asks for, from 1."""
    shown = arguments.get("view_range")
    if isinstance(shown, list) and len(shown) == 2:
        return _line(shown[0]), _line(shown[1])
    first = next(
        (line for key in ("offset", "start_line", "startLine", "StartLine") if (line := _line(arguments.get(key)))), None
    )
    last = next((line for key in ("end_line", "endLine", "EndLine") if (line := _line(arguments.get(key)))), None)
    limit = _line(arguments.get("limit"))
    return (first or (1 if limit or last else None)), last or ((first or 1) + limit - 1 if limit else None)


def _line(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**9 else None


def plain(path: str) -> str:
    """A path to compare: one kind of slash, no detours."""
    return posixpath.normpath(path.replace("\\", "/"))


def covers(change: str, path: str) -> str:
    """How sure it is that a change of one path (plain) is one of another: certain, possible, or empty where it is none.

    A short path may be the same file named from elsewhere, or a folder above it.
    """
    if change == path:
        return CERTAIN
    if change == EVERYTHING:
        return POSSIBLE
    if "*" in change:
        pattern = re.escape(change.lstrip("*/")).replace(r"\*", "[^/]*")
        return POSSIBLE if re.search(rf"(?:^|/){pattern}$", path) else ""
    short, long = sorted((change, path), key=len)
    if not _is_absolute(short) and long.endswith("/" + short):
        return CERTAIN if _is_absolute(long) else POSSIBLE
    return POSSIBLE if f"/{change.strip('/')}/" in f"/{path}" else ""


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "~")) or path[1:3] == ":/"
