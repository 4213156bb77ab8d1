"""The size of a picture is in its first bytes, whatever keeps them."""

import base64
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.readers.pictures import size_in, size_of

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + struct.pack(">II", 640, 480) + bytes(60)
GIF = b"GIF89a" + struct.pack("<HH", 640, 480) + bytes(60)
SEGMENT = b"\xff\xe1" + struct.pack(">H", 60_002) + bytes(60_000)
"""A thumbnail before the frame."""
FRAME = b"\xff\xc2" + struct.pack(">HBHH", 17, 8, 480, 640) + bytes(60)
JPEG = b"\xff\xd8" + SEGMENT + b"\xff" + b"\xff\xdb" + struct.pack(">H", 4) + b"\0\0" + FRAME


def webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", 99) + b"WEBP" + kind + struct.pack("<I", len(body)) + body + bytes(60)


WEBP = {
    "lossy": webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 640, 480)),
    "lossless": webp(b"VP8L", b"\x2f" + struct.pack("<I", 639 | 479 << 14)),
    "extended": webp(b"VP8X", bytes(4) + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")),
}
ALL = {"png": PNG, "gif": GIF, "jpeg": JPEG, **WEBP}


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


@pytest.mark.parametrize("data", ALL.values(), ids=ALL)
def test_the_header_of_each_format_tells_it(data: bytes):
    assert size_of(data) == (640, 480)
    assert size_in(base64_of(data)) == (640, 480)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "base64", "media_type": "image/png", "data": base64_of(PNG)},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{base64_of(PNG)}", "detail": "high"}},
        {"type": "input_image", "image_url": f"DATA:image/png;BASE64,{base64_of(PNG)}"},
        {"inlineData": {"mimeType": "image/png", "data": base64_of(PNG)}},
        [{"file": {"base64": "\n".join(base64_of(PNG)[at : at + 20] for at in range(0, 100, 20))}}],
    ],
)
def test_it_is_found_wherever_a_log_keeps_it(part: Any):
    assert size_in(part) == (640, 480)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "file", "file_id": "file-1"}, {"url": "https://kiln.example/glaze.png"}, "data:image/svg+xml,<svg/>", None, 7,
        base64_of(PNG[:18]), base64_of(b"\x89PNG\r\n\x1a\n" + bytes(80)), base64_of(b"\xff\xd8\xff\xda\0\x02" + bytes(80)),
        base64_of(webp(b"ALPH", b"")), f"data:image/png,{base64_of(PNG)}",
    ],
)  # fmt: skip
def test_what_lies_elsewhere_or_is_cut_has_no_known_size(part: Any):
    assert size_in(part) is None


@given(st.sampled_from(list(ALL.values())), st.data())
def test_no_cut_or_spoiled_picture_raises(data: bytes, draw: st.DataObject):
    cut = draw.draw(st.integers(0, min(len(data), 120)))
    spoiled = data[:cut] + draw.draw(st.binary(max_size=40))
    assert size_of(spoiled) is None or len(size_of(spoiled) or ()) == 2
