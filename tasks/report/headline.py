"""What the figures come to, in sentences. Pure."""

from collections.abc import Mapping

from tasks.report import words
from tasks.report.answers import Rows
from tasks.report.kinds import KINDS, NOT_ITEMS

PARTS = {
    "explained_tokens": "explained",
    "overhead_tokens": "overhead",
    "residual_tokens": "unexplained",
    "unaccounted_tokens": "without an account",
}


def lead(answers: Mapping[str, Rows]) -> str:
    """Two or three sentences for the top of the page; empty where nothing was read."""
    return _of_prompts(answers["cost_by_kind"]) or _of_content(answers["tokens_by_kind"])


def parts(books: Rows) -> dict[str, int]:
    """All prompt tokens of the lake in the parts of their accounts."""
    return {name: sum(row[name] for row in books) for name in ("prompt_tokens", *PARTS)}


def _of_prompts(rows: Rows) -> str:
    sent = {row["kind"]: row["token_requests"] or 0 for row in rows}
    whole = sum(sent.values())
    items = [row for row in rows if row["kind"] not in NOT_ITEMS and row["token_requests"]]
    new, carried = sum(row["content_tokens"] or 0 for row in items), sum(row["token_requests"] for row in items)
    if not whole or not new:
        return ""
    most = max(items, key=lambda row: row["token_requests"])
    told = (
        f"A model remembers nothing: every call sends the whole conversation again. {words.compact(new)} tokens that were said "
        f"once came to {words.compact(carried)} in prompts, {carried / new:.0f} times as many; "
        f"{words.percent(most['token_requests'] / whole)} of all prompts were {KINDS.get(most['kind'], most['kind'])}."
    )
    overhead = words.percent(sent.get("overhead", 0) / whole)
    if sent.get("overhead", 0) > 0:
        told += f" Another {overhead} is overhead that no log shows: system prompt, tool descriptions, rules."
    return told


def _of_content(kinds: Rows) -> str:
    told = {row["kind"]: row["share_of_content"] or 0 for row in kinds}
    payload = told.get("tool_result", 0) + told.get("tool_call", 0)
    if not payload:
        return ""
    typed = f"what people typed is {words.percent(told.get('user_text', 0))}"
    return f"{words.percent(payload)} of the content is what tools were told and what they gave back; {typed}."
