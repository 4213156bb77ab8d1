"""What a Goose message says: its blocks, with kind and text, and what names them in every copy of the session."""

from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.readers import contents
from tasks.readers.contents import Block
from tasks.readers.pictures import size_in
from tasks.readers.values import canonical, digest, fields, file_named, objects, text


def blocks(content: Any, role: str) -> list[Block]:
    """The blocks of a content; a user's text counts as typed here, the session says who wrote it."""
    return [made for part in objects(content) for made in contents.blocks_of(part, role, _READERS)]


def name(role: str, created: Any, content: Any) -> str:
    """Names a message by what it says: an imported one has other ids in the database than in the file it comes from."""
    return digest(role, str(created), *(f"{part.get('type')} {_word(part)}" for part in objects(content)))


def _word(part: dict[str, Any]) -> str:
    said = part.get("id") or part.get("text") or part.get("thinking") or part.get("msg")
    return said if isinstance(said, str) else canonical(part)


def _request(part: dict[str, Any], role: str) -> list[Block]:
    """A call; one that the model wrote wrongly has an error in the place of its name and arguments."""
    call = fields(part.get("toolCall"))
    value = fields(call.get("value"))
    arguments = value.get("arguments")
    failed = call.get("status") == "error"
    said = call.get("error") if failed else {} if arguments is None else arguments
    return [
        Block(
            ItemKind.TOOL_CALL, "assistant", canonical(said), tool_name=text(value.get("name")), call_id=text(part.get("id")),
            path=file_named(arguments), flags=("error",) if failed else (),
        )
    ]  # fmt: skip


def _response(part: dict[str, Any], role: str) -> list[Block]:
    """A result. Parts for the eyes of the user alone were not sent."""
    result, call_id = fields(part.get("toolResult")), text(part.get("id"))
    if result.get("status") == "error":
        error = result.get("error")
        said = error if isinstance(error, str) else canonical(error)
        return [Block(ItemKind.TOOL_RESULT, "tool", said, call_id=call_id, flags=("error",))]
    value = result.get("value")
    sent = [one for one in objects(fields(value).get("content", value)) if _is_sent(one)]
    said = "\n".join(_plain(one) for one in sent if one.get("type") != "image")
    flags = ("error",) if fields(value).get("isError") is True else ()
    found = [Block(ItemKind.TOOL_RESULT, "tool", value if isinstance(value, str) else said, call_id=call_id, flags=flags)]
    return found + [
        Block(ItemKind.IMAGE, "tool", "", call_id=call_id, size=size_in(one)) for one in sent if one.get("type") == "image"
    ]


def _is_sent(part: dict[str, Any]) -> bool:
    audience = fields(part.get("annotations")).get("audience")
    return not isinstance(audience, list) or not audience or "assistant" in audience


def _plain(part: dict[str, Any]) -> str:
    said = text(part.get("text")) or text(fields(part.get("resource")).get("text"))
    return said if said is not None else "" if part.get("type") == "text" else canonical(part)


def _notice(part: dict[str, Any], role: str) -> list[Block]:
    said = text(part.get("msg")) or canonical({key: value for key, value in part.items() if key != "type"})
    return [Block(ItemKind.NOTICE, role, said, in_context=False)]


def _image(part: dict[str, Any], role: str) -> list[Block]:
    return [Block(ItemKind.IMAGE, role, "", size=size_in(part))]


def _nothing(part: dict[str, Any], role: str) -> list[Block]:
    return []


_READERS: contents.Readers = {
    "text": contents.said,
    "thinking": contents.thought,
    "redactedThinking": _nothing,
    "toolRequest": _request,
    "frontendToolRequest": _request,
    "toolResponse": _response,
    "image": _image,
    "toolConfirmationRequest": _notice,
    "actionRequired": _notice,
    "systemNotification": _notice,
}
