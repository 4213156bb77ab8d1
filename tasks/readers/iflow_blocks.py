"""The blocks of one record of iFlow."""

from collections.abc import Iterator
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.readers.contents import Block
from tasks.readers.pictures import size_in
from tasks.readers.values import canonical, fields, file_named, objects, text

_NOT_TYPED = (
    "<task-notification>",
    "<local-command-",
    "<command-",
    "<system-reminder>",
    "[Request interrupted",
    "Stop hook feedback:",
)


def blocks(record: dict[str, Any]) -> Iterator[Block]:
    """All that a record says, in its order."""
    message = fields(record.get("message"))
    role = text(message.get("role")) or text(record.get("type")) or "unknown"
    content = message.get("content", record.get("content"))
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in objects(content):
        kind = block.get("type")
        if kind == "text":
            if said := text(block.get("text")):
                yield Block(_kind(record, said), role, said, in_context=record.get("type") in ("user", "assistant"))
        elif kind == "thinking":
            if said := text(block.get("thinking")):
                yield Block(ItemKind.REASONING, role, said)
        elif kind == "tool_use":
            arguments = block.get("input", {})
            yield Block(
                ItemKind.TOOL_CALL, role, canonical(arguments), call_id=text(block.get("id")),
                tool_name=text(block.get("name")), path=file_named(arguments),
            )  # fmt: skip
        elif kind == "tool_result":
            yield _result(record, block, role)
        elif kind == "image":
            yield Block(ItemKind.IMAGE, role, "", size=size_in(block))
        else:
            yield Block(ItemKind.UNKNOWN, role, canonical(block))


def _kind(record: dict[str, Any], said: str) -> ItemKind:
    kind = record.get("type")
    if kind == "assistant":
        return ItemKind.ASSISTANT_TEXT
    if kind != "user":
        return ItemKind.NOTICE if kind == "system" else ItemKind.UNKNOWN
    if record.get("isCompactSummary") is True:
        return ItemKind.COMPACTION_SUMMARY
    is_put_in = record.get("isMeta") is True or record.get("isSidechain") is True or said.lstrip().startswith(_NOT_TYPED)
    return ItemKind.INJECTED if is_put_in else ItemKind.USER_TEXT


def _result(record: dict[str, Any], block: dict[str, Any], role: str) -> Block:
    said, name, has_failed = _output(block.get("content"))
    outcome = fields(record.get("toolUseResult"))
    has_failed = has_failed or block.get("is_error") is True or outcome.get("status") in ("error", "cancelled")
    return Block(
        ItemKind.TOOL_RESULT, role, said, call_id=text(block.get("tool_use_id")),
        tool_name=name or text(outcome.get("toolName")), flags=("error",) if has_failed else (),
    )  # fmt: skip


def _output(content: Any) -> tuple[str, str | None, bool]:
    """Words, tool and failure of a result. They lie in a function response; what the terminal showed lies beside it."""
    if isinstance(content, str):
        return content, None, False
    parts = fields(content).get("responseParts", content)
    found = objects(parts if isinstance(parts, list) else [parts])
    answers = [fields(part["functionResponse"]) for part in found if "functionResponse" in part]
    said = [part for block in found if (part := text(block.get("text")))]
    has_failed = False
    for answer in answers:
        body = answer.get("response")
        words = next((fields(body)[name] for name in ("output", "error") if name in fields(body)), body)
        said.append(words if isinstance(words, str) else "" if words is None else canonical(words))
        has_failed = has_failed or ("error" in fields(body) and "output" not in fields(body))
    name = next((named for answer in answers if (named := text(answer.get("name")))), None)
    return "\n".join(said), name, has_failed
