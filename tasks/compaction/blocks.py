"""Edits and reasoning of a stretch of turns as one short block, by rule and from the originals alone. Pure.

A block says which edits were made and why, what was given up and why, and where the work stands.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tasks.compaction.extract import decisions
from tasks.compaction.marker import numbered
from tasks.compaction.plan import Context
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.domain.visible import clip
from tasks.facts.files import files
from tasks.facts.prose import sentences

TURNS = 30
"""Of one block; counted from turn 0, so that a later compaction cuts at the same places."""
SHARE = 28
"""A block has one token for so many of its originals, and never less than the least."""
LEAST_TOKENS = 160
CHARS = 140
"""Of one sentence."""
_GIVEN_UP = re.compile(
    r"\b(?:abandon\w*|gave up|given up|giving up|revert\w*|roll(?:ed|ing)? back|undo|won't work"
    r"|(?:did|does|do)(?: not|n't) work|instead of|rather than|fail(?:s|ed) because|drop(?:ped)? the idea)\b"
)
_SAID = (ItemKind.ASSISTANT_TEXT, ItemKind.REASONING)


@dataclass(slots=True)
class _Block:
    """Lines still in it, the oldest first, and how many were left out."""

    head: str
    edits: list[str]
    given_up: list[str]
    where: str
    left_out: int = 0

    def text(self) -> str:
        more = [f"- {self.left_out:,} earlier, in the originals"] if self.left_out else []
        parts = [self.head]
        parts += ["Edits:", *more, *self.edits] if self.edits or more else []
        parts += ["Given up:", *self.given_up] if self.given_up else []
        parts += [f"Where the work stands: {self.where}"] if self.where else []
        return "\n".join(parts)

    def shorten(self) -> bool:
        """Leaves out the oldest line; False when there is none left."""
        lines = self.edits if len(self.edits) >= len(self.given_up) else self.given_up
        if lines:
            del lines[0]
            self.left_out += 1
        elif self.where:
            self.where = ""
        else:
            return False
        return True


def groups(items: Sequence[Item], positions: Sequence[int], turns: int = TURNS) -> Iterator[list[int]]:
    """Positions that make one block each, in order."""
    found: dict[int, list[int]] = {}
    for at in positions:
        found.setdefault((items[at].turn or 0) // max(1, turns), []).append(at)
    yield from found.values()


def block(context: Context, positions: Sequence[int]) -> str:
    """The block of these originals, in so many tokens as it may have."""
    own = [context.items[at] for at in positions]
    most = max(LEAST_TOKENS, sum(context.tokens(at) for at in positions) // SHARE)
    made = _Block(_head(own), _edits(own), _given_up(own), _where(own))
    while context.count(made.text()) > most and made.shorten():
        pass
    return made.text()


def _head(own: Sequence[Item]) -> str:
    turns = [item.turn or 0 for item in own]
    lines = [item.line_no for item in own if item.line_no is not None]
    told = f", log {numbered('line', min(lines), max(lines))}" if lines else ""
    return f"[{numbered('turn', min(turns), max(turns)).capitalize()}: edits and reasoning, from the originals{told}]"


def _edits(own: Sequence[Item]) -> list[str]:
    """One line a file and reason, in the order of the last edit; the reason is what the agent said just before."""
    failed = {item.call_id for item in own if item.kind == ItemKind.TOOL_RESULT and "error" in item.flags}
    found: dict[tuple[str, str], list[int]] = {}
    why = ""
    for item in own:
        if item.kind in _SAID:
            why = _reason(item)
        elif item.kind == ItemKind.TOOL_CALL and item.call_id not in failed:
            for touch in files([item]):
                turns = found.pop((touch.path, why), [])
                found[touch.path, why] = [*turns, item.turn or 0]
    return [_edit(path, said, turns) for (path, said), turns in found.items()]


def _edit(path: str, why: str, turns: Sequence[int]) -> str:
    times = f", {len(turns)} times" if len(turns) > 1 else ""
    return f"- turn {turns[-1]} {path}{times}" + (f": {why}" if why else "")


def _reason(item: Item) -> str:
    decided = decisions([item.text])
    said = decided or [sentence.text for sentence in sentences(item.text)]
    return _short(said[-1]) if said else ""


def _given_up(own: Sequence[Item]) -> list[str]:
    calls = {item.call_id: item for item in own if item.kind == ItemKind.TOOL_CALL}
    found: dict[str, None] = {}
    for item in own:
        if item.kind in _SAID:
            told = (_short(one.text) for one in sentences(item.text) if _GIVEN_UP.search(one.masked))
            found |= {f"- turn {item.turn or 0}: {text}": None for text in told}
        elif item.kind == ItemKind.TOOL_RESULT and "error" in item.flags:
            call = calls.get(item.call_id)
            path = (call.path if call else None) or item.tool_name or "call"
            found[f"- turn {item.turn or 0}: {path} failed: {_short(item.text)}"] = None
    return list(found)


def _where(own: Sequence[Item]) -> str:
    for kind in _SAID:
        said = [sentence.text for item in own if item.kind == kind for sentence in sentences(item.text)[-1:]]
        if said:
            return _short(said[-1])
    return ""


def _short(text: str) -> str:
    return clip(" ".join(text.split()), CHARS)
