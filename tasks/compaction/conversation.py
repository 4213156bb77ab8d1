"""Items as the text that a summarizer reads. Pure."""

from collections.abc import Callable, Sequence

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind

_SPEAKERS = {
    ItemKind.USER_TEXT: "User", ItemKind.ASSISTANT_TEXT: "Assistant", ItemKind.REASONING: "Assistant, thinking",
    ItemKind.TOOL_CALL: "Tool call", ItemKind.TOOL_RESULT: "Tool result", ItemKind.COMPACTION_SUMMARY: "Earlier summary",
}  # fmt: skip


def formatted(items: Sequence[Item]) -> str:
    """Who said what, in order."""
    return "\n\n".join(map(_said, items))


def chunks(items: Sequence[Item], count: Callable[[str], int], most: int) -> list[tuple[Item, ...]]:
    """Runs of items of at most so many tokens each; one item that is larger is a run of its own."""
    found: list[list[Item]] = []
    room = 0
    for item in items:
        tokens = count(item.text) if item.tokens is None else item.tokens
        if not found or tokens > room:
            found.append([])
            room = most
        found[-1].append(item)
        room -= tokens
    return [tuple(run) for run in found]


def _said(item: Item) -> str:
    speaker = _SPEAKERS.get(ItemKind(item.kind), "Program")
    tool = f" ({item.tool_name})" if item.tool_name else ""
    return f"{speaker}{tool}: {item.text}"
