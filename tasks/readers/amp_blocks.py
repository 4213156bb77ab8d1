"""What a message of Amp says: its blocks, with kind and text."""

from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.readers import contents
from tasks.readers.contents import Block
from tasks.readers.values import canonical, fields, file_named, objects, text


def blocks(content: Any, role: str) -> list[Block]:
    """The blocks of a content, which old threads have as text alone."""
    if isinstance(content, str):
        return contents.said({"text": content}, role)
    return [made for part in objects(content) for made in contents.blocks_of(part, role, _READERS)]


def _call(part: dict[str, Any], role: str) -> list[Block]:
    given = part.get("input")
    said = canonical({} if given is None else given)
    return [
        Block(
            ItemKind.TOOL_CALL,
            role,
            said,
            tool_name=text(part.get("name")),
            call_id=text(part.get("id")),
            path=file_named(given),
        )
    ]


def _result(part: dict[str, Any], role: str) -> list[Block]:
    """A result stands in a run, with its state; one that is not over yet has said nothing."""
    run = fields(part.get("run"))
    status, result = run.get("status"), run.get("result", part.get("content"))
    call_id = text(part.get("toolUseID")) or text(part.get("tool_use_id"))
    failed = status == "error" or fields(result).get("success") is False
    marks = {"error": failed, "interrupted": status == "cancelled"}
    if result is None and not any(marks.values()):
        return []
    said = _said(result) if result is not None else _said(run.get("error")) if run.get("error") else ""
    flags = tuple(mark for mark, holds in marks.items() if holds)
    return [Block(ItemKind.TOOL_RESULT, "tool", said, call_id=call_id, flags=flags)]


def _said(result: Any) -> str:
    """The readable part of a result: a shell has `output`, a read `content`, an edit `diff`, an error its message."""
    if isinstance(result, str):
        return result
    if isinstance(result, dict):
        found = next((result[name] for name in ("output", "content", "diff", "message") if name in result), None)
        return _said(found) if isinstance(found, str | list) else canonical(result)
    if isinstance(result, list) and result and all(isinstance(one, str) for one in result):
        return "\n".join(result)
    if isinstance(result, list) and contents.plain(objects(result)):
        return contents.plain(objects(result))
    return canonical(result)


def _image(part: dict[str, Any], role: str) -> list[Block]:
    return [Block(ItemKind.IMAGE, role, one.text, size=one.size) for one in contents.parts(part)[:1]]


def _summary(part: dict[str, Any], role: str) -> list[Block]:
    said = part.get("summary")
    words = said if isinstance(said, str) else text(fields(said).get("summary")) or canonical(said)
    return [Block(ItemKind.COMPACTION_SUMMARY, role, words)]


def _nothing(part: dict[str, Any], role: str) -> list[Block]:
    return []


_READERS: contents.Readers = {
    "text": contents.said,
    "thinking": contents.thought,
    "redacted_thinking": _nothing,
    "tool_use": _call,
    "tool_result": _result,
    "image": _image,
    "summary": _summary,
}
