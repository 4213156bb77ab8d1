"""What stands in a line of a yoi session log: an entry, and the items of its history, whichever way the enums were written.

yoi writes the variant of an entry as `kind`, of an item as `type` and later as `kind`; a log written by serde's default has it
as the only key. All are read alike.
"""

import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.readers.records import parsed
from tasks.readers.values import canonical, fields, text

STARTS = ("session_start", "segment_start")
COMPACTED = "compacted"
SAID = (
    "user_input", "assistant_item", "assistant_items", "tool_result", "tool_results", "hook_injected_items", "system_item",
    "system_items",
)  # fmt: skip
"""Entries that append to the history."""
USAGE = "llm_usage"
SILENT = (
    "turn_end", "run_outcome", "run_completed", "config_changed", "extension", "invoke", "locked", "cache_locked",
    "cache_unlocked", "paused_turn_abandoned",
)  # fmt: skip
FAILED = "run_errored"
KNOWN = frozenset((*STARTS, COMPACTED, *SAID, USAGE, *SILENT, FAILED))

_PARTS = ("text", "refusal")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PATHS = ("path", "file_path", "file")


@dataclass(frozen=True, slots=True)
class Piece:
    """One item of a history."""

    kind: ItemKind
    role: str
    text: str
    key: str
    """Hash of what it says: equal for an item and its copy in a later history."""
    call_id: str | None = None
    tool_name: str | None = None
    path: str | None = None
    flags: tuple[str, ...] = ()


def entry(data: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The variant in snake case and its fields; an unknown variant keeps its own name."""
    return _variant(data, KNOWN)


def pieces(name: str, body: dict[str, Any]) -> list[Piece]:
    """What an entry appends to the history."""
    if name == "user_input" and isinstance(body.get("segments"), list):
        return [_piece(ItemKind.USER_TEXT, "user", "".join(map(_segment, body["segments"])))]
    if name in ("system_item", "system_items"):
        return [_system(value) for value in _values(body)]
    found = [piece(value) for value in _values(body)]
    if name == "hook_injected_items":
        return [_piece(ItemKind.INJECTED, one.role, one.text) if one.kind is ItemKind.USER_TEXT else one for one in found]
    return found


def history(body: dict[str, Any]) -> list[Piece]:
    """The history that an entry sets."""
    found = body.get("history")
    return [piece(value) for value in found] if isinstance(found, list) else []


def piece(value: Any) -> Piece:
    """One item."""
    kind, body = _variant(fields(value), _ITEMS)
    if kind == "tool_call":
        return _call(body)
    if kind == "tool_result":
        said = "\n".join(part for name in ("summary", "content", "output") if (part := _words(body.get(name))))
        flags = ("error",) if body.get("is_error") is True else ()
        return _piece(ItemKind.TOOL_RESULT, "tool", said, call_id=text(body.get("call_id")), flags=flags)
    if kind == "reasoning":
        return _piece(ItemKind.REASONING, "assistant", _first(body, "text", "summary"))
    if kind in _ITEMS:
        role = (text(body.get("role")) or _ITEMS[kind]).lower()
        return _piece(_ROLES.get(role, ItemKind.INJECTED), role, _first(body, "content", "text"))
    return _piece(ItemKind.UNKNOWN, "", canonical(value))


_ITEMS = {
    "message": "user", "user_message": "user", "assistant_message": "assistant", "tool_call": "assistant",
    "tool_result": "tool", "reasoning": "assistant",
}  # fmt: skip
"""Variants of an item, and whose words they are where no role says so."""
_TYPED = (ItemKind.TOOL_CALL, ItemKind.TOOL_RESULT, ItemKind.REASONING, ItemKind.UNKNOWN)
"""Of messages a history does not tell what brought them there; their role is the same in every copy."""
_ROLES = {"user": ItemKind.USER_TEXT, "assistant": ItemKind.ASSISTANT_TEXT}


def _variant(data: dict[str, Any], known: Collection[str]) -> tuple[str, dict[str, Any]]:
    for tag in ("kind", "type"):
        name = data.get(tag)
        if isinstance(name, str) and snake(name) in known:
            return snake(name), data
    for name, value in data.items():
        if snake(name) in known and isinstance(value, dict | str):
            inner = value if isinstance(value, dict) else {"text": value}
            return snake(name), {**{k: v for k, v in data.items() if k != name}, **inner}
    name = text(data.get("kind")) or text(data.get("type"))
    return name or "unknown", data


def snake(name: str) -> str:
    """`ToolResult` as `tool_result`."""
    return _CAPITAL.sub("_", name).lower()


def _call(body: dict[str, Any]) -> Piece:
    given = body.get("arguments")
    arguments = given
    if isinstance(given, str):
        arguments = _arguments(given)
    path = next((found for name in _PATHS if (found := text(fields(arguments).get(name)))), None)
    said = canonical(arguments) if isinstance(arguments, dict | list) else str(given or "")
    return _piece(
        ItemKind.TOOL_CALL, "assistant", said, call_id=text(body.get("call_id")) or text(body.get("id")),
        tool_name=text(body.get("name")), path=path,
    )  # fmt: skip


def _arguments(given: str) -> Any:
    found = parsed(given.encode("utf-8", "replace"))
    return given if isinstance(found, str) else found[0]


def _system(value: Any) -> Piece:
    return _piece(ItemKind.INJECTED, "system", _first(fields(value), "body", "message", "content"))


def _segment(value: Any) -> str:
    """A part of what a person typed: text, a paste, or a reference as it was typed."""
    kind, body = _variant(fields(value), ("text", "paste", "file_ref", "flow"))
    if kind == "file_ref":
        return f"@{body.get('path')}"
    return f"/{body.get('selector')}" if kind == "flow" else _first(body, "content", "text")


def _values(body: dict[str, Any]) -> list[Any]:
    found = body.get("items")
    return found if isinstance(found, list) else [body["item"]] if "item" in body else []


def _words(content: Any) -> str:
    """A text, or the texts of a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else canonical(content)
    said = (part if isinstance(part, str) else _first(_variant(fields(part), _PARTS)[1], *_PARTS) for part in content)
    return "\n".join(part for part in said if part)


def _first(body: dict[str, Any], *names: str) -> str:
    """The first of these fields that says something."""
    return next((said for name in names if (said := _words(body.get(name)))), "")


def _piece(kind: ItemKind, role: str, said: str, **facts: Any) -> Piece:
    what = kind if kind in _TYPED else "message"
    names = (what, role, said, str(facts.get("call_id")), str(facts.get("tool_name")))
    key = hashlib.sha256("\0".join(names).encode("utf-8", "replace")).hexdigest()[:32]
    return Piece(kind, role, said, key, **facts)
