"""The closing summary: what a person wants to know of a night, in ten seconds."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flows.steps import NightlyReport
    from tasks.check import CheckReport
    from tasks.handoff import HandoffReport
    from tasks.ingest import IngestReport

MOST_PROBLEMS = 5
STATES = {
    "new": "new", "appended": "grown", "unchanged": "unchanged", "copy": "copies", "moved": "moved", "truncated": "cut short",
    "rewritten": "rewritten", "gone": "gone", "empty": "empty", "unreadable": "unreadable", "unclaimed": "of no known agent",
}  # fmt: skip
BUCKETS = {"input_uncached": "fresh input", "cache_write": "cache write", "cache_read": "cache read", "output": "output"}
EXIT_WORDS = {
    0: "done",
    1: "done, but checks found what must not be",
    3: "done, but not everything could be; all good data is in",
}


def exit_code(ingested: "IngestReport", handoffs: "HandoffReport | None" = None, checked: "CheckReport | None" = None) -> int:
    """1 when a check is broken; 3 when something could not be read or a handoff is over its budget; else 0."""
    if checked and checked.broken:
        return 1
    return 3 if ingested.is_partial or (handoffs and handoffs.over_budget) else 0


def missing(ingested: "IngestReport", handoffs: "HandoffReport | None" = None) -> str:
    """One sentence on what exit code 3 stands for, for standard error; empty with any other code."""
    lacks = {
        "spans of logs that are no records": ingested.new_rejects,
        "logs that could not be read": len(ingested.problems),
        "handoffs over their budget": len(handoffs.over_budget) if handoffs else 0,
    }
    told = ", ".join(f"{count:,} {what}" for what, count in lacks.items() if count)
    return f"all good data is in, but there are {told}; `midwatch sources --problems` lists logs" if told else ""


def of_night(night: "NightlyReport", data: Path) -> str:
    """A night of all steps, as text."""
    code = exit_code(night.ingest, night.handoff, night.check)
    lines = [
        *_ingest_lines(night.ingest, data),
        *_later_lines(night),
        _closing(code, night.seconds),
    ]
    return _laid_out(lines)


def of_ingest(ingested: "IngestReport", data: Path) -> str:
    """An ingest alone, as text."""
    return _laid_out([*_ingest_lines(ingested, data), _closing(exit_code(ingested), ingested.seconds)])


def _ingest_lines(ingested: "IngestReport", data: Path) -> Iterator[tuple[str, str]]:
    yield "logs", " · ".join(f"{count:,} {STATES.get(state, state)}" for state, count in ingested.states.items()) or "none"
    yield "lake", f"{ingested.sessions:,} sessions · {ingested.requests:,} calls · {ingested.items:,} items, in {data}"
    yield "tokens", " · ".join(f"{amount(ingested.tokens.get(name, 0))} {words}" for name, words in BUCKETS.items())
    yield from _trouble(ingested)
    books = ingested.books
    yield (
        "books",
        f"{size(books.get('seen', 0))} seen = "
        + " + ".join(
            f"{size(books.get(name, 0))} {words}"
            for name, words in {"in_rows": "in rows", "rejected": "rejected", "blank": "blank", "pending": "pending"}.items()
        ),
    )
    yield (
        "snapshot",
        f"{ingested.commit}" if ingested.is_committed else f"nothing new: no manifest made, {ingested.commit} stands",
    )


def _trouble(ingested: "IngestReport") -> Iterator[tuple[str, str]]:
    if ingested.rejects:
        yield "rejects", f"{ingested.rejects:,} spans that are no records: midwatch query rejects_by_reason"
    if pending := ingested.books.get("pending"):
        yield "pending", f"{size(pending)} in last lines without an end: read when they have one, or their log has come to rest"
    for number, problem in enumerate(ingested.problems[:MOST_PROBLEMS]):
        yield "" if number else "problems", f"{problem.path}: {problem.state}, {problem.reason}"
    if len(ingested.problems) > MOST_PROBLEMS:
        yield "", f"and {len(ingested.problems) - MOST_PROBLEMS:,} more: midwatch sources --problems"


def _later_lines(night: "NightlyReport") -> Iterator[tuple[str, str]]:
    if night.migrate:
        yield "migrated", f"{night.migrate.files:,} parts, {night.migrate.rows:,} rows, to today's schema"
    if night.maintain:
        yield "tidied", f"{night.maintain.parts_before:,} parts into {night.maintain.parts_after:,}"
    if night.analyze and night.analyze.written:
        yield "account", f"{night.analyze.written:,} of {night.analyze.sessions:,} sessions accounted for anew"
    if night.evaluate and (night.evaluate.sessions or night.evaluate.left):
        left = f"; {night.evaluate.left:,} are left for the next night (evaluate_minutes)" if night.evaluate.left else ""
        yield "policies", f"tried on {night.evaluate.sessions:,} sessions: midwatch evaluate{left}"
    if night.check:
        yield from _check_lines(night.check)
    made = night.handoff
    ready = made.built + made.kept
    yield (
        "handoffs",
        f"{ready:,} ready, {made.built:,} of them written now: midwatch handoff --last" if ready else "none needed",
    )
    if made.over_budget:
        yield (
            "",
            f"{len(made.over_budget):,} over the budget with constraints and open steps alone; nothing of them was left out",
        )
    yield "report", str(night.report)


def _check_lines(checked: "CheckReport") -> Iterator[tuple[str, str]]:
    offenders = {**checked.broken, **checked.warned}
    if not offenders:
        yield "checks", f"all {checked.checks} hold"
    for number, (name, rows) in enumerate(offenders.items()):
        word = "broken" if name in checked.broken else "warned"
        yield "" if number else "checks", f"{word}: {rows:,} rows of midwatch query checks/{name}"


def broken(checked: "CheckReport | None") -> str:
    """One sentence on what exit code 1 of a night stands for; empty with any other code."""
    names = ", ".join(checked.broken) if checked else ""
    return (
        f"the lake contradicts itself: {names}; `midwatch query checks/<name>` shows where. Please report it" if names else ""
    )


def _closing(code: int, seconds: float) -> tuple[str, str]:
    return "exit", f"{code}: {EXIT_WORDS[code]}. {seconds:,.1f} s. Nothing left this machine."


def _laid_out(lines: list[tuple[str, str]]) -> str:
    return "\n".join(f"  {name:<9} {text}" for name, text in lines)


def amount(tokens: int) -> str:
    """Tokens for a person; the exact number below a million."""
    for unit, name in ((10**9, "G"), (10**6, "M")):
        if tokens >= unit:
            return f"{tokens / unit:,.1f} {name}"
    return f"{tokens:,}"


def size(count: int) -> str:
    """Bytes for a person; the exact number below a kilobyte."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= unit:
            return f"{count / unit:,.1f} {name}"
    return f"{count:,} B"
