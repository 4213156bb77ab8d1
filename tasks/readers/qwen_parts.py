"""The parts of one record of Qwen Code: what was typed, thought, said, called and given back."""

from collections.abc import Iterator
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.readers.contents import Block
from tasks.readers.pictures import size_in
from tasks.readers.usage import Usage, cached_inside
from tasks.readers.values import canonical, fields, file_named, objects, text, whole

_TYPED = (None, "mid_turn_user_message")
"""Subtypes of user records that a person wrote; cron, notifications and tasks of agents are others."""
_TAG = "<qwen:"
_SNAPSHOT = "<state_snapshot>"


def blocks(record: dict[str, Any]) -> Iterator[Block]:
    """All that a record of a message says."""
    kind = record.get("type")
    role = "model" if kind == "assistant" else "user"
    has_failed = fields(record.get("toolCallResult")).get("status") in ("error", "cancelled")
    shown = _shown(record)
    if shown is not None and shown.strip() not in {said.strip() for said in _texts(record)}:
        # What was typed was worded anew before it was sent.
        yield Block(ItemKind.USER_TEXT, role, shown, in_context=False)
    for part in objects(fields(record.get("message")).get("parts")):
        if "functionCall" in part:
            yield _call(fields(part["functionCall"]), role)
        elif "functionResponse" in part:
            yield _result(fields(part["functionResponse"]), has_failed=has_failed)
        elif "text" in part:
            if said := text(part["text"]):
                yield Block(_kind(record, part, said), role, said)
        else:
            yield _thing(part, role)


def _kind(record: dict[str, Any], part: dict[str, Any], said: str) -> ItemKind:
    if record.get("type") == "assistant":
        return ItemKind.REASONING if part.get("thought") is True else ItemKind.ASSISTANT_TEXT
    return ItemKind.USER_TEXT if _is_typed(record, said) else ItemKind.INJECTED


def _is_typed(record: dict[str, Any], said: str) -> bool:
    """A person's words: those shown as the prompt; where nothing says what is shown, those that carry no tag of the program."""
    if record.get("type") != "user" or record.get("subtype") not in _TYPED or record.get("isSidechain") is True:
        return False
    if record.get("provenance") not in (None, "real_user") or said.lstrip().startswith(_TAG):
        return False
    shown = _shown(record)
    return shown is None or said.strip() == shown.strip()


def _shown(record: dict[str, Any]) -> str | None:
    """What is shown as the prompt that a person typed."""
    is_prompt = record.get("type") == "user" and record.get("subtype") in _TYPED and record.get("isSidechain") is not True
    return text(fields(record.get("systemPayload")).get("displayText")) if is_prompt else None


def _texts(record: dict[str, Any]) -> list[str]:
    return [said for part in objects(fields(record.get("message")).get("parts")) if (said := text(part.get("text")))]


def _call(call: dict[str, Any], role: str) -> Block:
    arguments = call.get("args", {})
    return Block(
        ItemKind.TOOL_CALL, role, canonical(arguments), call_id=text(call.get("id")), tool_name=text(call.get("name")),
        path=file_named(arguments),
    )  # fmt: skip


def _result(found: dict[str, Any], *, has_failed: bool) -> Block:
    body = found.get("response")
    response = fields(body)
    said = next((response[name] for name in ("output", "error") if name in response), body)
    has_failed = has_failed or ("error" in response and "output" not in response)
    return Block(
        ItemKind.TOOL_RESULT, "user", said if isinstance(said, str) else "" if not said else canonical(said),
        call_id=text(found.get("id")), tool_name=text(found.get("name")), flags=("error",) if has_failed else (),
    )  # fmt: skip


def _thing(part: dict[str, Any], role: str) -> Block:
    data = fields(part.get("inlineData")) or fields(part.get("fileData"))
    mime = text(data.get("mimeType")) or ""
    if mime.startswith("image/"):
        return Block(ItemKind.IMAGE, role, text(data.get("fileUri")) or mime, size=size_in(data))
    return Block(ItemKind.UNKNOWN, role, text(data.get("fileUri")) or mime or canonical(part))


def summary(payload: dict[str, Any]) -> str | None:
    """What a compression left of the conversation: the snapshot in the new history, else its first words."""
    turns = objects(payload.get("compressedHistory"))
    said = [words for turn in turns for part in objects(turn.get("parts")) if (words := text(part.get("text")))]
    return next((words for words in said if _SNAPSHOT in words), said[0] if said else None)


def usage(found: dict[str, Any]) -> Usage | None:
    """None where nothing is counted. The prompt holds what was cached and, beside it, what tools put in; whether thoughts are
    inside the answer depends on the provider, and the total tells."""
    names = ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "toolUsePromptTokenCount", "totalTokenCount")
    prompt, said, thought, tool, total = (whole(found.get(name))[0] for name in names)
    if not any(name in found for name in names):
        return None
    without = sum(number or 0 for number in (prompt, said, tool))
    is_beside = thought is not None and total is not None and total == without + thought and thought > 0
    given = found.get("promptTokenCount") if prompt is None or not tool else prompt + tool
    used = cached_inside(
        given, found.get("cachedContentTokenCount"), None, found.get("candidatesTokenCount"),
        reasoning=None if is_beside else found.get("thoughtsTokenCount"), reasoning_beside=thought if is_beside else None,
    )  # fmt: skip
    if total is None or is_beside or total == without:
        return used
    return Usage(
        used.uncached, used.cache_read, output=used.output, reasoning=used.reasoning, flags=(*used.flags, "total_differs")
    )
