"""Width and height of a picture whose bytes a log holds as base64, from its first bytes. Pure; a picture is never decoded.

PNG, JPEG, GIF and WebP, as the formats' own documents describe their headers. What is none of them, is cut, or lies elsewhere
(a file, an address) has no known size.
"""

import binascii
import struct
from collections.abc import Iterator
from typing import Any

Size = tuple[int, int]
"""Width and height in pixels."""
_BEGINS = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR")
"""How base64 of PNG, JPEG, GIF and WebP begins."""
_HEAD, _FAR = 64, 1 << 19
"""Characters that hold a header, and how far into a JPEG its frame is looked for: thumbnails and profiles come before it."""
_DEEPEST = 4
_LARGEST = 1 << 20
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers of a JPEG that nothing follows."""


def size_in(value: Any) -> Size | None:
    """The size of the first picture that a part of a message holds, as base64 or as a `data:` URL, wherever it keeps it."""
    return next((size for said in _texts(value, _DEEPEST) if (size := _of_text(said)) is not None), None)


def _texts(value: Any, deepest: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and deepest:
        for inner in value.values():
            yield from _texts(inner, deepest - 1)
    elif isinstance(value, list) and deepest:
        for inner in value:
            yield from _texts(inner, deepest - 1)


def _of_text(said: str) -> Size | None:
    if said[:5].lower() == "data:":
        comma = said.find(",", 0, 200)
        start = comma + 1
        if comma < 0 or not said[:comma].lower().endswith(";base64"):
            return None
    else:
        start = 0
    if not said.startswith(_BEGINS, start):
        return None
    far = _FAR if said.startswith("/9j/", start) else _HEAD
    return size_of(_decoded(said[start : start + far]))


def _decoded(said: str) -> bytes:
    clean = "".join(said.split())
    try:
        return binascii.a2b_base64(clean[: len(clean) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def size_of(data: bytes) -> Size | None:
    """The size that the first bytes of a file tell."""
    try:
        size = _size(data)
    except (struct.error, IndexError):
        return None
    return size if size and 0 < size[0] <= _LARGEST and 0 < size[1] <= _LARGEST else None


def _size(data: bytes) -> Size | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return struct.unpack_from(">II", data, 16) if data[12:16] == b"IHDR" else None
    if data[:6] in (b"GIF87a", b"GIF89a"):
        return struct.unpack_from("<HH", data, 6)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp(data)
    return _jpeg(data) if data.startswith(b"\xff\xd8") else None


def _webp(data: bytes) -> Size | None:
    kind = data[12:16]
    if kind == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None


def _jpeg(data: bytes) -> Size | None:
    at = 2
    while data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        if marker == 0xFF or marker in _BARE:
            at += 1 if marker == 0xFF else 2
        else:
            at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None
