"""What things are called on all pages: kinds of items, and the parts of a prompt or a bill that are no item."""

KINDS = {
    "system": "system prompt",
    "user_text": "typed by a person",
    "assistant_text": "said by the agent",
    "reasoning": "reasoning",
    "tool_call": "tool calls",
    "tool_result": "tool results",
    "injected": "injected by the agent program",
    "image": "images",
    "compaction_summary": "compaction summaries",
    "notice": "notices",
    "unknown": "not understood",
}
NOT_ITEMS = {
    "overhead": "overhead",
    "residual": "unexplained rest",
    "no_window": "calls without an account",
    "output": "models' answers",
}
"""Rows of `cost_by_kind` that are no kind of item."""
PARTS = KINDS | NOT_ITEMS
SINGLE = {
    **KINDS, "assistant_text": "words of the agent", "tool_call": "call", "tool_result": "result", "image": "image",
    "injected": "put in by the program", "compaction_summary": "summary of a compaction", "notice": "notice",
    "user_text": "prompt of a person",
}  # fmt: skip
"""Kinds, of one item."""


def name_of(kind: str) -> str:
    """What a row of `cost_by_kind` is about. A kind of a newer lake is called what it is there."""
    return PARTS.get(kind, kind)
