"""What a ResponseItem says: its blocks, with kind, role and text. Encrypted content and images never become text."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from tasks.domain.kinds import ItemKind
from tasks.readers.pictures import Size, size_in
from tasks.readers.values import canonical

TEXT_BLOCKS = ("input_text", "output_text", "text", "summary_text", "reasoning_text", "refusal")
IMAGE_BLOCKS = ("input_image", "image", "output_image")
NO_CONTEXT = ("ghost_snapshot",)
"""Items that Codex keeps for itself."""
PRODUCED = (ItemKind.ASSISTANT_TEXT, ItemKind.REASONING, ItemKind.TOOL_CALL)
"""Kinds that come out of a call."""


@dataclass(slots=True)
class Block:
    """One thing in a record; becomes an item."""

    kind: ItemKind
    role: str
    text: str
    tool_name: str | None = None
    call_id: str | None = None
    path: str | None = None
    flags: tuple[str, ...] = ()
    is_sent: bool = True
    """Went to the model."""
    opaque_chars: int | None = None
    size: Size | None = None
    """Of an image."""


def blocks(payload: dict[str, Any]) -> list[Block]:
    """The blocks of one ResponseItem; an unknown type is one block of kind `unknown` with its JSON."""
    kind = payload.get("type")
    if kind in NO_CONTEXT:
        return []
    if kind == "message" or (kind is None and "role" in payload):
        return message_blocks(payload)
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        return [Block(ItemKind.UNKNOWN, "", canonical(payload))]
    return reader(payload)


def message_blocks(payload: dict[str, Any]) -> list[Block]:
    """One block per part. A user's text is taken as typed here; `codex_prompts` decides who wrote it."""
    role = str(payload.get("role") or "")
    kind = {"assistant": ItemKind.ASSISTANT_TEXT, "user": ItemKind.USER_TEXT}.get(role, ItemKind.SYSTEM)
    if role not in ("assistant", "user", "developer", "system"):
        kind = ItemKind.UNKNOWN
    content = payload.get("content")
    if isinstance(content, str):
        return [Block(kind, role, content)]
    return [_part(part, kind, role) for part in content] if isinstance(content, list) else []


def plain_text(content: object) -> str:
    """The readable text of a content value: string, list of parts, one part, or an old {content, success} object."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text for part in content if (text := plain_text(part)))
    if isinstance(content, dict):
        if content.get("type") in IMAGE_BLOCKS or "encrypted_content" in content:
            return ""
        for name in ("text", "content", "output", "body"):
            if name in content:
                return plain_text(content[name])
        return canonical(content)
    return "" if content is None else canonical(content)


def tool_blocks(name: str, arguments: object, call_id: object) -> list[Block]:
    """A tool call: text is the canonical JSON of its arguments. Free text is wrapped as {"input": text}."""
    flags: tuple[str, ...] = ()
    if isinstance(arguments, str):
        try:
            arguments = orjson.loads(arguments)
        except orjson.JSONDecodeError:
            arguments = {"input": arguments}
            flags = ("arguments_not_json",)
        else:
            arguments = arguments if isinstance(arguments, dict) else {"input": arguments}
    elif arguments is None:
        arguments = {}
    text = canonical(arguments)
    return [Block(ItemKind.TOOL_CALL, "assistant", text, name, _id(call_id), _touched(arguments), flags)]


def _part(part: object, kind: ItemKind, role: str) -> Block:
    if isinstance(part, str):
        return Block(kind, role, part)
    if not isinstance(part, dict):
        return Block(ItemKind.UNKNOWN, role, canonical(part))
    name = part.get("type")
    if name in IMAGE_BLOCKS:
        return _image(part, role)
    if "encrypted_content" in part:
        return Block(kind, role, "", flags=("encrypted",))
    if name in TEXT_BLOCKS or isinstance(part.get("text"), str):
        return Block(kind, role, plain_text(part))
    return Block(ItemKind.UNKNOWN, role, canonical(part))


def _image(part: dict[str, Any], role: str, call_id: str | None = None) -> Block:
    where = part.get("image_url")
    where = where.get("url") if isinstance(where, dict) else where
    is_link = isinstance(where, str) and not where.startswith("data:")
    return Block(ItemKind.IMAGE, role, str(where) if is_link else "", call_id=call_id, size=size_in(where))


def _reasoning(payload: dict[str, Any]) -> list[Block]:
    summary = payload.get("summary")
    parts = summary if isinstance(summary, list) else [summary]
    text = plain_text(payload.get("content")) or "\n\n".join(part for part in map(plain_text, parts) if part)
    sealed = payload.get("encrypted_content")
    flags = ("encrypted",) if sealed and not text else ()
    length = len(sealed) if isinstance(sealed, str) and sealed else None
    return [Block(ItemKind.REASONING, "assistant", text, flags=flags, opaque_chars=length)]


def _function_call(payload: dict[str, Any]) -> list[Block]:
    name, space = str(payload.get("name") or ""), payload.get("namespace")
    if isinstance(space, str) and space:
        name = f"{space}{name}" if space.endswith("__") else f"{space}.{name}"
    return tool_blocks(name, payload.get("arguments"), payload.get("call_id"))


def _custom_call(payload: dict[str, Any]) -> list[Block]:
    made = tool_blocks(str(payload.get("name") or ""), payload.get("input"), payload.get("call_id"))
    made[0].flags = ()  # a custom tool takes free text by design
    return made


def _output(payload: dict[str, Any]) -> list[Block]:
    output, call_id = payload.get("output"), _id(payload.get("call_id"))
    parts = output if isinstance(output, list) else [output]
    flags = ("error",) if isinstance(output, dict) and output.get("success") is False else ()
    pictures = [_image(part, "tool", call_id) for part in parts if isinstance(part, dict) and part.get("type") in IMAGE_BLOCKS]
    return [Block(ItemKind.TOOL_RESULT, "tool", plain_text(output), call_id=call_id, flags=flags), *pictures]


def _local_shell(payload: dict[str, Any]) -> list[Block]:
    return tool_blocks("local_shell", payload.get("action"), payload.get("call_id") or payload.get("id"))


def _web_search(payload: dict[str, Any]) -> list[Block]:
    return tool_blocks("web_search", payload.get("action"), payload.get("call_id") or payload.get("id"))


def _tool_search(payload: dict[str, Any]) -> list[Block]:
    return tool_blocks("tool_search", payload.get("arguments"), payload.get("call_id"))


def _tool_search_output(payload: dict[str, Any]) -> list[Block]:
    return [Block(ItemKind.TOOL_RESULT, "tool", canonical(payload.get("tools")), call_id=_id(payload.get("call_id")))]


def _image_generation(payload: dict[str, Any]) -> list[Block]:
    made = tool_blocks("image_generation", {"prompt": payload.get("revised_prompt")}, payload.get("id"))
    return [*made, Block(ItemKind.IMAGE, "assistant", "", size=size_in(payload["result"]))] if payload.get("result") else made


def _sealed_compaction(payload: dict[str, Any]) -> list[Block]:
    return [Block(ItemKind.COMPACTION_SUMMARY, "assistant", plain_text(payload.get("summary")), flags=("encrypted",))]


def _agent_message(payload: dict[str, Any]) -> list[Block]:
    return [Block(ItemKind.INJECTED, "agent", plain_text(payload.get("content")))]


def _additional_tools(payload: dict[str, Any]) -> list[Block]:
    return [Block(ItemKind.SYSTEM, str(payload.get("role") or "developer"), canonical(payload.get("tools")))]


def _touched(arguments: object) -> str | None:
    if not isinstance(arguments, dict):
        return None
    for name in ("path", "file_path"):
        if isinstance(arguments.get(name), str):
            return str(arguments[name])
    patch = arguments.get("input") or arguments.get("patch")
    for line in patch.split("\n") if isinstance(patch, str) else ():
        for verb in ("*** Update File: ", "*** Add File: ", "*** Delete File: "):
            if line.startswith(verb):
                return str(line.removeprefix(verb).strip())
    return None


def _id(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


_READERS: dict[str, Callable[[dict[str, Any]], list[Block]]] = {
    "reasoning": _reasoning,
    "function_call": _function_call,
    "function_call_output": _output,
    "custom_tool_call": _custom_call,
    "custom_tool_call_output": _output,
    "local_shell_call": _local_shell,
    "local_shell_call_output": _output,
    "web_search_call": _web_search,
    "tool_search_call": _tool_search,
    "tool_search_output": _tool_search_output,
    "image_generation_call": _image_generation,
    "compaction": _sealed_compaction,
    "compaction_summary": _sealed_compaction,
    "context_compaction": _sealed_compaction,
    "agent_message": _agent_message,
    "additional_tools": _additional_tools,
}
