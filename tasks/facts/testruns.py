"""A test run or a check, taken apart: what failed to the letter, and where the rest is. Pure, and linear in the output.

A runner is known by what it prints and not by the command, which may be anybody's script. Nothing is rewritten: failures are
spans of the raw text.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.facts import runners_checks, runners_compiled, runners_other, runners_python, runners_script
from tasks.facts.output import Line, lines_of
from tasks.facts.runners import COUNTS, Block, Reported, Runner, read
from tasks.tokens.commands import runs_tests

ALL = (
    *runners_python.RUNNERS,
    *runners_script.RUNNERS,
    *runners_compiled.RUNNERS,
    *runners_other.RUNNERS,
    *runners_checks.RUNNERS,
)
_BY_NAME = {runner.name: runner for runner in ALL}
_SIGN = re.compile("|".join(f"(?P<{runner.name}>{runner.sign})" for runner in ALL))
_TROUBLE = re.compile(r".*?(?:\b(?:[Ee]rror|ERROR|FAIL|FAILED|[Ff]ailed|[Ff]ailure|panic|Traceback|fatal)\b|Error:|Exception)")
AROUND, TAIL = 2, 30
"""Lines kept around a line that speaks of trouble, and at the end, where nobody knows the runner."""

Span = tuple[int, int]
"""Characters of the raw text, from the first to the one after the last."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure, as printed."""

    name: str
    """The test's, as the runner names it; empty where it does not."""
    first: int
    last: int

    def text(self, output: str) -> str:
        return output[self.first : self.last]


@dataclass(frozen=True, slots=True)
class Run:
    """What one output says. Counts that it does not tell are None."""

    runner: str
    """Several, where a command ran several, joined by +; `unparsed` where nobody knows it."""
    passed: int | None
    failed: int | None
    errors: int | None
    """Tests that could not run, or what a check found."""
    skipped: int | None
    failed_ids: tuple[str, ...]
    failures: tuple[Failure, ...]
    """In their order; they do not overlap."""
    rest: tuple[Span, ...]
    """Everything else."""
    is_parsed: bool
    """False where the failures are only lines that look like trouble, and the end."""


def take_apart(output: str, command: str = "", *, is_error: bool = False) -> Run | None:
    """An output taken apart; None where it is no test run. A command that tests makes it one, whatever it prints."""
    lines = lines_of(output)
    known = _recognized(lines)
    if not known and not runs_tests(command):
        return None
    reports = [read(runner, lines) for runner in known]
    blocks = _apart(block for report in reports for block in report.blocks)
    counts = _added(reports)
    went_wrong = is_error or bool(counts["failed"] or counts["errors"])
    is_parsed = bool(known) and (bool(blocks) or not went_wrong)
    if not is_parsed:
        blocks = _loose(lines)
    failures = tuple(Failure(block.name, lines[block.first].first, lines[block.last - 1].last) for block in blocks)
    names = tuple(dict.fromkeys(name for report in reports for name in report.named))
    name = "+".join(runner.name for runner in known) or "unparsed"
    return Run(name, **counts, failed_ids=names, failures=failures, rest=_rest(failures, len(output)), is_parsed=is_parsed)


def _recognized(lines: Iterable[Line]) -> list[Runner]:
    """In the order of the table."""
    texts = {line.text for line in lines}
    names = {found.lastgroup for text in texts if (found := _SIGN.match(text))}
    return [runner for name, runner in _BY_NAME.items() if name in names]


def _added(reports: Sequence[Reported]) -> dict[str, int | None]:
    """Counts of all runners; None where none of them tells."""
    return {name: sum(told) if (told := [r.counts[name] for r in reports if name in r.counts]) else None for name in COUNTS}


def _apart(blocks: Iterable[Block]) -> list[Block]:
    """In their order, none in another: what two runners both claim is the earlier one's."""
    found: list[Block] = []
    for block in sorted(blocks, key=lambda block: (block.first, -block.last)):
        first = max(block.first, found[-1].last) if found else block.first
        if first < block.last:
            found.append(Block(block.name, first, block.last))
    return found


def _loose(lines: Sequence[Line]) -> list[Block]:
    """Lines that speak of trouble with those around them, and the last ones."""
    end = len(lines) - (1 if lines[-1].first == lines[-1].last else 0)
    spans = [(max(0, n - AROUND), min(end, n + AROUND + 1)) for n, line in enumerate(lines[:end]) if _TROUBLE.match(line.text)]
    if end:
        spans.append((max(0, end - TAIL), end))
    found: list[Block] = []
    for first, last in spans:
        if found and first <= found[-1].last:
            found[-1] = Block("", found[-1].first, max(last, found[-1].last))
        else:
            found.append(Block("", first, last))
    return found


def _rest(failures: Iterable[Failure], length: int) -> tuple[Span, ...]:
    spans: list[Span] = []
    at = 0
    for failure in failures:
        if failure.first > at:
            spans.append((at, failure.first))
        at = failure.last
    return (*spans, (at, length)) if at < length else tuple(spans)
