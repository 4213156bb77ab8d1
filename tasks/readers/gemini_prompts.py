"""What a user message of Gemini CLI is made of: what a person typed, and what the program put beside it."""

from collections.abc import Sequence
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.readers.values import fields, text

SNAPSHOT = "<state_snapshot>"
"""Begins what a compression leaves of the conversation."""
_INJECTED = (
    "<session_context>", "<hook_context>", "<tool_output_masked>",
    "This is the Gemini CLI. We are setting up the context",
    "Here is the user's editor context", "Here is a summary of changes in the user's editor context",
)  # fmt: skip
_CONTINUE = "System: Please continue."
_FILES_BEGIN, _FILES_END = "--- Content from referenced files ---", "--- End of content ---"


def parts(content: Any) -> list[dict[str, Any]]:
    """The parts of a message, whether it is one text, one part or a list of either."""
    found = content if isinstance(content, list) else [content]
    return [part if isinstance(part, dict) else {"text": part} for part in found if isinstance(part, dict) or text(part)]


def plain(content: Any) -> str:
    """The words of a message."""
    return "".join(said for part in parts(content) if (said := text(part.get("text"))))


def kinds(content: Sequence[dict[str, Any]], display: Any) -> list[ItemKind]:
    """Of each part that is text, in order. `display`: what was typed, where the log keeps it apart from what was sent."""
    typed = plain(display).strip()
    shown = {said.strip() for part in parts(display) if (said := text(part.get("text")))}
    found, in_files = list[ItemKind](), False
    for part in content:
        said = text(part.get("text"))
        if said is None:
            continue
        in_files = in_files or said.strip().startswith(_FILES_BEGIN)
        is_typed = not in_files and not is_injected(said) and (not typed or said.strip() in shown or said.strip() == typed)
        found.append(ItemKind.USER_TEXT if is_typed else _put_in(said))
        in_files = in_files and not said.strip().endswith(_FILES_END)
    return found


def is_injected(said: str) -> bool:
    """Whether the program wrote it."""
    begin = said.lstrip()
    return begin.startswith((*_INJECTED, SNAPSHOT)) or begin.strip() == _CONTINUE


def _put_in(said: str) -> ItemKind:
    return ItemKind.COMPACTION_SUMMARY if said.lstrip().startswith(SNAPSHOT) else ItemKind.INJECTED


def image_or_unknown(part: dict[str, Any]) -> tuple[ItemKind, str]:
    """A part without words, and what names it: the bytes of pictures are no text."""
    data = fields(part.get("inlineData")) or fields(part.get("fileData"))
    mime = text(data.get("mimeType")) or ""
    return (ItemKind.IMAGE if mime.startswith("image/") else ItemKind.UNKNOWN), text(data.get("fileUri")) or mime
