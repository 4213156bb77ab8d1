"""What a stretch of a conversation says of itself, by rule and without a model: what the default summarizers are made from."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind, ToolCategory
from tasks.domain.visible import clip
from tasks.facts import decisions as ledger
from tasks.facts.assents import is_assent
from tasks.facts.constraints import active
from tasks.facts.files import FileTouch, files
from tasks.facts.plan import plan

GOAL_CHARS, MOST_DONE, MOST_DECIDED = 600, 40, 12


@dataclass(frozen=True, slots=True)
class Extract:
    """Each thing in the words of the log, in its order."""

    first_request: str
    last_request: str
    """Without mere assents."""
    constraints: tuple[str, ...]
    done: tuple[str, ...]
    """Steps of the plan, and the files that were changed."""
    decisions: tuple[str, ...]
    open_steps: tuple[str, ...]
    read: tuple[str, ...]
    modified: tuple[str, ...]


def extract(items: Iterable[Item]) -> Extract:
    """Of originals alone: what a summary said is not said again here."""
    own = [item for item in items if item.kind != ItemKind.COMPACTION_SUMMARY and not item.is_sidechain]
    asked = [item.text for item in own if item.kind == ItemKind.USER_TEXT and not is_assent(item.text)]
    steps = plan(own)
    edited = [touch for touch in reversed(files(own)) if touch.was_edited]
    read = files(item for item in own if item.tool_category == ToolCategory.READ)
    return Extract(
        first_request=_short(asked[0]) if asked else "",
        last_request=_short(asked[-1]) if asked else "",
        constraints=tuple(rule.text for rule in active(own)),
        done=(*(step.text for step in steps if step.status == "done"), *map(_edit, edited))[-MOST_DONE:],
        decisions=tuple(ledger.texts(ledger.decisions(own))[-MOST_DECIDED:]),
        open_steps=tuple(step.text for step in steps if step.is_open),
        read=tuple(touch.path for touch in reversed(read)),
        modified=tuple(touch.path for touch in edited),
    )


def _short(request: str) -> str:
    return clip(" ".join(request.split()), GOAL_CHARS)


def _edit(touch: FileTouch) -> str:
    return f"changed {touch.path}" if touch.turn is None else f"changed {touch.path}, last in turn {touch.turn}"


def decisions(texts: Iterable[str]) -> list[str]:
    """Sentences of bare texts that say what was chosen or given up, with the reason where it is in them; each once."""
    found = (sentence.text for text in texts for sentence in ledger.chosen_in(text))
    return list(dict.fromkeys(" ".join(text.split()) for text in found))


def repeated_decisions(items: Sequence[Item]) -> list[tuple[Item, Item, str]]:
    """Decisions that the agent takes again in a later turn: the first time, the later one, and the words. The sign that an
    earlier decision is no longer seen."""
    first: dict[str, Item] = {}
    found: list[tuple[Item, Item, str]] = []
    for item in items:
        if item.kind != ItemKind.ASSISTANT_TEXT or item.is_sidechain:
            continue
        for text in decisions([item.text]):
            earlier = first.setdefault(_bare(text), item)
            if (earlier.turn or 0) < (item.turn or 0):
                found.append((earlier, item, text))
    return found


def _bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
