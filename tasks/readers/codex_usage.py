"""Which token_count events are paid calls, and what each call cost.

A rollout repeats its counter: the same cumulative total comes again with every rate-limit refresh. A call is an event whose
total is new. Several counters may run through one file; each is a lane with a head of its own.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from tasks.domain.seen import SeenRequest
from tasks.readers.codex_lines import Mark, digest
from tasks.readers.values import count, whole

FIELDS = (
    ("input", "input_tokens"),
    ("cached", "cached_input_tokens"),
    ("written", "cache_write_input_tokens"),
    ("output", "output_tokens"),
    ("reasoning", "reasoning_output_tokens"),
    ("total", "total_tokens"),
)


class Counts(NamedTuple):
    """One usage object as reported: `input` holds what was cached, `output` holds the reasoning. None = not reported."""

    input: int | None
    cached: int | None
    written: int | None
    output: int | None
    reasoning: int | None
    total: int | None

    @property
    def key(self) -> tuple[int, ...]:
        """For comparison: a newer version may add a field of zeros when it re-emits an older event."""
        return tuple(value or 0 for value in self[:5])

    @property
    def is_zero(self) -> bool:
        return not any(self.key)


_NOTHING = Counts(*[None] * len(FIELDS))


@dataclass(slots=True)
class Reported:
    """One usage report in file order: a token_count event, or a token_usage_record with its `response_id`."""

    mark: Mark
    total: Counts | None
    last: Counts | None
    limit: int | None
    model: str | None
    tier: str | None
    response_id: str | None = None
    flags: tuple[str, ...] = ()


@dataclass(slots=True)
class Call:
    """A report that is a paid call, and the usage of that call alone."""

    report: Reported
    used: Counts
    flags: tuple[str, ...] = ()

    @property
    def content_key(self) -> str:
        """Equal for the event and its re-stamped copy."""
        total = self.report.total.key if self.report.total else ()
        return self.report.response_id or digest("usage", repr(total), repr(self.used.key))


def counts(usage: object) -> tuple[Counts | None, tuple[str, ...]]:
    """The usage object in numbers, or None when it reports neither input nor output; flags say what was odd."""
    if not isinstance(usage, dict):
        return None, ()
    found: dict[str, int | None] = {}
    flags: list[str] = []
    for name, logged in FIELDS:
        found[name], flag = count(usage[logged]) if usage.get(logged) is not None else (None, None)
        flags += [flag] if flag else []
    if found["input"] is None and found["output"] is None:
        return None, tuple(flags)
    return Counts(**found), tuple(flags)


def report(mark: Mark, payload: dict[str, Any], model: str | None, tier: str | None) -> Reported | None:
    """The report in a token_count event; None, with a flag on its row, when the event says nothing about a call."""
    info = payload.get("info")
    if not isinstance(info, dict):
        mark.row.flags += ("usage_absent",)
        return None
    total, odd_total = counts(info.get("total_token_usage"))
    last, odd_last = counts(info.get("last_token_usage"))
    if total is None and last is None:
        mark.row.flags += ("usage_not_understood",)
        return None
    limit = whole(info.get("model_context_window"))[0] or None
    named = info.get("model")
    return Reported(mark, total, last, limit, named if isinstance(named, str) else model, tier, flags=odd_total + odd_last)


def record_report(mark: Mark, payload: dict[str, Any], model: str | None, tier: str | None) -> Reported | None:
    """The report in a token_usage_record; None when it names no response or no tokens."""
    used, flags = counts(payload.get("usage"))
    response_id = payload.get("response_id")
    if used is None or used.is_zero or not isinstance(response_id, str) or not response_id.strip():
        mark.row.flags += ("usage_not_understood",)
        return None
    return Reported(mark, counts(payload.get("thread_token_usage"))[0], used, None, model, tier, response_id, flags)


class Meter:
    """Follows the counters of one file."""

    def __init__(self) -> None:
        self._lanes: list[Counts] = []
        """Heads, the lane of the newest event last."""

    def step(self, event: Reported) -> Call | None:
        """The call that the event adds, or None for a repetition."""
        if event.total is None:
            return self._without_total(event)
        lane, is_new = self._lane(event.total, event.last)
        previous = self._lanes.pop(lane) if lane is not None else None
        self._lanes.append(event.total)
        if not is_new or event.total.is_zero:
            return None
        used = event.last if event.last is not None and not event.last.is_zero else _growth(previous, event.total)
        flags = ("counter_reset",) if previous is not None and _fell(previous, event.total) else ()
        return None if used.is_zero else Call(event, used, flags)

    def _lane(self, total: Counts, last: Counts | None) -> tuple[int | None, bool]:
        """Index of the lane that the event belongs to (None opens one), and whether its total is new there."""
        for lane in range(len(self._lanes) - 1, -1, -1):
            head = self._lanes[lane]
            if head.key == total.key:
                return lane, False
            if last is not None and tuple(map(sum, zip(head.key, last.key, strict=True))) == total.key:
                return lane, True
        if not self._lanes or (last is not None and last.key == total.key):
            return None, True
        return len(self._lanes) - 1, True

    def _without_total(self, event: Reported) -> Call | None:
        return Call(event, event.last, ("usage_without_total",)) if event.last and not event.last.is_zero else None


def paid_calls(reports: Iterable[Reported], compacted: dict[str, int]) -> list[Call]:
    """The paid calls in file order. `compacted` maps the response id of a compaction to its record's number."""
    meter, calls, records = Meter(), [], []
    for event in reports:
        if event.response_id is not None:
            records.append(event)
        elif (call := meter.step(event)) is not None:
            calls.append(call)
        else:
            is_zero = (event.total or event.last or _NOTHING).is_zero
            event.mark.row.flags += ("usage_zero" if is_zero else "usage_repeated",)
    calls += _record_calls(records, calls, compacted)
    return sorted(calls, key=lambda call: call.report.mark.no)


def _record_calls(records: list[Reported], counted: list[Call], compacted: dict[str, int]) -> list[Call]:
    """Records whose call no counter holds: all of them where there is no counter, else only remote compactions."""
    taken: set[int] = set()
    seen: set[str] = set()
    extra: list[Call] = []
    for record in records:
        response_id, used = record.response_id or "", record.last
        if used is None or response_id in seen:
            record.mark.row.flags += ("usage_repeated",)
            continue
        seen.add(response_id)
        twin = _twin(record, [call for call in counted if call.report.mark.no not in taken], compacted.get(response_id))
        if twin is not None:
            taken.add(twin.report.mark.no)
        elif not counted or response_id in compacted:
            extra.append(Call(record, used, ("compaction_call",) if response_id in compacted else ()))
        else:
            record.mark.row.flags += ("usage_uncounted",)
    return extra


def _twin(record: Reported, calls: list[Call], compacted_at: int | None) -> Call | None:
    """The counted call that the record describes a second time."""
    for call in calls:
        total, no = call.report.total, call.report.mark.no
        if record.total is not None and total is not None:
            if record.total.key == total.key:
                return call
            continue
        is_near = compacted_at is None or min(record.mark.no, compacted_at) < no < max(record.mark.no, compacted_at)
        if is_near and record.last is not None and call.used.key == record.last.key and no > record.mark.no:
            return call
    return None


def request(call: Call, session_id: str, request_id: str) -> SeenRequest:
    """The call as a row. What Codex reports as input holds the cached tokens; the buckets of the lake are disjoint."""
    event, used = call.report, call.used
    flags = call.flags + event.flags
    inside = (used.cached or 0) + (0 if _writes_outside(used) else used.written or 0)
    uncached = None if used.input is None else used.input - inside
    if uncached is not None and uncached < 0:
        uncached, flags = 0, (*flags, "cached_exceeds_input")
    return SeenRequest(
        request_id=request_id,
        session_id=session_id,
        line_no=event.mark.row.line_no,
        at=event.mark.at,
        model=event.model,
        input_uncached_tokens=uncached,
        cache_read_tokens=used.cached,
        cache_write_tokens=used.written,
        output_tokens=used.output,
        reasoning_tokens=used.reasoning,
        service_tier=event.tier,
        context_limit=event.limit,
        content_key=call.content_key,
        flags=tuple(dict.fromkeys(flags)),
    )


def _writes_outside(used: Counts) -> bool:
    """Whether cache writes stand beside the input instead of in it: only then do they add to the total."""
    if not used.written or used.total is None:
        return False
    return used.total == (used.input or 0) + used.written + (used.output or 0)


def _growth(previous: Counts | None, total: Counts) -> Counts:
    """The call between two totals; a counter that fell started again at zero."""
    if previous is None or _fell(previous, total):
        return total
    return Counts(*(None if now is None else now - (was or 0) for was, now in zip(previous, total, strict=True)))


def _fell(previous: Counts, total: Counts) -> bool:
    return any(now < was for was, now in zip(previous.key, total.key, strict=True))
