"""The page of one session: what it is, how its window grew, what filled it, what it cost, and how far that can be trusted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tasks.report import causes, session_charts, session_trust, session_words
from tasks.report.answers import Answer, Rows
from tasks.report.kinds import PARTS, SINGLE
from tasks.report.templates import environment

QUESTIONS: dict[str, dict[str, Any]] = {
    "facts_of_session": {},
    "relatives_of_session": {},
    "account_of_session": {},
    "window_of_session": {"points": 400},
    "marks_of_session": {},
    "fullest_window_of_session": {},
    "files_in_fullest_window_of_session": {"top": 12},
    "cost_by_kind": {},
    "costliest_items_of_session": {"top": 15},
    "cost_by_file": {"top": 15},
    "unused_results_of_session": {"top": 12},
    "cache_misses_by_cause": {},
    "costliest_cache_misses": {"top": 200},
    "compactions_of_session": {},
    "content_of_session": {},
    "turns_of_session": {"top": 60},
}
"""What the page asks, with the parameters it asks with beside `session`."""
MISSES_SHOWN, RELATIVES_SHOWN, PARTS_SHOWN, TURNS_TOLD = 25, 30, 16, 10


@dataclass(frozen=True, slots=True)
class OneSession:
    """What the page is made from."""

    session_id: str
    answers: Mapping[str, Answer]
    """By question of `QUESTIONS`."""
    snapshot: int
    addresses: Mapping[str, str]
    """Pages of other sessions that are there, by session, relative to this one."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """The row of `facts_of_session`."""
        return self.rows("facts_of_session")[0]

    @property
    def account(self) -> Mapping[str, Any] | None:
        """The row of `account_of_session`; None where no call tells what its prompt held."""
        found = self.rows("account_of_session")
        return found[0] if found else None

    @property
    def marks(self) -> Rows:
        """All that happened to the window, cache misses included, in order of calls."""
        misses = [
            {"event": "cache_miss", "request_no": row["request_no"], "cause": row["cause"], "items": None,
             "tokens": row["tokens_repaid"]}
            for row in self.rows("costliest_cache_misses")
        ]  # fmt: skip
        return sorted([*self.rows("marks_of_session"), *misses], key=lambda row: row["request_no"])

    def rows(self, question: str) -> Rows:
        """The rows of an answer."""
        return self.answers[question].rows


def told(one: OneSession) -> dict[str, Any]:
    """All that a template of one session shows, whatever its format."""
    rows = {name.removesuffix("_of_session"): answer.rows for name, answer in one.answers.items()}
    return {
        "a": rows,
        "q": {name.removesuffix("_of_session"): answer for name, answer in one.answers.items()},
        "facts": one.facts,
        "name": session_words.name(one.facts),
        "account": one.account,
        "marks": one.marks,
        "snapshot": one.snapshot,
        "addresses": one.addresses,
        "largest_turns": sorted(rows["turns"], key=lambda row: -(row["prompt_tokens"] or 0))[:TURNS_TOLD],
        "parts": PARTS,
        "single": SINGLE,
        "children": session_words.children(rows["relatives"]),
        "has_money": any(row["cost_usd"] is not None for row in rows["cost_by_kind"]),
        "has_uses": any(row["later_uses"] is not None for row in rows["costliest_items"]),
        "lead": session_words.lead(one.facts, rows["cost_by_kind"], rows["compactions"]),
        "trust": session_trust.trust(one.facts, one.account),
        "why_no_account": session_trust.why_no_account(one.facts),
        "happened": [(mark, session_words.event(mark)) for mark in one.marks if mark["event"] != "cache_miss"],
        "misses": sorted(rows["costliest_cache_misses"], key=lambda row: row["request_no"]),
        "relations": session_words.RELATIONS,
        "triggers": session_words.CAUSES["compaction"],
        "causes": causes.CAUSES,
        "cause_of_miss": causes.SHORT,
    }


def render(one: OneSession) -> str:
    """The whole page. Same input, same bytes."""
    window = one.rows("window_of_session")
    limit = one.facts["context_limit"]
    return (
        environment()
        .get_template("session.html.jinja")
        .render(
            **told(one),
            stamp=f"session-{one.snapshot}",
            growth=session_charts.growth(window, one.marks, limit),
            residuals=session_charts.residuals(window),
            groups=session_charts.shown_groups(window),
            events=session_charts.shown_events(one.marks),
            calls_shown=len(session_charts.prompt_tokens(window)),
            misses_shown=MISSES_SHOWN,
            relatives_shown=RELATIVES_SHOWN,
            parts_shown=PARTS_SHOWN,
        )
    )


def markdown(one: OneSession) -> str:
    """The same as Markdown, shorter."""
    from tasks.report import markdown

    return markdown.environment().get_template("session.md.jinja").render(**told(one))
