"""One message of Gemini CLI -> what it says, in the order of the window: thoughts, words, calls, results.

A message is told again whenever it learns more, so each thing has a key that does not move when another one comes before it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.readers import gemini_prompts
from tasks.readers.gemini_prompts import parts
from tasks.readers.pictures import Size, size_in
from tasks.readers.usage import Usage, cached_inside
from tasks.readers.values import canonical, digest, fields, file_named, objects, text, whole

MODEL_TYPES = frozenset({"gemini", "model", "assistant"})
NOTICE_TYPES = frozenset({"info", "warning", "error"})
MASK = "<tool_output_masked>"
"""Stands in the window for a result that was cleared."""


@dataclass(frozen=True, slots=True)
class Block:
    """One thing that a message says."""

    kind: ItemKind
    role: str
    text: str
    key: str = ""
    """Behind the message's id; of a call and its result the call's id alone."""
    no: int = 0
    at: Any = None
    call_id: str | None = None
    tool_name: str | None = None
    path: str | None = None
    in_context: bool = True
    flags: tuple[str, ...] = ()
    size: Size | None = None
    """Of an image."""


def kind_of(message: dict[str, Any]) -> str:
    """`user`, `gemini`, a notice's type, or the log's own name for what is none of these."""
    kind = text(message.get("type")) or text(message.get("role")) or ""
    return "gemini" if kind in MODEL_TYPES else kind


def content_of(message: dict[str, Any]) -> Any:
    """What it says, under either name."""
    return message.get("content", message.get("parts"))


def blocks(message: dict[str, Any]) -> Iterator[Block]:
    """All that a message says."""
    kind, content = kind_of(message), parts(content_of(message))
    if kind == "user":
        yield from _prompt(message, content)
    elif kind == "gemini":
        yield from _thoughts(message, content)
        said = "".join(words for part in content if (words := text(part.get("text"))) and not part.get("thought"))
        if said:
            yield Block(ItemKind.ASSISTANT_TEXT, "model", said)
        yield from _things(content, "model")
        yield from _calls(message, content)
    elif said := gemini_prompts.plain(content):
        yield Block(ItemKind.NOTICE if kind in NOTICE_TYPES else ItemKind.UNKNOWN, kind or "unknown", said, in_context=False)


def _prompt(message: dict[str, Any], content: list[dict[str, Any]]) -> Iterator[Block]:
    typed = gemini_prompts.plain(message.get("displayContent"))
    kinds = gemini_prompts.kinds(content, message.get("displayContent"))
    said = [words for part in content if (words := text(part.get("text")))]
    if typed and ItemKind.USER_TEXT not in kinds and kinds:
        # A command of the user's own: its name was typed, its wording was sent.
        yield Block(ItemKind.USER_TEXT, "user", typed, key="typed", in_context=False)
    for no, (kind, words) in enumerate(zip(kinds, said, strict=True)):
        yield Block(kind, "user", words, no=no)
    yield from _things(content, "user")
    for part in content:
        yield from _result(part, None, {})


def _things(content: list[dict[str, Any]], role: str) -> Iterator[Block]:
    """Parts that are neither words nor calls nor results."""
    known = ("text", "functionCall", "functionResponse")
    found = [part for part in content if not any(name in part for name in known)]
    for no, part in enumerate(found):
        kind, name = gemini_prompts.image_or_unknown(part)
        size = size_in(part) if kind is ItemKind.IMAGE else None
        yield Block(kind, role, name or canonical(part), key="part", no=no, size=size)


def _thoughts(message: dict[str, Any], content: list[dict[str, Any]]) -> Iterator[Block]:
    """The list of thoughts; parts of the content repeat it where it is there."""
    found = [(_thought(thought), thought.get("timestamp")) for thought in objects(message.get("thoughts"))]
    found = found or [(text(part.get("text")) or "", None) for part in content if part.get("thought")]
    for no, (said, at) in enumerate((said, at) for said, at in found if said):
        yield Block(ItemKind.REASONING, "model", said, key="thought", no=no, at=at)


def _thought(thought: dict[str, Any]) -> str:
    return "\n".join(said for name in ("subject", "description") if (said := text(thought.get(name))))


def _calls(message: dict[str, Any], content: list[dict[str, Any]]) -> Iterator[Block]:
    """Calls, then results. A synced history repeats the calls in the content."""
    calls = objects(message.get("toolCalls"))
    named = {text(call.get("id")) for call in calls}
    bare = [fields(part.get("functionCall")) for part in content if "functionCall" in part]
    calls += [call for call in bare if call and text(call.get("id")) not in named]
    for no, call in enumerate(calls):
        call_id = text(call.get("id"))
        agent = text(call.get("agentId"))
        yield Block(
            ItemKind.TOOL_CALL, "model", canonical(call.get("args", {})), key=_call_key(call_id, no), call_id=call_id,
            tool_name=text(call.get("name")), path=file_named(call.get("args")), flags=(f"agent:{agent}",) if agent else (),
        )  # fmt: skip
    for no, call in enumerate(calls):
        for part in parts(call.get("result")):
            yield from _result(part, no, call)


def _call_key(call_id: str | None, no: int | None) -> str:
    return f"call/{call_id}" if call_id else f"call-{no or 0}"


def _result(part: dict[str, Any], no: int | None, call: dict[str, Any]) -> Iterator[Block]:
    """A result as the model got it; what the terminal showed is no part of the window."""
    response = fields(part.get("functionResponse"))
    if "functionResponse" not in part:
        if call and (kind := gemini_prompts.image_or_unknown(part))[0] is ItemKind.IMAGE:
            call_id = text(call.get("id"))
            yield Block(
                kind[0], "user", kind[1], key=f"{_call_key(call_id, no)}/part", call_id=call_id, size=size_in(part)
            )  # fmt: skip
        return
    call_id = text(response.get("id")) or text(call.get("id"))
    body = response.get("response")
    has_failed = call.get("status") in ("error", "cancelled") or ("error" in fields(body) and "output" not in fields(body))
    yield Block(
        ItemKind.TOOL_RESULT, "user", _output(body), key=_call_key(call_id, no), no=1, at=call.get("timestamp"),
        call_id=call_id, tool_name=text(response.get("name")) or text(call.get("name")), path=file_named(call.get("args")),
        flags=("error",) if has_failed else (),
    )  # fmt: skip


def _output(body: Any) -> str:
    said = next((fields(body)[name] for name in ("output", "error") if name in fields(body)), body)
    return said if isinstance(said, str) else "" if said is None else canonical(said)


def usage(tokens: dict[str, Any]) -> Usage:
    """`input` holds what was cached; `tool` is prompt beside it, `thoughts` answer beside `output`."""
    prompt, beside = whole(tokens.get("input"))[0], whole(tokens.get("tool"))[0]
    found = cached_inside(
        prompt + beside if prompt is not None and beside else tokens.get("input"), tokens.get("cached"), None,
        tokens.get("output"), reasoning_beside=tokens.get("thoughts"),
    )  # fmt: skip
    counted = [number for name in ("input", "output", "thoughts", "tool") if (number := whole(tokens.get(name))[0])]
    total = whole(tokens.get("total"))[0]
    if total is not None and total != sum(counted):
        return Usage(
            found.uncached, found.cache_read, output=found.output, reasoning=found.reasoning,
            flags=(*found.flags, "total_differs"),
        )  # fmt: skip
    return found


def likeness(message: dict[str, Any]) -> str:
    """Equal for copies of one message under two ids; nothing where it says nothing of its own."""
    said = gemini_prompts.plain([part for part in parts(content_of(message)) if not part.get("thought")])
    calls = [text(call.get("id")) or "" for call in objects(message.get("toolCalls"))]
    for part in parts(content_of(message)):
        call = fields(part.get("functionCall")) or fields(part.get("functionResponse"))
        calls += [text(call.get("id")) or ""] if call else []
    calls = list(dict.fromkeys(calls))
    return digest(kind_of(message), said, *calls) if said or any(calls) else ""
