"""Attributes of OpenTelemetry as OTLP writes them in JSON: a list of keys with typed values -> plain values by key."""

from typing import Any

from tasks.readers.values import fields, objects, text, whole

_DEPTH = 50


def attributes(listed: Any) -> dict[str, Any]:
    """The later of two values of one key wins."""
    return {key: _plain(one.get("value"), 0) for one in objects(listed) if (key := text(one.get("key")))}


def _plain(value: Any, depth: int) -> Any:
    """Whole numbers are text in OTLP; what has no known type is None."""
    typed = fields(value)
    if depth > _DEPTH:
        return None
    for name in ("stringValue", "boolValue", "doubleValue"):
        if name in typed:
            return typed[name]
    if "intValue" in typed:
        return whole(typed["intValue"])[0] if isinstance(typed["intValue"], str) else typed["intValue"]
    if "arrayValue" in typed:
        return [_plain(one, depth + 1) for one in objects(fields(typed["arrayValue"]).get("values"))]
    if "kvlistValue" in typed:
        pairs = objects(fields(typed["kvlistValue"]).get("values"))
        return {key: _plain(one.get("value"), depth + 1) for one in pairs if (key := text(one.get("key")))}
    return None
