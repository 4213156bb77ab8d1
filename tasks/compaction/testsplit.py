"""The output of a test run in two: what the failures say, character by character, and the rest in a file. Pure.

A passing test binds nothing; the difference between what was expected and what came binds everything. So age plays no part.
"""

from dataclasses import dataclass

from tasks.compaction import artifacts
from tasks.compaction.cut import calls_of
from tasks.compaction.plan import MARK, Artifact, Change, Context, Disposition, is_compacted
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind, ToolCategory
from tasks.facts.testruns import Run, take_apart
from tasks.tokens.taxonomy import shell_command

_RUNS = (ToolCategory.SHELL, ToolCategory.TEST)


@dataclass(frozen=True, slots=True)
class Split:
    """One test run that was split."""

    number: int
    """From 1, in its session."""
    change: Change
    artifact: Artifact


def splits(context: Context) -> list[Split]:
    """Every test run that gets shorter, at any age and also among what is worked with."""
    calls, number = calls_of(context.items), 0
    found: list[Split] = []
    for at, item in enumerate(context.items):
        if item.kind != ItemKind.TOOL_RESULT or item.tool_category not in _RUNS:
            continue
        if is_compacted(item):
            number += MARK + Disposition.SPLIT in item.flags
            continue
        call = calls.get(item.call_id or "")
        run = _run(item, None if call is None else context.items[call])
        if run is None:
            continue
        number += 1
        path = artifacts.path_of(number)
        text = kept(item.text, run, number, path)
        if context.count(text) < context.tokens(at):
            change = Change(at, Disposition.SPLIT, text, "failures bind by their characters, passing tests do not")
            found.append(Split(number, change, Artifact(path, at)))
    return found


def kept(output: str, run: Run, number: int, path: str) -> str:
    """The failures as printed, then in one bracket what came of the run and where all of it stands."""
    counts = {"failed": run.failed, "errors": run.errors, "passed": run.passed, "skipped": run.skipped}
    told = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    runner = run.runner if run.is_parsed else "unparsed"
    last = f"[test run {number}, {runner}{': ' if told else ''}{told}; full output: {path}]"
    return "\n".join([*(failure.text(output) for failure in run.failures), last])


def _run(result: Item, call: Item | None) -> Run | None:
    command = "" if call is None else shell_command(call.text)
    return take_apart(result.text, command, is_error="error" in result.flags)
