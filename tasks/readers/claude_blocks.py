"""Content blocks of Claude Code's messages -> what they are and say. Pure; knows nothing of sessions or files."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.readers.claude_prompts import text_kind
from tasks.readers.pictures import Size, size_in
from tasks.readers.values import canonical

_PATH_ARGUMENTS = ("file_path", "notebook_path", "path")
_RESULT_ENDINGS = ("tool_result",)
_REJECTION = "The user doesn't want to "
"""How the result of a call begins that a person refused; what they typed instead follows in it."""
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")


@dataclass(slots=True)
class Block:
    """One thing said or done inside a record."""

    no: int
    """Index of the block in the record."""
    kind: ItemKind
    text: str
    sub: str = ""
    """`.n` for part n of a tool result that is a thing of its own (an image)."""
    in_context: bool = True
    call_id: str | None = None
    tool_name: str | None = None
    path: str | None = None
    prompt: str | None = None
    """The task that a call hands to a sub-agent."""
    flags: tuple[str, ...] = ()
    opaque_chars: int | None = None
    size: Size | None = None
    """Of an image."""


def content_of(record: dict[str, Any]) -> list[Any]:
    """The content blocks of a record's message; a bare string is one text block."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else message
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []


def user_blocks(record: dict[str, Any], *, is_agent: bool) -> Iterator[Block]:
    """What a user record holds: prompts, results of tools, images, and what the program wrote there."""
    for no, block in enumerate(content_of(record)):
        kind, text = _kind_and_text(block)
        if kind == "text":
            if text:
                yield Block(no, text_kind(record, text, is_agent=is_agent), text)
        elif kind.endswith(_RESULT_ENDINGS):
            yield from _result(no, block)
        else:
            yield _other(no, kind, block)


def assistant_blocks(record: dict[str, Any], *, is_notice: bool) -> Iterator[Block]:
    """What an assistant record holds. `is_notice`: written by the program, never by a model."""
    marks = ("synthetic", "api_error") if record.get("isApiErrorMessage") is True else ("synthetic",)
    for no, block in enumerate(content_of(record)):
        kind, text = _kind_and_text(block)
        if is_notice:
            yield Block(no, ItemKind.NOTICE, text or canonical(block), in_context=False, flags=marks)
        elif kind == "text":
            if text:
                is_summary = record.get("isCompactSummary") is True
                yield Block(no, ItemKind.COMPACTION_SUMMARY if is_summary else ItemKind.ASSISTANT_TEXT, text)
        elif kind == "thinking":
            yield Block(no, ItemKind.REASONING, _text(block.get("thinking")), opaque_chars=_length(block.get("signature")))
        elif kind == "redacted_thinking":
            yield Block(no, ItemKind.REASONING, "", flags=("redacted",), opaque_chars=_length(block.get("data")))
        elif kind in _CALLS:
            yield _call(no, block)
        elif kind.endswith(_RESULT_ENDINGS):
            yield from _result(no, block)
        else:
            yield _other(no, kind, block)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _length(value: Any) -> int | None:
    return len(value) if isinstance(value, str) and value else None


def _kind_and_text(block: Any) -> tuple[str, str]:
    if isinstance(block, str):
        return "text", block
    if not isinstance(block, dict):
        return "", ""
    return _text(block.get("type")), _text(block.get("text"))


def _call(no: int, block: dict[str, Any]) -> Block:
    arguments = block.get("input")
    path = prompt = None
    if isinstance(arguments, dict):
        path = next((p for name in _PATH_ARGUMENTS if isinstance(p := arguments.get(name), str) and p), None)
        prompt = arguments.get("prompt") if isinstance(arguments.get("prompt"), str) else None
    name, call_id = block.get("name"), block.get("id")
    return Block(
        no, ItemKind.TOOL_CALL, canonical(arguments), call_id=call_id if isinstance(call_id, str) else None,
        tool_name=name if isinstance(name, str) else None, path=path, prompt=prompt,
    )  # fmt: skip


def _result(no: int, block: dict[str, Any]) -> Iterator[Block]:
    """The text of a result, then each part of it that is no text as a thing of its own."""
    call_id = block.get("tool_use_id")
    call_id = call_id if isinstance(call_id, str) else None
    content = block.get("content")
    flags: tuple[str, ...] = ("error",) if block.get("is_error") is True else ()
    if flags and _kind_and_text((content[:1] or [""])[0] if isinstance(content, list) else content)[1].startswith(_REJECTION):
        flags = ("error", "rejected")
    if not isinstance(content, list):
        text = content if isinstance(content, str) else "" if content is None else canonical(content)
        yield Block(no, ItemKind.TOOL_RESULT, text, call_id=call_id, flags=flags)
        return
    parts = [(*_kind_and_text(part), part) for part in content]
    text = "".join(text for kind, text, _ in parts if kind == "text")
    yield Block(no, ItemKind.TOOL_RESULT, text, call_id=call_id, flags=flags)
    for part_no, (kind, _, part) in enumerate(parts):
        if kind != "text":
            other = _other(no, kind, part)
            other.sub, other.call_id = f".{part_no}", call_id
            yield other


def _other(no: int, kind: str, block: Any) -> Block:
    if kind == "image":
        return Block(no, ItemKind.IMAGE, media_text(kind, block.get("source")), size=size_in(block.get("source")))
    if kind == "document":
        source = block.get("source")
        if isinstance(source, dict) and source.get("type") == "text":
            return Block(no, ItemKind.INJECTED, _text(source.get("data")))
        return Block(no, ItemKind.INJECTED, media_text(kind, source), flags=("not_verbatim",))
    return Block(no, ItemKind.UNKNOWN, canonical(block))


def media_text(kind: str, source: Any) -> str:
    """A few words in place of data that is not text: kind, media type, size in bytes."""
    if not isinstance(source, dict):
        return f"[{kind}]"
    media_type = _text(source.get("media_type")) or _text(source.get("type"))
    data = source.get("data") or source.get("base64")
    if isinstance(data, str) and data:
        size = len(data) * 3 // 4 - data.count("=", -2)
        return f"[{kind} {media_type}, {size} bytes]"
    return f"[{kind} {_text(source.get('url')) or _text(source.get('file_id')) or media_type}]"
