"""Compactions of a rollout, and turns that were taken back.

A `compacted` record holds the new context whole: it is one summary item, never new conversation. The event context_compacted
tells of the same compaction a second time.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.seen import SeenCompaction, SeenRequest
from tasks.readers import branches
from tasks.readers.codex_items import Block, plain_text
from tasks.readers.codex_lines import Mark

NEAR = 12
"""Records between a compaction and the event that repeats it, at most."""


def summary_blocks(payload: dict[str, Any]) -> list[Block]:
    """The summary, and the history that replaces everything before it. The summary is a part of that history."""
    message = plain_text(payload.get("message"))
    history = payload.get("replacement_history")
    has_history = isinstance(history, list)
    found = []
    if message or not has_history:
        found.append(Block(ItemKind.COMPACTION_SUMMARY, "user", message, is_sent=not has_history))
    if isinstance(history, list):
        entries = [entry for entry in history if isinstance(entry, dict)]
        sealed = ("encrypted",) if any("encrypted_content" in entry for entry in entries) else ()
        text = "\n\n".join(_entry(entry) for entry in entries)
        found.append(Block(ItemKind.COMPACTION_SUMMARY, "user", text, flags=("replacement_history", *sealed)))
    return found


def _entry(entry: dict[str, Any]) -> str:
    text = plain_text(entry.get("content") or entry.get("summary") or entry.get("output") or entry.get("arguments"))
    return f"{entry.get('role') or entry.get('type') or 'item'}: {text}"


def compactions(marks: Sequence[Mark], calls: Mapping[int, SeenRequest], ids: Mapping[int, str]) -> list[SeenCompaction]:
    """One row per compaction. Tokens before and after come from the calls on both sides."""
    found = []
    for mark in _distinct(marks):
        before = next((calls[no] for no in sorted(calls, reverse=True) if no < mark.no), None)
        after = next((calls[no] for no in sorted(calls) if no > mark.no), None)
        summary = mark.items[0].item_id if mark.items else None
        found.append(
            SeenCompaction(
                compaction_id=ids[mark.no],
                session_id=mark.row.session_id or "",
                line_no=mark.row.line_no,
                at=mark.at,
                tokens_before=_prompt(before, with_answer=True),
                tokens_after=_prompt(after),
                summary_item_id=summary,
                content_key=mark.key,
            )
        )
    return found


def _distinct(marks: Sequence[Mark]) -> list[Mark]:
    """The `compacted` records, and those events that stand for none of them."""
    records = [mark for mark in marks if mark.type == "compacted"]
    unpaired = list(records)
    alone = []
    for event in (mark for mark in marks if mark.subtype == "context_compacted"):
        near = [mark for mark in unpaired if abs(mark.no - event.no) <= NEAR]
        if near:
            unpaired.remove(min(near, key=lambda mark: abs(mark.no - event.no)))
        else:
            alone.append(event)
    return sorted([*records, *alone], key=lambda mark: mark.no)


def _prompt(call: SeenRequest | None, *, with_answer: bool = False) -> int | None:
    if call is None or call.input_uncached_tokens is None:
        return None
    prompt = call.input_uncached_tokens + (call.cache_read_tokens or 0) + (call.cache_write_tokens or 0)
    return prompt + (call.output_tokens or 0) if with_answer else prompt


def take_back(marks: Sequence[Mark], rollbacks: Mapping[int, int]) -> None:
    """Takes the last turns before each rollback off the path. `rollbacks`: record number -> number of user turns."""
    for no, turns in sorted(rollbacks.items()):
        starts = [mark.no for mark in marks[:no] if any(item.starts_turn and item.on_path for item in mark.items)]
        if turns < 1 or not starts:
            continue
        first = starts[-min(turns, len(starts))]
        stays = [item for mark in marks[:first] for item in mark.items if item.on_path]
        branches.leave([item for mark in marks[first:no] for item in mark.items], stays[-1] if stays else None)
