"""Which generations of which logs are read tonight, and in which batches. Decides, touches nothing."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from tasks.archive import Survey
from tasks.domain.kinds import Form, SourceState
from tasks.identify import UNCLAIMED, Sighting
from tasks.read import Unit
from tasks.readers import registry
from tasks.redaction.replace import REDACTION_VERSION
from tasks.store.generations import Plan
from tasks.store.source_rows import SourceRow, newest

BATCH_BYTES = 32 << 20
BATCH_UNITS = 400
_READ_AGAIN = {SourceState.NEW, SourceState.APPENDED, SourceState.REWRITTEN, SourceState.TRUNCATED}


Generation = tuple[str, int]
"""A source and a number."""


def retired(
    found: Survey, rows: Sequence[SourceRow], kept: int, holding: Callable[[Iterable[str]], set[Generation]]
) -> set[Generation]:
    """Old versions of logs that say everything again, beyond so many kept ones. `holding` gives, for sources, the generations
    that alone hold something: those stay, however old."""
    newest = {plan.source_id: plan.generation for plan, _ in found.plans if plan.state is SourceState.REWRITTEN}
    old = {
        (row.source_id, row.generation)
        for row in rows
        if row.has_rows and not Form(row.form).grows and row.generation <= newest.get(row.source_id, -1) - kept
    }
    return old - holding({source_id for source_id, _ in old}) if old else old


def units(found: Survey, rows: Sequence[SourceRow], done_with: Collection[Generation] = ()) -> list[Unit]:
    """Every generation of every source that must be read again, one owner's units together; none that is `done_with`."""
    by_owner: dict[str, list[Unit]] = {}
    known = newest(rows)
    for plan, sighting in found.plans:
        unit = _unit(plan, sighting, known.get(plan.source_id))
        if unit and plan.state is not SourceState.COPY:
            by_owner[plan.source_id] = [unit]
    for source_id, row in known.items():
        if source_id not in by_owner and _is_outdated(row):
            by_owner[source_id] = [_again(row)]
    for row in rows:
        owned = by_owner.get(row.source_id)
        if owned and row.has_rows and row.generation < owned[-1].generation and row.key not in done_with:
            owned.insert(0, _again(row))
    return [unit for source_id in sorted(by_owner) for unit in sorted(by_owner[source_id], key=lambda unit: unit.generation)]


def batches(units: Sequence[Unit]) -> Iterable[list[Unit]]:
    """Cut by the sources alone, never by the number of workers; the generations of one source stay together."""
    batch: list[Unit] = []
    size = 0
    for unit in units:
        is_next_owner = batch and batch[-1].source_id != unit.source_id
        if is_next_owner and (size + unit.size > BATCH_BYTES or len(batch) >= BATCH_UNITS):
            yield batch
            batch, size = [], 0
        batch.append(unit)
        size += unit.size
    if batch:
        yield batch


def _unit(plan: Plan, sighting: Sighting | None, row: SourceRow | None) -> Unit | None:
    if sighting and plan.observed and plan.state in _READ_AGAIN:
        seen = plan.observed
        grown = plan.state is SourceState.APPENDED and row is not None
        kept = (row.raw_bytes, row.bytes) if grown and row and row.bytes <= seen.size else (0, 0)
        return Unit(
            plan.source_id, plan.generation, sighting.agent, sighting.native_id, seen.path, seen.size, seen.committed,
            seen.digest, seen.is_final, kept, copy_from=sighting.place, whole=sighting.whole, form=sighting.form,
        )  # fmt: skip
    if plan.known and row and plan.state in (SourceState.GONE, SourceState.REWRITTEN) and row.bytes > row.committed_bytes:
        return _again(replace(row, state=plan.state))
    return None


def _again(row: SourceRow) -> Unit:
    """Read from raw/ alone. Nothing will be added to this generation by its log, so its last line is final unless it grows."""
    ended = row.state in (SourceState.GONE, SourceState.REWRITTEN, SourceState.TRUNCATED) or row.bytes == row.committed_bytes
    return Unit(
        row.source_id, row.generation, row.agent or UNCLAIMED, row.native_id or "", row.path, row.bytes,
        row.committed_bytes, row.prefix_hash or "", ended, (row.raw_bytes, row.bytes), form=Form(row.form),
    )  # fmt: skip


def _is_outdated(row: SourceRow) -> bool:
    if row.agent == UNCLAIMED:
        return False
    return (row.reader_version, row.redaction_version) != (registry.by_agent(row.agent or "").version, REDACTION_VERSION)


def outdated(rows: Sequence[SourceRow]) -> list[SourceRow]:
    """Sources that the next night reads again from raw/ alone: their reader, or the redaction, has learned more since."""
    return [row for row in newest(rows).values() if _is_outdated(row)]
