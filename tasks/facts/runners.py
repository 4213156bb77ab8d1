"""How runners of tests and checks print: a row each says what gives one away, where failures begin and end, and its counts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tasks.facts.output import Line

COUNTS = ("passed", "failed", "errors", "skipped")


@dataclass(frozen=True)
class Runner:
    """One runner. Every pattern is matched at the start of one visible line."""

    name: str
    sign: str
    """A line that nobody else prints. Without groups."""
    starts: str
    """The first line of a failure; the first group that matched names it."""
    ends: str
    """A line that belongs to a failure no more; the next failure ends one as well."""
    back: str = ""
    """Lines right before a failure's first that are its own."""
    within: str = ""
    """The line after which failures are printed; elsewhere the same line is something else."""
    until: str = ""
    """The line after which they are not any more."""
    summary: str = ""
    """Where it is there, counts that are not told are zero; else they are unknown."""
    failed: str = ""
    """A line that names a failed test and is no failure by itself, unless there are no others."""
    counts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What adds up: the number in the group of each line that matches, or the lines where there is no group. `total` may
    stand for `passed`."""
    tests: bool = True
    """Runs tests; else it checks code, and each failure is an error."""

    @cached_property
    def patterns(self) -> dict[str, re.Pattern[str]]:
        return {
            name: re.compile(getattr(self, name))
            for name in ("starts", "ends", "back", "within", "until", "summary", "failed")
            if getattr(self, name)
        }

    @cached_property
    def counters(self) -> list[tuple[str, re.Pattern[str]]]:
        return [(name, re.compile(pattern)) for name, patterns in self.counts.items() for pattern in patterns]

    @cached_property
    def counted(self) -> re.Pattern[str]:
        """Any line that counts; most do not, and are looked at once."""
        return re.compile("|".join(f"(?:{pattern})" for patterns in self.counts.values() for pattern in patterns))


@dataclass(frozen=True, slots=True)
class Block:
    """A failure as lines of the output."""

    name: str
    first: int
    last: int
    """The first line that is not in it."""


@dataclass(frozen=True, slots=True)
class Reported:
    """What one runner said."""

    blocks: list[Block]
    named: list[str]
    """Failed tests in the order in which they are named."""
    counts: dict[str, int]


def read(runner: Runner, lines: Sequence[Line]) -> Reported:
    """What a runner that was recognized printed in these lines."""
    named = [(number, name) for number, line in enumerate(lines) if (name := _name(runner, "failed", line.text))]
    blocks = _said_once(_blocks(runner, lines), lines) or [Block(name, number, number + 1) for number, name in named]
    counts = _counts(runner, lines) if runner.tests else {"errors": len(blocks)}
    return Reported(blocks, [name for _, name in named] or [block.name for block in blocks if block.name], counts)


def _blocks(runner: Runner, lines: Sequence[Line]) -> Iterator[Block]:
    starts, ends = runner.patterns["starts"], runner.patterns["ends"]
    within, until = runner.patterns.get("within"), runner.patterns.get("until")
    is_within, first, name = within is None, -1, ""
    for number, line in enumerate(lines):
        begins = starts.match(line.text) if is_within else None
        if first >= 0 and (begins or ends.match(line.text)):
            yield Block(name, first, _trimmed(lines, first, number))
            first = -1
        if begins:
            first, name = _first(runner, lines, number), next(filter(None, begins.groups()), "").strip()
        elif within and within.match(line.text):
            is_within = True
        elif until and until.match(line.text):
            is_within = False
    if first >= 0:
        yield Block(name, first, _trimmed(lines, first, len(lines)))


def _first(runner: Runner, lines: Sequence[Line], number: int) -> int:
    back = runner.patterns.get("back")
    while back and number and back.match(lines[number - 1].text):
        number -= 1
    return number


def _said_once(blocks: Iterable[Block], lines: Sequence[Line]) -> list[Block]:
    """Without those that say again, word for word, what one before said: some runners end with a summary of all failures."""
    found: dict[tuple[str, ...], Block] = {}
    for block in blocks:
        found.setdefault((block.name, *(line.text for line in lines[block.first : block.last])), block)
    return list(found.values())


_RULE = re.compile(r"[-=_~─⎯\s]*$")


def _trimmed(lines: Sequence[Line], first: int, last: int) -> int:
    """Without the empty lines and rules that only part a failure from what follows."""
    while last > first + 1 and _RULE.match(lines[last - 1].text):
        last -= 1
    return last


def _name(runner: Runner, which: str, text: str) -> str:
    pattern = runner.patterns.get(which)
    found = pattern.match(text) if pattern else None
    return next(filter(None, found.groups()), "").strip() if found else ""


def _counts(runner: Runner, lines: Sequence[Line]) -> dict[str, int]:
    counts: dict[str, int] = {}
    summary = runner.patterns.get("summary")
    counted = [line for line in lines if runner.counted.match(line.text)]
    for line in counted:
        for name, pattern in runner.counters:
            if found := pattern.match(line.text):
                counts[name] = counts.get(name, 0) + (int(found[1]) if pattern.groups else 1)
    if summary and any(summary.match(line.text) for line in lines):
        counts = dict.fromkeys(COUNTS, 0) | counts
    total = counts.pop("total", None)
    if total is not None:
        counts["passed"] = max(0, total - sum(counts.get(name, 0) for name in ("failed", "errors", "skipped")))
    return counts
