"""The parts of Kimi's messages and results, as items. Who a message comes from is its origin, never its role alone."""

from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.seen import SeenItem
from tasks.readers.draft import Draft
from tasks.readers.pictures import size_in
from tasks.readers.values import arguments, canonical, fields, objects, text, whole

_MEDIA = {"image_url", "audio_url", "video_url"}
_PUT_IN = ("<system>", "<system-reminder>", "<imported_context")
"""How texts begin that the program puts beside a person's own."""


def origin(message: dict[str, Any]) -> str:
    """Who made a message; a person's own need not say so."""
    return text(fields(message.get("origin")).get("kind")) or "user"


def count(value: Any) -> int | None:
    return whole(value)[0]


def words(content: Any) -> str:
    """The texts of a content, alone."""
    if isinstance(content, str):
        return content
    return "\n".join(said for part in objects(content) if (said := text(part.get("text"))))


def of_message(draft: Draft, message: dict[str, Any]) -> list[SeenItem]:
    """The items of an appended message."""
    role, content = text(message.get("role")) or "user", message.get("content")
    if role == "tool":
        return of_result(
            draft,
            {"toolCallId": message.get("toolCallId"), "result": {**message, "output": content}},
        )
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    kind = _kind(role, message)
    found = [item for one in (parts if isinstance(parts, list) else []) for item in part(draft, one, kind, role=role)]
    for call in objects(message.get("toolCalls")):
        said, path = arguments(call.get("arguments"))
        name, call_id = text(call.get("name")), text(call.get("id"))
        found.append(draft.item(ItemKind.TOOL_CALL, said, role=role, call_id=call_id, tool_name=name, path=path))
    return found


def _kind(role: str, message: dict[str, Any]) -> ItemKind:
    if role == "assistant":
        return ItemKind.ASSISTANT_TEXT
    if role == "system":
        return ItemKind.SYSTEM
    source = origin(message)
    if source == "compaction_summary":
        return ItemKind.COMPACTION_SUMMARY
    return ItemKind.USER_TEXT if source == "user" else ItemKind.INJECTED


def part(draft: Draft, given: Any, kind: ItemKind, *, role: str, call_id: str | None = None) -> list[SeenItem]:
    """One part of a message: text of the message's kind, thinking, a medium, or something unknown; an empty one is none."""
    data = fields(given)
    what = text(data.get("type")) or ""
    said = data.get({"think": "think"}.get(what, "text"))
    flags: tuple[str, ...] = ()
    if what in ("text", "think") and isinstance(said, str):
        is_put_in = kind is ItemKind.USER_TEXT and said.startswith(_PUT_IN)
        found = ItemKind.REASONING if what == "think" else ItemKind.INJECTED if is_put_in else kind
        if not said:
            return []
    elif what in _MEDIA:
        found, said, flags = ItemKind.IMAGE, "", (what,)
    else:
        found, said = ItemKind.UNKNOWN, canonical(given)
    size = size_in(data) if found is ItemKind.IMAGE else None
    return [draft.item(found, said, role=role, call_id=call_id, flags=flags, size=size)]


def of_result(draft: Draft, event: dict[str, Any]) -> list[SeenItem]:
    """What a tool gave, with the note that the program adds for the model; media stand on their own."""
    result = fields(event.get("result"))
    call_id, output = text(event.get("toolCallId")), result.get("output")
    flags = ("error",) if result.get("isError") is True else ()
    said = output if isinstance(output, str) else words(output)
    note = text(result.get("note"))
    said = f"{said}\n{note}" if note else said
    found = [draft.item(ItemKind.TOOL_RESULT, said, role="tool", call_id=call_id, flags=flags)]
    others = [one for one in objects(output) if one.get("type") != "text"]
    for one in others:
        found += part(draft, one, ItemKind.TOOL_RESULT, role="tool", call_id=call_id)
    return found
