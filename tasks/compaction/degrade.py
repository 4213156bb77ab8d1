"""The first of CodeCoder's two tiers: all thinking goes, old results leave their size, their place and their beginning. Pure.

Shared by `tier1`, which is this and nothing else, and `tier2`, which begins with it.
"""

from tasks.compaction.cut import calls_of
from tasks.compaction.extract import decisions
from tasks.compaction.placeholder import BINARY, placeholder
from tasks.compaction.plan import Change, Context, Disposition, is_compacted
from tasks.domain.kinds import ItemKind

RECENT = 10
"""Results that stay whole, counted from the newest over the whole context."""
HEAD = 200
"""Characters that stay of an older one."""


def changes(context: Context, *, recent: int = RECENT, head: int = HEAD) -> list[Change]:
    """By position. A result stays where its placeholder would be no shorter, and where it is one already."""
    calls = calls_of(context.items)
    results = [at for at, item in enumerate(context.items) if item.kind == ItemKind.TOOL_RESULT]
    old = set(results[: max(0, len(results) - recent)])
    old_calls = {context.items[at].call_id for at in old} - {None}
    found: list[Change] = []
    for at, item in enumerate(context.items):
        if item.kind == ItemKind.REASONING:
            found.append(Change(at, Disposition.REMOVED, None, "thinking: all of it is dropped"))
        elif at in old and not is_compacted(item):
            call = calls.get(item.call_id or "")
            text = placeholder(item, None if call is None else context.items[call], head)
            found += _where_shorter(context, at, text, f"older than the newest {recent} results")
        elif item.kind == ItemKind.IMAGE and item.call_id in old_calls and not is_compacted(item):
            found += _where_shorter(context, at, BINARY, f"part of a result older than the newest {recent}")
    return found


def lost_decisions(context: Context) -> tuple[str, ...]:
    """A note where the thinking decides something that is said nowhere else: it goes with the thinking."""
    thought = decisions(item.text for item in context.items if item.kind == ItemKind.REASONING)
    said = set(decisions(item.text for item in context.items if item.kind == ItemKind.ASSISTANT_TEXT))
    only = [text for text in thought if text not in said]
    return (f"{len(only)} decisions are in the thinking alone, the last: {only[-1]}",) if only else ()


def _where_shorter(context: Context, at: int, text: str, reason: str) -> list[Change]:
    if context.count(text) >= context.tokens(at):
        return []
    return [Change(at, Disposition.PLACEHOLDER, text, reason)]
