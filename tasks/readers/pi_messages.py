"""What one message of pi says: blocks of content, commands that a person ran, summaries, what extensions put in."""

import re
from collections.abc import Iterator
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.readers.contents import Block
from tasks.readers.pictures import size_in
from tasks.readers.usage import Usage, cached_beside
from tasks.readers.values import canonical, fields, file_named, objects, text

_SKILL = re.compile(r'(<skill name="[^"]*" location="[^"]*">\n.*?\n</skill>)\s*(.*)', re.DOTALL)
_HEARTBEAT = "Read HEARTBEAT.md"
"""Begins what OpenClaw sends by itself from time to time."""
_MIRRORS = ("delivery-mirror", "gateway-injected")
"""Names that OpenClaw gives instead of a model to what no model said."""


def blocks(message: dict[str, Any]) -> Iterator[Block]:
    """All that a message says, by its role."""
    role = text(message.get("role")) or "unknown"
    content = message.get("content")
    if role == "user":
        yield from _prompt(content)
    elif role == "assistant":
        yield from _answer(content, ("mirrored",) if is_mirror(message) else ())
    elif role == "toolResult":
        yield from _result(message)
    elif role == "bashExecution":
        yield _command(message)
    elif role in ("custom", "hookMessage"):
        yield from put_in(content, role)
    elif role == "branchSummary":
        yield from put_in(message.get("summary"), role)
    elif role == "compactionSummary":
        yield from (Block(ItemKind.COMPACTION_SUMMARY, role, said) for said in _words(message.get("summary")))
    else:
        kind = ItemKind.SYSTEM if role == "system" else ItemKind.UNKNOWN
        yield from (Block(kind, role, said, in_context=role == "system") for said in _words(content))


def put_in(content: Any, role: str) -> Iterator[Block]:
    """What an extension, a hook or the program itself put into the window."""
    yield from (Block(ItemKind.INJECTED, role, said) for said in _words(content))
    yield from _others(content, role, ("text",))


def _words(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content] if content else []
    return [said for block in objects(content) if block.get("type") == "text" and (said := text(block.get("text")))]


def _prompt(content: Any) -> Iterator[Block]:
    for said in _words(content):
        skill = _SKILL.fullmatch(said)
        if skill:
            yield Block(ItemKind.INJECTED, "user", skill[1])
            if skill[2]:
                yield Block(ItemKind.USER_TEXT, "user", skill[2])
        else:
            yield Block(ItemKind.INJECTED if said.startswith(_HEARTBEAT) else ItemKind.USER_TEXT, "user", said)
    yield from _others(content, "user", ("text",))


def _answer(content: Any, flags: tuple[str, ...]) -> Iterator[Block]:
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in objects(content):
        kind = block.get("type")
        if kind == "text":
            if said := text(block.get("text")):
                yield Block(ItemKind.ASSISTANT_TEXT, "assistant", said, flags=flags)
        elif kind == "thinking":
            if said := text(block.get("thinking")):
                yield Block(ItemKind.REASONING, "assistant", said)
        elif kind == "toolCall":
            yield Block(
                ItemKind.TOOL_CALL, "assistant", _arguments(block), call_id=text(block.get("id")),
                tool_name=text(block.get("name")), path=file_named(block.get("arguments")),
            )  # fmt: skip
        else:
            yield _other(block, "assistant")


def _arguments(block: dict[str, Any]) -> str:
    """Canonical JSON; a call that broke off has its arguments as they came."""
    found = block.get("arguments", {})
    return found if isinstance(found, str) else canonical(found)


def _result(message: dict[str, Any]) -> Iterator[Block]:
    content = message.get("content")
    call_id, name = text(message.get("toolCallId")), text(message.get("toolName"))
    texts = [said for block in objects(content) if block.get("type") in ("text", "toolResult") for said in [block.get("text")]]
    said = content if isinstance(content, str) else "\n".join(one for one in texts if isinstance(one, str))
    flags = ("error",) if message.get("isError") is True else ()
    yield Block(ItemKind.TOOL_RESULT, "toolResult", said, call_id=call_id, tool_name=name, flags=flags)
    for block in _others(content, "toolResult", ("text", "toolResult")):
        yield Block(block.kind, block.role, block.text, call_id=call_id, tool_name=name)


def _command(message: dict[str, Any]) -> Block:
    """A command that a person ran, with what it printed: no prompt, and with `!!` not even told to the model."""
    said = [part for name in ("command", "output") if (part := text(message.get(name)))]
    has_failed = message.get("exitCode") not in (None, 0)
    return Block(
        ItemKind.INJECTED, "bashExecution", "\n".join(said), in_context=message.get("excludeFromContext") is not True,
        flags=("error",) if has_failed else (),
    )  # fmt: skip


def _others(content: Any, role: str, known: tuple[str, ...]) -> Iterator[Block]:
    return (_other(block, role) for block in objects(content) if block.get("type") not in known)


def _other(block: dict[str, Any], role: str) -> Block:
    if block.get("type") == "image":
        return Block(ItemKind.IMAGE, role, text(block.get("mimeType")) or "", size=size_in(block))
    return Block(ItemKind.UNKNOWN, role, canonical(block))


def is_mirror(message: dict[str, Any]) -> bool:
    """Whether OpenClaw wrote an answer itself."""
    return message.get("model") in _MIRRORS


def is_codex_turn(message: dict[str, Any]) -> bool:
    """Whether Codex, run by OpenClaw, gave an answer: its own rollout has the turn's calls, this one only the last's counts."""
    return (text(message.get("idempotencyKey")) or "").startswith("codex-app-server:")


def usage(found: dict[str, Any], stop_reason: str | None) -> Usage:
    """`input` excludes the cache, `reasoning` is inside `output`. A call that broke off counts nothing, which is no count."""
    cache = fields(found.get("cache"))
    used = cached_beside(
        found.get("input"), found.get("cacheRead", cache.get("read")), found.get("cacheWrite", cache.get("write")),
        found.get("output"), reasoning=found.get("reasoning"),
    )  # fmt: skip
    if used.is_empty and stop_reason in ("aborted", "error"):
        return Usage(flags=(*used.flags, "usage_absent"))
    return used
