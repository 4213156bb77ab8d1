"""Rows of the lake -> sessions to account for. Odd values are taken as they come: a list of call ids may be anything."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from tasks.context.window import Call, Session, Standing

Row = Mapping[str, Any]
_CALL = (
    "request_id", "no", "prompt_tokens", "epoch", "at", "model", "output_tokens", "reasoning_tokens", "is_sidechain",
    "input_uncached_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens",
    "output_reported_tokens", "service_tier", "cost_usd",
)  # fmt: skip
_STANDING = (
    "item_id", "position", "no", "epoch", "kind", "tokens", "chars", "turn", "is_made", "on_path", "is_sent", "is_sidechain",
    "call_id", "is_preview", "opaque_chars", "cleared_at", "branch", "branch_after", "branch_under", "image_width",
    "image_height", "replaces", "tool_name", "marks",
)  # fmt: skip


def sessions(found: Iterable[Row], calls: Iterable[Row], items: Iterable[Row]) -> list[Session]:
    """Sessions from rows of the three questions of sql/accounts, or of others that tell as much as they need."""
    calls_of: dict[str, list[Call]] = defaultdict(list)
    items_of: dict[str, list[Standing]] = defaultdict(list)
    for row in calls:
        calls_of[row["session_id"]].append(Call(**{name: row[name] for name in _CALL if name in row}))
    for row in items:
        items_of[row["session_id"]].append(_standing(row))
    return [
        Session(
            row["session_id"], row["agent"], row["agent_version"], tuple(calls_of[row["session_id"]]),
            tuple(items_of[row["session_id"]]),
        )
        for row in found
    ]  # fmt: skip


def _standing(row: Row) -> Standing:
    clears = _cleared(row["microcompaction"]) if row["microcompaction"] else ()
    return Standing(
        **{name: row[name] for name in _STANDING if name in row}, flags=frozenset(row["flags"] or ()), clears=clears
    )


def _cleared(text: str) -> tuple[str, ...]:
    """Calls whose results a microcompaction clears, and records of attachments that it takes away."""
    try:
        told = json.loads(text)
        lists = told.get("compactedToolIds"), told.get("clearedAttachmentUUIDs")
    except (ValueError, AttributeError, RecursionError):
        return ()
    return tuple(one for ids in lists if isinstance(ids, list) for one in ids if isinstance(one, str))
