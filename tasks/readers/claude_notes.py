"""Attachments and system records of Claude Code -> what they put into the context, or tell."""

from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.readers.claude_blocks import Block, content_of, media_text
from tasks.readers.claude_prompts import is_echo
from tasks.readers.pictures import size_in
from tasks.readers.values import canonical, objects

_READABLE = (
    "content", "text", "snippet", "banner", "planContent", "addedLines", "addedBlocks", "skills", "blockingError", "stderr",
    "stdout", "error", "message", "formatted", "file", "deltaSummary", "newDate",
)  # fmt: skip
"""Where attachments keep what can be read, in the order it is put together."""

_SENT_NOTICES = (
    "budget_usd", "total_tokens_reminder", "token_usage", "date_change", "batching_reminder_sent", "silent_turn_reminder",
    "read_truncation_notice",
)  # fmt: skip
_UNSENT_NOTICES = (
    "hook_non_blocking_error", "hook_cancelled", "hook_system_message", "hook_error_during_execution", "command_permissions",
    "structured_output",
)  # fmt: skip
_PATHS = ("filename", "path", "planFilePath", "outputFilePath", "skillDir")


def attachment_blocks(record: dict[str, Any], *, is_agent: bool) -> list[Block]:
    """What an attachment holds: a prompt typed while the model worked, or text that the program added to the context."""
    attachment = record.get("attachment")
    if not isinstance(attachment, dict):
        return []
    kind = attachment.get("type")
    if kind == "queued_command":
        return _queued(record, attachment, is_agent=is_agent)
    text, flags = _text_of(attachment)
    return [_added(attachment, kind, text, flags)] if text else []


def _added(attachment: dict[str, Any], kind: Any, text: str, flags: tuple[str, ...]) -> Block:
    path = next((p for name in _PATHS if isinstance(p := attachment.get(name), str) and p), None)
    if kind == "hook_success":
        return Block(0, ItemKind.NOTICE, text, in_context=bool(attachment.get("content")), flags=flags)
    if kind in _SENT_NOTICES or kind in _UNSENT_NOTICES:
        return Block(0, ItemKind.NOTICE, text, in_context=kind in _SENT_NOTICES, flags=flags)
    if _is_image(attachment):
        return Block(0, ItemKind.IMAGE, text, path=path, flags=flags, size=size_in(attachment["content"]))
    return Block(0, ItemKind.INJECTED, text, path=path, flags=flags)


def _queued(record: dict[str, Any], attachment: dict[str, Any], *, is_agent: bool) -> list[Block]:
    is_program = is_agent or attachment.get("commandMode", "prompt") != "prompt" or attachment.get("isMeta") is True
    blocks = []
    for no, block in enumerate(content_of({"message": {"content": attachment.get("prompt")}})):
        text = block.get("text") if isinstance(block, dict) else block
        if isinstance(text, str) and text:
            kind = ItemKind.INJECTED if is_program or record.get("isMeta") or is_echo(text) else ItemKind.USER_TEXT
            blocks.append(Block(no, kind, text))
        elif isinstance(block, dict) and block.get("type") == "image":
            source = block.get("source")
            blocks.append(Block(no, ItemKind.IMAGE, media_text("image", source), size=size_in(source)))
    return blocks


def _is_image(attachment: dict[str, Any]) -> bool:
    content = attachment.get("content")
    return isinstance(content, dict) and content.get("type") == "image"


def _text_of(attachment: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The readable text; where there is none, the rest as JSON, marked as not what the model saw."""
    if _is_image(attachment):
        return media_text("image", attachment["content"].get("file")), ("not_verbatim",)
    text = readable(attachment)
    if text:
        return text, ()
    rest = {key: value for key, value in attachment.items() if key != "type" and value not in (None, "", [], {})}
    return (canonical(rest), ("not_verbatim",)) if rest else ("", ())


def readable(value: Any) -> str:
    """The text inside a value: of a list all parts, of an object its known text fields, else the object as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(text for part in value if (text := readable(part) or _json_of(part)))
    if isinstance(value, dict):
        return "\n".join(text for name in _READABLE if name in value and (text := readable(value[name])))
    return ""


def _json_of(value: Any) -> str:
    return canonical(value) if isinstance(value, dict) and value else ""


def replacement_blocks(record: dict[str, Any]) -> list[Block]:
    """What the window holds in place of results that were too much together: for each call, the words that were sent."""
    found = [(no, one, one.get("toolUseId")) for no, one in enumerate(objects(record.get("replacements")))]
    return [
        Block(no, ItemKind.NOTICE, readable(one.get("replacement")), in_context=False, call_id=call_id, flags=("replacement",))
        for no, one, call_id in found
        if isinstance(call_id, str) and call_id
    ]


def system_block(record: dict[str, Any]) -> Block | None:
    """What the program told the person in a system record, if it has words; the model did not see it."""
    if record.get("subtype") == "microcompact_boundary":
        return Block(
            0, ItemKind.NOTICE, canonical(record.get("microcompactMetadata") or {}), in_context=False, flags=("microcompact",)
        )
    text = readable({name: record[name] for name in ("content", "error", "message") if name in record})
    hook_errors = record.get("hookErrors")
    if not text and isinstance(hook_errors, list):
        text = "\n".join(error for error in hook_errors if isinstance(error, str))
    return Block(0, ItemKind.NOTICE, text, in_context=False) if text else None
