"""What the figures of a session come to, in words of ours alone."""

from datetime import datetime
from typing import Any

import pytest

from tasks.context import attribution, overhead
from tasks.context.unlogged import RULES
from tasks.report import session_charts, session_trust, session_words

FACTS: dict[str, Any] = {
    "requests": 12, "prompts": 2, "started_at": datetime(2026, 3, 2, 9), "ended_at": datetime(2026, 3, 2, 10),
    "largest_prompt_tokens": 90_000, "context_limit": 200_000, "requests_with_output_understated": 0, "requests_unpriced": 0,
    "sums_of_calls": 0, "prompt_tokens": 500_000,
}  # fmt: skip


def part(kind: str, cost: float | None, tokens: float | None = None) -> dict[str, Any]:
    return {"kind": kind, "cost_usd": cost, "share_of_cost": cost, "share_of_prompt_tokens": tokens}


def mark(event: str, cause: str | None, items: int | None = None, tokens: int | None = None) -> dict[str, Any]:
    return {"event": event, "cause": cause, "items": items, "tokens": tokens, "request_no": 3}


def test_lead_says_how_long_how_full_and_for_what() -> None:
    told = session_words.lead(
        FACTS, [part("tool_result", None, 0.75), part("overhead", None, 0.25), part("output", None)], [{}, {}]
    )
    assert told == (
        "12 calls after 2 prompts within 1 h 0 min. The largest prompt held 90.0k tokens, 45.0 % of the limit; the window was "
        "compacted twice. Most of what was sent went to tool results (75.0 %) and overhead that no log shows (25.0 %)."
    )


def test_money_decides_where_it_is_known() -> None:
    told = session_words.lead(FACTS, [part("tool_result", 0.25, 0.9), part("output", 0.75), part("residual", -0.1, -0.1)], [])
    assert told.endswith("Most of the money went to output (75.0 %) and tool results (25.0 %).")


def test_a_session_without_calls_says_so() -> None:
    assert session_words.lead({**FACTS, "requests": 0}, [], []) == "The log records no call to a model."


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ({"title": "Glaze"}, "Glaze"),
        ({"first_prompt_start": "Fire\n\tit."}, "Fire it."),
        ({"task_start": "Fetch clay."}, "Fetch clay."),
        ({}, "weaver:1"),
    ],
)
def test_a_session_has_a_name(known: dict[str, str], told: str) -> None:
    nothing = {"title": None, "first_prompt_start": None, "task_start": None, "session_id": "weaver:1"}
    assert session_words.name({**nothing, **known}) == told


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (mark("compaction", "auto", 40, 900), "Compacted, by itself, as the window was full: 40 items, −900 tokens"),
        (mark("compaction", None), "Compacted"),
        (mark("compaction", "word_of_a_log"), "Compacted"),
        (mark("compaction", "<b>&\n[x](y)"), "Compacted"),
        (mark("microcompaction", None, 1), "Results cleared: 1 item"),
        (mark("removal", "begun_anew", 3, 20), "Shrank without a record, the conversation began anew: 3 items, −20 tokens"),
        (mark("overhead", "resume", None, 1_500), "Overhead moved, when the program was started again, +1,500 tokens"),
        (mark("overhead", "resume", None, -1_500), "Overhead moved, when the program was started again, −1,500 tokens"),
        (mark("overhead", "new_cause", None, 0), "Overhead moved, new cause, 0 tokens"),
    ],
)  # fmt: skip
def test_an_event_is_told_without_words_of_the_log(given: dict[str, Any], told: str) -> None:
    assert session_words.event(given) == told


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"requests": 0}, "records no call"),
        ({"requests": 2, "sums_of_calls": 2}, "several calls took together"),
        ({"prompt_tokens": 500}, "midwatch analyze"),
        ({"prompt_tokens": None}, "does not say how many tokens"),
    ],
)
def test_a_missing_account_has_a_reason(facts: dict[str, Any], told: str) -> None:
    assert told in session_trust.why_no_account({**FACTS, **facts})


def test_layers_stand_on_each_other_and_leave_the_residual_open() -> None:
    """Overhead 900, a prompt of 100 and a result of 500 are 1,500 of a prompt of 1,600."""
    window = [
        {"request_no": 1, "kind": name, "tokens": tokens}
        for name, tokens in (("overhead", 900), ("user_text", 100), ("tool_result", 500), ("residual", 100))
    ]
    layers = [(row["low"], row["high"]) for row in session_charts._layers(window)]
    assert layers == [(0, 900), (900, 1_000), (1_000, 1_500)]
    assert session_charts.prompt_tokens(window) == {1: 1_600}
    assert [words for _, words in session_charts.shown_groups(window)] == [
        "tool results", "typed by a person", "overhead: what no log shows",
    ]  # fmt: skip


def test_a_distant_limit_does_not_flatten_the_picture() -> None:
    window = [{"request_no": no, "kind": "overhead", "tokens": 1_000} for no in (1, 2)]
    assert "context limit 2,000" in session_charts.growth(window, [], 2_000)
    assert "context limit 9,000" not in session_charts.growth(window, [], 9_000)


def test_every_rule_of_a_removal_has_words():
    assert {rule.name for rule in RULES} == session_words.CAUSES["removal"].keys()


def test_every_cause_that_moves_the_overhead_has_words():
    named = attribution.COMPACTION, attribution.MODEL_CHANGE, attribution.RESUME, attribution.PREFIX_CHANGE
    assert {*named, overhead.LEVEL_SHIFT} == session_words.CAUSES["overhead"].keys()
