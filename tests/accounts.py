"""Lakes of made sessions with an account, as rows: for tests of what is told about a session."""

from collections.abc import Mapping, Sequence
from typing import Any

Rows = dict[str, list[dict[str, Any]]]
SESSION = "weaver:loom-1"


def story(calls: int = 3, *, text: str = "kiln", session: str = SESSION, has_money: bool = True) -> Rows:
    """One of everything that is told of a session, with one text in every place that a log can fill.

    A result of 500 tokens enters at the second call and stays; overhead is 900 tokens; each call after the first finds 100
    tokens more than the account explains. The last call pays again for 400 tokens.
    """
    own = {"session_id": session}
    numbers = range(1, calls + 1)
    prompts = {no: 900 + 100 + (0 if no == 1 else 600) for no in numbers}
    return {
        "sources": [{"source_id": "s", "generation": 0, "path": text, "state": "new"}],
        "sessions": [
            {**own, "agent": "weaver", "native_id": text, "agent_version": text, "project": text, "cwd": text, "title": text,
             "git_branch": text, "started_at": "2026-03-02T09:00:00", "ended_at": "2026-03-02T11:00:00", "ending": "mid_turn",
             "context_limit": 2_000, "parent_session_id": "weaver:loom-0", "relation": "fork"},
            {"session_id": "weaver:loom-0", "agent": "weaver", "title": text, "ended_at": "2026-03-03T12:00:00"},
            {"session_id": f"{session}/{text}", "agent": "weaver", "parent_session_id": session, "relation": "subagent"},
        ],
        "requests": [
            {**own, "request_id": f"r{no}", "request_no": no, "at": "2026-03-02T09:01:00", "model": text, "epoch": 0,
             "prompt_tokens": prompts[no], "cache_read_tokens": prompts[no] // 2, "output_tokens": 10,
             "output_origin": "lower_bound" if no == 1 else "reported", "context_limit": 2_000,
             "cost_usd": "0.25" if has_money else None}
            for no in numbers
        ],
        "items": [
            {**own, "item_id": "i1", "seq": 1, "turn": 1, "kind": "user_text", "text": text, "tokens": 100, "starts_turn": True,
             "source_id": "s", "generation": 0, "line_no": 2, "at": "2026-03-02T09:00:00"},
            {**own, "item_id": "i2", "seq": 2, "turn": 1, "kind": "tool_call", "text": text, "tokens": 20, "tool_name": text,
             "path": text, "call_id": "c", "source_id": "s", "generation": 0, "line_no": 3, "request_id": "r1"},
            {**own, "item_id": "i3", "seq": 3, "turn": 1, "kind": "tool_result", "text": text, "tokens": 480, "tool_name": text,
             "path": text, "call_id": "c", "source_id": "s", "generation": 0, "line_no": 4},
        ],
        "placements": [
            {**own, "position": n, "item_id": f"i{n}", "turn": 1, "request_no": n, "on_path": True, "in_context": True,
             "inherited": False}
            for n in (1, 2, 3)
        ],
        "compactions": [
            {**own, "compaction_id": "k", "request_no": calls, "trigger": text, "tokens_before": 1_600, "tokens_after": 600},
        ],
        "reconciliation": [
            {**own, "request_id": f"r{no}", "request_no": no, "is_sidechain": False, "prompt_tokens": prompts[no],
             "explained_tokens": 100 if no == 1 else 600, "overhead_tokens": 900, "residual_tokens": 0 if no == 1 else 100,
             "step_residual_tokens": None if no == 1 else 0, "overhead_cause": "start" if no == 1 else None,
             "removal_rule": "old_results" if no == 3 else None,
             "cost_overhead_usd": "0.1" if has_money else None, "cost_residual_usd": "0.01" if has_money else None,
             "cost_output_usd": "0.02" if has_money else None}
            for no in numbers
        ],
        "residency": [
            _stay(own, "i1", (1, calls), 100, "0.03" if has_money else None),
            _stay(own, "i3", (2, calls), 500, "0.3" if has_money else None, later_uses=0) if calls > 1 else
            _stay(own, "i2", (1, calls), 0, None),
        ],
        "cache_misses": [
            {**own, "request_id": f"r{calls}", "request_no": calls, "tokens_repaid": 400, "cause": "idle",
             "cost_usd": "0.004" if has_money else None},
        ],
        "calibrations": [
            {**own, "model": text, "is_sidechain": False, "measure": "text", "scale": 1.0, "framing": 0.0, "factor": 1.05,
             "pool": text},
        ],
    }  # fmt: skip


def without(rows: Mapping[str, Sequence[dict[str, Any]]], *tables: str) -> Rows:
    """The same lake, where these tables have no row."""
    return {name: [] if name in tables else list(given) for name, given in rows.items()}


def _stay(
    own: Mapping[str, Any], item: str, held: tuple[int, int], tokens: int, cost: str | None, **more: Any
) -> dict[str, Any]:
    first, last = held
    calls = last - first + 1
    return {
        **own, "item_id": item, "is_sidechain": False, "epoch": 0, "form": "full", "inferred": False, "first_request_no": first,
        "last_request_no": last, "requests": calls, "tokens_calibrated": tokens, "token_requests": tokens * calls,
        "cost_usd": cost, "cost_cache_read_usd": cost, "cost_cache_write_usd": None, "cost_uncached_usd": None, **more,
    }  # fmt: skip
