"""What the figures of one session come to, in plain words. No sentence holds a word of a log; a name is one."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from tasks.report import words
from tasks.report.answers import Rows

Row = Mapping[str, Any]

CAUSES: dict[str, dict[str, str]] = {
    "compaction": {"auto": "by itself, as the window was full", "manual": "asked for by a person"},
    "microcompaction": {},
    "removal": {
        "old_thinking": "thinking of earlier turns left",
        "results_over_budget": "results beyond what the program keeps left",
        "old_results": "all but the latest results left",
        "parallel_results": "of calls made together all but the last left, with their results",
        "compacted": "all left for a summary that the log does not hold",
        "begun_anew": "the conversation began anew",
    },
    "overhead": {
        "compaction": "with the compaction",
        "model_change": "with another model",
        "resume": "when the program was started again",
        "prefix_change": "with another beginning: nothing was read from the cache a moment after it was written",
        "level_shift": "without a cause in the log: the level moved and stayed",
    },
}
"""Event -> cause as the lake names it -> words."""
RELATIONS = {"subagent": "sub-agent", "resume": "resumed session", "continuation": "continuation", "fork": "fork"}
_NAMES = {
    "compaction": "Compacted",
    "microcompaction": "Results cleared",
    "removal": "Shrank without a record",
    "overhead": "Overhead moved",
}


def lead(facts: Row, costs: Rows, compactions: Rows) -> str:
    """The session in a sentence or two."""
    if not facts["requests"]:
        return "The log records no call to a model."
    told = [counted(facts["requests"], "call")]
    told += [f"after {counted(facts['prompts'], 'prompt')}"] if facts["prompts"] else []
    told += (
        [f"within {words.duration((facts['ended_at'] - facts['started_at']).total_seconds())}"]
        if facts["started_at"] and facts["ended_at"]
        else []
    )
    sentence = " ".join(told) + "."
    if most := facts["largest_prompt_tokens"]:
        limit = facts["context_limit"]
        sentence += f" The largest prompt held {words.compact(most)} tokens"
        sentence += f", {words.percent(most / limit)} of the limit" if limit else ""
        sentence += f"; the window was compacted {times(len(compactions))}." if compactions else "."
    return sentence + _dearest(costs)


def _dearest(costs: Rows) -> str:
    """What took most of what was sent: of the money where it is known, else of the tokens."""
    is_money = any(row["cost_usd"] is not None for row in costs)
    share = "share_of_cost" if is_money else "share_of_prompt_tokens"
    largest = sorted((row for row in costs if (row[share] or 0) > 0), key=lambda row: -row[share])[:2]
    if len(largest) < 2:
        return ""
    first, second = (f"{_PLAIN.get(row['kind'], row['kind'])} ({words.percent(row[share])})" for row in largest)
    return f" Most of {'the money' if is_money else 'what was sent'} went to {first} and {second}."


_PLAIN = {
    "tool_result": "tool results", "tool_call": "tool calls", "assistant_text": "what the agent said", "reasoning": "reasoning",
    "user_text": "what a person typed", "compaction_summary": "summaries", "injected": "what the program put in",
    "system": "the system prompt", "image": "images", "output": "output", "residual": "what nothing explains",
    "overhead": "overhead that no log shows", "no_window": "calls without an account", "notice": "notices",
}  # fmt: skip


def name(facts: Row) -> str:
    """By what a person knows a session: its title, what was asked first, or its id."""
    told = facts["title"] or facts["first_prompt_start"] or facts["task_start"] or facts["session_id"]
    return " ".join(str(told).split())


def event(mark: Row) -> str:
    """What happened to the window, and why."""
    cause = _cause(mark)
    told = _NAMES[mark["event"]] + (f", {cause}" if cause else "")
    told += f": {counted(mark['items'], 'item')}" if mark["items"] else ""
    if mark["tokens"] is None:
        return told
    sign = "+" if mark["event"] == "overhead" and mark["tokens"] > 0 else ""
    sign = "−" if mark["tokens"] < 0 or mark["event"] in ("removal", "compaction") else sign
    return f"{told}, {sign}{abs(mark['tokens']):,} tokens"


def children(relatives: Rows) -> str:
    """3 sub-agents, 1 fork."""
    found = Counter(RELATIONS.get(row["relation"], "session") for row in relatives if row["is_its"] == "child")
    return ", ".join(counted(number, what) for what, number in found.most_common())


def _cause(mark: Row) -> str:
    """Words for a cause. What a log names as the trigger of a compaction is its word, not ours; other causes are named here."""
    known, named = CAUSES[mark["event"]], mark["cause"] or ""
    return known.get(named, "" if mark["event"] == "compaction" else named.replace("_", " "))


def counted(number: int, what: str) -> str:
    """1 call, 2 calls."""
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def times(number: int) -> str:
    """once, twice, 3 times."""
    return {1: "once", 2: "twice"}.get(number, f"{number:,} times")
