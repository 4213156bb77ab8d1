"""Bytes <-> document, so that nothing which a rewrite would lose is read: what cannot be written again as it was is refused."""

import json
import math
from typing import Any


def loads(text: str) -> Any:
    """The value that a JSON text is. ValueError says what is wrong, also where JSON would be read and something be lost."""
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def parse(raw: bytes) -> dict[str, Any]:
    """The document that these bytes are; ValueError says why they are none."""
    try:
        found = loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON (line {error.lineno}: {error.msg})") from None
    if not isinstance(found, dict):
        raise ValueError("it is JSON, but no object")
    return found


def dump(document: dict[str, Any], like: bytes) -> bytes:
    """The document as JSON, in lines or in one as `like` is. Half of a surrogate pair stays the escape that it was."""
    indent = 2 if b"\n" in like.strip() else None
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    return text.encode("utf-8", "backslashreplace") + (b"\n" if like.endswith(b"\n") else b"")


def _no_number(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:20]} is larger than a number can be")
    return number


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is there twice in one object")
    return found
