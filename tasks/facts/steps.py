"""How a plan went: when each step was added, begun and finished, and what was made in between. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind, ToolCategory
from tasks.facts.plan import State, Step, normal, states
from tasks.facts.touches import touches
from tasks.tokens.taxonomy import shell_command

_SHELLS = {ToolCategory.SHELL.value, ToolCategory.TEST.value}


@dataclass(frozen=True, slots=True)
class Change:
    """One step, at the moment at which the plan said something new of it."""

    step: str
    """Word for word, as it then was."""
    before: str
    """Its status; empty where the step is new."""
    after: str
    """Empty where the plan no longer holds it."""
    item: Item
    """What changed the plan."""


@dataclass(frozen=True, slots=True)
class Produced:
    """A step that is done, with what was made from when it was begun until then."""

    step: Step
    files: tuple[str, ...]
    """Changed, as logged, each once."""
    commands: tuple[str, ...]


def history(items: Iterable[Item]) -> list[Change]:
    """Every change of the plan in order. Steps are the same when they say the same but for case and marks."""
    return _changes(states(items))


def _changes(known: Iterable[State]) -> list[Change]:
    found: list[Change] = []
    before: dict[str, Step] = {}
    for state in known:
        after = {normal(step.text): step for step in state.steps}
        for key, step in after.items():
            old = before[key].status if key in before else ""
            if old != step.status:
                found.append(Change(step.text, old, step.status, state.item))
        found += [Change(step.text, step.status, "", state.item) for key, step in before.items() if key not in after]
        before = after
    return found


def produced(items: Iterable[Item]) -> list[Produced]:
    """The steps of the latest plan that are done, with what came of each.

    A step that was never said to be begun was begun when the step before it was done, or when it was added; one that came
    done already made nothing that the log tells of.
    """
    ordered = [item for item in items if not item.is_sidechain]
    known = states(ordered)
    begun, done = _times(_changes(known), {item.item_id: place for place, item in enumerate(ordered)})
    changed = _made(ordered)
    last = known[-1].steps if known else ()
    found: list[Produced] = []
    for step in last:
        key = normal(step.text)
        if step.status == "done" and key in done:
            within = [one for place, one in changed if begun[key] < place <= done[key]]
            files, commands = ([text for is_file, text in within if is_file is wanted] for wanted in (True, False))
            found.append(Produced(step, tuple(dict.fromkeys(files)), tuple(dict.fromkeys(commands))))
    return found


def _times(changes: Iterable[Change], at: dict[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """Normal words of a step -> place of the item that began it, and of the one that finished it last."""
    begun: dict[str, int] = {}
    done: dict[str, int] = {}
    ends = [-1]
    is_begun: set[str] = set()
    for change in changes:
        key, place = normal(change.step), at[change.item.item_id]
        if change.after == "in_progress" and key not in is_begun:
            begun[key] = place
            is_begun.add(key)
        elif change.after == "done":
            if key not in is_begun:
                begun[key] = max(begun.get(key, place), ends[-2] if ends[-1] == place else ends[-1])
            done[key] = place
            ends += [place] if ends[-1] != place else []
        else:
            begun.setdefault(key, place)
    return begun, done


def _made(ordered: Sequence[Item]) -> list[tuple[int, tuple[bool, str]]]:
    """(place, (whether it is a file, path or command)) of what was changed and run."""
    at = {item.item_id: place for place, item in enumerate(ordered)}
    files = [
        (at[touch.call.item_id], (True, touch.path)) for touch in touches(ordered) if touch.is_change and touch.path != "."
    ]
    runs = [
        (place, (False, command))
        for place, item in enumerate(ordered)
        if item.kind == ItemKind.TOOL_CALL and item.tool_category in _SHELLS and (command := shell_command(item.text).strip())
    ]
    return sorted([*files, *runs], key=lambda one: one[0])
