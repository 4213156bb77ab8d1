"""What a compaction leaves of itself: how much went, from which turns, and where each thing can be read back. Pure.

Without it a compacted context reads as a complete account, and what was removed looks like what never happened.
"""

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace

WIDTH = 83
MOST_TOKENS = 130
"""Of the marker, in cl100k_base."""
ENDING = 12
"""Characters of a log's name that tell it from others."""
SECTION = "carried forward verbatim"


@dataclass(frozen=True, slots=True)
class Marker:
    """The facts of the five sentences."""

    turn: int
    removed: int
    """Tokens, net: of what was touched before, less what stands for it now."""
    retained: int
    """Tokens of what stands for it now."""
    covered: tuple[int, int]
    """First and last turn."""
    evicted: tuple[str, ...]
    """Each with where it can be read back."""
    originals: str
    """The log and its lines."""

    def text(self) -> str:
        """One block in brackets."""
        covered = f"Covered: {numbered('turn', *self.covered)}. Evicted: {', '.join(self.evicted)}."
        lines = [
            f"[COMPACTED at turn {self.turn} — {self.removed:,} tokens removed, {self.retained:,} retained.",
            *_wrapped(covered),
            f" Originals: {self.originals}.",
            f' Nothing under "{SECTION}" was rewritten.]',
        ]
        return "\n".join(lines)


def within(marker: Marker, log_path: str | None, count: Callable[[str], int], most: int = MOST_TOKENS) -> str:
    """The text; where the path of the log is so long that it would cost more, its name alone stands there, or how it ends."""
    if not log_path:
        return marker.text()
    name = log_path.replace("\\", "/").rsplit("/", 1)[-1]
    stem, dot, form = name.rpartition(".")
    ending = f"{stem[-ENDING:]}{dot}{form}" if stem else form[-ENDING:]
    forms = (replace(marker, originals=marker.originals.replace(log_path, path)).text() for path in (log_path, f"…/{name}"))
    shortest = replace(marker, originals=marker.originals.replace(log_path, f"…/*{ending}")).text()
    return next((text for text in forms if count(text) <= most), shortest)


def numbered(name: str, first: int, last: int) -> str:
    """`turn 4`, or `turns 4–55`."""
    return f"{name}{'' if first == last else 's'} {span(first, last)}"


def span(first: int, last: int) -> str:
    """Both ends with a dash between, or the one number."""
    return f"{first:,}" if first == last else f"{first:,}–{last:,}"


def reads(number: int) -> str:
    """How evicted reads are told."""
    return f"{number:,} file read{'' if number == 1 else 's'} (contents; paths and revisions retained above)"


def run_output(runs: tuple[tuple[int, str], ...]) -> str:
    """How evicted outputs are told: (number of the run, its artifact) each."""
    if len(runs) == 1:
        return f"full test output for run {runs[0][0]} (see {runs[0][1]})"
    folder = runs[0][1].rpartition("/")[0]
    return f"full test output for {len(runs)} runs, {runs[0][0]} to {runs[-1][0]} (see {folder}/)"


def history(tokens: int) -> str:
    """How edits and reasoning are told."""
    return f"{tokens:,} tokens of edit history (summarised above)"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=" ", subsequent_indent=" ", break_long_words=False, break_on_hyphens=False)
