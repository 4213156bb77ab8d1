"""What messages of chat protocols are made of, as most agents log them. Shared words of several readers; none raises."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.readers.pictures import Size, size_in
from tasks.readers.values import canonical, fields, text

TEXT, IMAGE = "text", "image"
_TEXTS = ("text", "input_text", "output_text", "summary_text", "reasoning_text", "refusal")
_IMAGES = ("image", "image_url", "image_urls", "input_image")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a message's content."""

    type: str
    """TEXT, IMAGE, or the log's own name of what is neither."""
    text: str
    """Of an image: where it lies, nothing where the log holds its bytes. Of what is neither: its JSON."""
    data: dict[str, Any]

    @property
    def size(self) -> Size | None:
        """Of an image whose bytes the log holds."""
        return size_in(self.data) if self.type == IMAGE else None


@dataclass(frozen=True, slots=True)
class Block:
    """One thing that a record says, for readers that tell what it says apart from booking it; becomes an item."""

    kind: ItemKind
    role: str
    text: str
    call_id: str | None = None
    tool_name: str | None = None
    path: str | None = None
    in_context: bool = True
    flags: tuple[str, ...] = ()
    size: Size | None = None
    """Of an image."""


Readers = Mapping[str, Callable[[dict[str, Any], str], list[Block]]]
"""By the `type` of a part: what it says, given the role of its message."""


def blocks_of(part: dict[str, Any], role: str, readers: Readers) -> list[Block]:
    """What one part says; of a type that nobody reads, its JSON."""
    kind = part.get("type")
    reader = readers.get(kind) if isinstance(kind, str) else None
    return reader(part, role) if reader else [Block(ItemKind.UNKNOWN, role, canonical(part), in_context=False)]


def said(part: dict[str, Any], role: str) -> list[Block]:
    """The words of a person or of the model."""
    kind = {"user": ItemKind.USER_TEXT, "assistant": ItemKind.ASSISTANT_TEXT}.get(role, ItemKind.UNKNOWN)
    return [Block(kind, role, words)] if (words := text(part.get("text"))) else []


def thought(part: dict[str, Any], role: str) -> list[Block]:
    """The model's thinking, where it can be read."""
    return [Block(ItemKind.REASONING, role, words)] if (words := text(part.get("thinking"))) else []


def parts(content: Any) -> list[Part]:
    """The parts of a content: a text, an object, or a list of both. What says nothing is none."""
    if isinstance(content, list):
        return [part for one in content if not isinstance(one, list) for part in parts(one)]
    if isinstance(content, dict):
        return _part(content)
    found = content if isinstance(content, str) else "" if content is None else canonical(content)
    return [Part(TEXT if isinstance(content, str) else "", found, {})] if found else []


def _part(content: dict[str, Any]) -> list[Part]:
    name = content.get("type")
    if name in _IMAGES:
        return [Part(IMAGE, _place(content), content)]
    if name in _TEXTS or (name is None and isinstance(content.get("text"), str)):
        said = text(content.get("text")) or text(content.get("refusal"))
        return [Part(TEXT, said, content)] if said else []
    return [Part(name if isinstance(name, str) else "", canonical(content), content)]


def plain(content: Any) -> str:
    """The texts of a content, a line break between them."""
    return "\n".join(part.text for part in parts(content) if part.type == TEXT)


def arguments(value: Any) -> tuple[dict[str, Any], str]:
    """The arguments of a call as an object and as canonical JSON; most protocols log them as JSON text."""
    found = value
    if isinstance(value, str):
        try:
            found = json.loads(value) if value.strip() else {}
        except (ValueError, RecursionError):
            return {}, value
    return fields(found), canonical({} if found is None else found)


def _place(image: dict[str, Any]) -> str:
    """The path or address of an image; a data URI is its bytes."""
    for value in (image, *map(fields, (image.get("source"), image.get("image_url")))):
        for name in ("path", "url", "image_url"):
            where = text(value.get(name))
            if where and not where.startswith("data:"):
                return where
    return ""
