"""yoi's log of a compaction: entries are only ever appended, the last compacted history counts, and clients are told. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tasks.compaction.config import is_due
from tasks.compaction.plan import CompactionPlan, apply
from tasks.domain.item import Item


class Event(StrEnum):
    """What clients are told."""

    START = "CompactionStart"
    DONE = "CompactionDone"
    FAILED = "CompactionFailed"
    SKIPPED = "CompactionSkipped"


@dataclass(frozen=True, slots=True)
class Compacted:
    """An entry of the log: from here on the history is this one. `ts` is the time as the agent counts it."""

    ts: int
    history: tuple[Item, ...]


Entry = Item | Compacted


@dataclass(frozen=True, slots=True)
class Told:
    """One event, with the line that goes into the program's own log."""

    event: Event
    text: str = ""
    fields: Mapping[str, object] = field(default_factory=dict)


def collect_state(entries: Iterable[Entry]) -> tuple[Item, ...]:
    """The history that a log ends with."""
    history: list[Item] = []
    for entry in entries:
        if isinstance(entry, Compacted):
            history = list(entry.history)
        else:
            history.append(entry)
    return tuple(history)


def after_run(
    entries: Sequence[Entry], input_tokens: int, threshold: int | None, plan: Callable[[tuple[Item, ...]], CompactionPlan],
    ts: int,
) -> tuple[tuple[Entry, ...], tuple[Told, ...]]:  # fmt: skip
    """The log after a run, and what was told. A failure leaves the log as it was, and the next run tries again."""
    if not is_due(input_tokens, threshold):
        return tuple(entries), ()
    fields = {"input_tokens": input_tokens, "threshold": threshold}
    start = Told(Event.START, "Triggering context compaction", fields)
    history = collect_state(entries)
    try:
        made = plan(history)
    except Exception as error:
        return tuple(entries), (start, _failed(str(error)))
    failed = next((note for note in made.notes if note.startswith(Event.FAILED)), None)
    if failed:
        return tuple(entries), (start, _failed(failed))
    if not made.changes and not made.inserts:
        return tuple(entries), (start, Told(Event.SKIPPED, fields={"why": made.notes}))
    # Done is told when it is in the log, and not before.
    return (*entries, Compacted(ts, apply(made, history))), (start, Told(Event.DONE))


def _failed(error: str) -> Told:
    return Told(Event.FAILED, "Compaction failed, continuing without", {"error": error})
