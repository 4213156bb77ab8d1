"""Which files are rollouts of Codex or of its clone TraeX, and which session they are about."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

_ROLLOUT_ID = re.compile(r"rollout-.*?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})")
_ENVELOPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")


def claims(head: Sequence[dict[str, Any]]) -> bool:
    """Whether these first objects of a file have Codex's form: an envelope around a payload, or the bare meta line of 2025."""
    return any(_is_envelope(record) or _is_bare_meta(record) for record in head)


def is_traex(head: Sequence[dict[str, Any]]) -> bool:
    """Whether TraeX wrote them: it writes Codex's format under its own provider and prompt."""
    return any(_names_trae(record["payload"]) for record in head if _is_envelope(record))


def identify(head: Sequence[dict[str, Any]], path: str) -> str:
    """The id in the first session_meta; a file without one is named by its rollout file name."""
    for record in head:
        meta = record if _is_bare_meta(record) else record.get("payload")
        if (meta is record or record.get("type") == "session_meta") and isinstance(meta, dict):
            for name in ("id", "session_id"):
                if isinstance(meta.get(name), str) and meta[name]:
                    return str(meta[name])
    name = PurePosixPath(path.replace("\\", "/")).name
    found = _ROLLOUT_ID.search(name)
    return found.group(1) if found else name.split(".", 1)[0]


def _is_envelope(record: dict[str, Any]) -> bool:
    payload = record.get("payload")
    if record.get("type") not in _ENVELOPES or not isinstance(payload, dict):
        return False
    return record["type"] != "session_meta" or isinstance(payload.get("id") or payload.get("session_id"), str)


def _is_bare_meta(record: dict[str, Any]) -> bool:
    return "type" not in record and "payload" not in record and {"id", "timestamp", "instructions"} <= record.keys()


def _names_trae(payload: dict[str, Any]) -> bool:
    base = payload.get("base_instructions")
    text = base.get("text") if isinstance(base, dict) else base
    return payload.get("model_provider") == "trae" or (isinstance(text, str) and "TRAE CLI" in text[:2000])
