"""The output of a test run in two: what the failures say, character by character, and the rest. Pure.

A passing test binds nothing; the difference between what was expected and what came binds everything.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tasks.domain.item import Item
from tasks.domain.kinds import ToolCategory
from tasks.facts.lines import strings

LAST_LINES = 30
"""Kept of an output that no rule knows, with the lines around what looks like an error."""
_COMMAND = re.compile(
    r"(?:^|[;&|(\n]\s*)(?:\w+=\S+ +)*(?:(?:uv|poetry|pdm|hatch|pipenv|bundle|npx|timeout \S+|time|sudo)(?: run| exec)? +)*"
    r"(?:(?:\S*python[\d.]* -m )?(?:\S*/)?(?:pytest|py\.test|unittest)|tox|nox|(?:npm|pnpm|yarn|bun|deno)(?: run)? test\S*|jest"
    r"|vitest|mocha|go test|cargo (?:nextest|test)|(?:\./)?(?:mvnw?|gradlew?) .*\btest|rspec|phpunit|dotnet test|ctest|bats"
    r"|make (?:test|check))(?![\w./])"
)
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_SUMMARY = re.compile(
    r"=* ?(?:\d+ (?:failed|passed|errors?|skipped|xfailed|xpassed|deselected|warnings?)(?:, )?)+.*"  # pytest
    r"|Ran \d+ tests? in .*|FAILED \((?:failures|errors)=.*|OK(?: \(.*\))?"  # unittest
    r"|\s*Tests?:? .*\b(?:passed|failed|failing|passing)\b.*|\s*\d+ (?:passing|failing)\b.*"  # jest, vitest, mocha
    r"|test result: .*|(?:FAIL|ok)\t\S+.*|Tests run: .*|\d+ examples?, \d+ failures?.*|# (?:pass|fail) +\d+"
)
_FAILED = re.compile(
    r"E {2,}.*|> {2,}.*|(?:FAILED|ERROR) \S+.*|\S+:\d+: \w*(?:Error|Exception|Failed)\b.*|_{3,} .* _{3,}"  # pytest
    r"|(?:FAIL|ERROR): .*|\w+(?:Error|Exception)\b.*"  # unittest
    r"|\s*--- FAIL: .*|panic: .*|\s+\S+_test\.go:\d+: .*"  # go
    r"|thread '.*' panicked at .*|\s+(?:left|right): .*|assertion .* failed.*|---- .* stdout ----"  # cargo
    r"|\s*● .*|\s*(?:Expected|Received|expected|received)\b.*:.*|\s*(?:✕|✗|×) .*|\s*FAIL .*"  # jest, vitest
    r"|not ok \d+.*|\s*\d+\) .*"  # TAP, mocha
)
_PASSED = re.compile(
    r"\S+(?:::\S+)? (?:PASSED|SKIPPED).*|PASSED \S+.*|\s*--- PASS: .*|test \S+ \.\.\. ok|\s*(?:✓|√|✔) .*|ok \d+.*|.* \.\.\. ok"
)
_ERROR = re.compile(r"error|fail|exception|panic|assert|traceback", re.I)


@dataclass(frozen=True, slots=True)
class Split:
    """Lines of a test output that stay, as the runner printed them."""

    kept: tuple[tuple[int, int], ...]
    """Characters from the start of the output, first and behind the last; in order, and apart."""
    is_parsed: bool

    def text(self, output: str) -> str:
        """What stays, one piece a line."""
        return "\n".join(output[first:last] for first, last in self.kept)


def is_test_run(call: Item) -> bool:
    """By the category of its tool, or by its command."""
    if call.tool_category == ToolCategory.TEST:
        return True
    return call.tool_category == ToolCategory.SHELL and any(_COMMAND.search(text) for text in strings(call.text))


def split(output: str) -> Split:
    """By the forms of the common runners; else the lines around errors and the last ones."""
    lines = list(_lines(output))
    bare = [_ANSI.sub("", output[first:last]).rsplit("\r", 1)[-1].rstrip() for first, last in lines]
    failed = {at for at, line in enumerate(bare) if _FAILED.fullmatch(line) and not _PASSED.fullmatch(line)}
    counts = {at for at, line in enumerate(bare) if _SUMMARY.fullmatch(line)}
    if counts:
        return Split(_joined(lines, failed | counts), is_parsed=True)
    near = {at + step for at, line in enumerate(bare) if _ERROR.search(line) for step in range(-2, 3)}
    last = set(range(max(0, len(lines) - LAST_LINES), len(lines)))
    return Split(_joined(lines, (near | last) & set(range(len(lines)))), is_parsed=False)


def _lines(output: str) -> Iterator[tuple[int, int]]:
    """First character and behind the last of each line, without its end."""
    first = 0
    for line in output.split("\n"):
        yield first, first + len(line)
        first += len(line) + 1


def _joined(lines: list[tuple[int, int]], wanted: set[int]) -> tuple[tuple[int, int], ...]:
    """Runs of lines that stand one below the other are one piece."""
    pieces: list[tuple[int, int]] = []
    for at in sorted(wanted):
        if pieces and at - 1 in wanted:
            pieces[-1] = (pieces[-1][0], lines[at][1])
        else:
            pieces.append(lines[at])
    return tuple(pieces)
