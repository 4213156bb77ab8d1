"""The rows of `sources` after a night: what became of every file of the archive."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from tasks import archive
from tasks.archive import Survey
from tasks.domain.kinds import SourceState
from tasks.identify import UNCLAIMED, Sighting
from tasks.read import Read
from tasks.readers import registry
from tasks.redaction.replace import REDACTION_VERSION
from tasks.store.generations import Plan
from tasks.store.source_rows import SourceRow, says_the_same

Reads = Mapping[tuple[str, int], Read]


def whole(reads: Reads) -> set[str]:
    """Sources of which every generation could be read: where one fails, the rows of all stay as they were."""
    return {source_id for source_id, _ in reads} - {source_id for (source_id, _), one in reads.items() if one.problem}


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that could not be taken in as it is, in words."""

    path: str
    state: str
    reason: str


@dataclass(slots=True)
class Account:
    """What a night has to say of the archive's files."""

    started_at: datetime
    failed: Mapping[str, Read]
    """By source what could not be read."""
    changed: list[SourceRow] = field(default_factory=list)
    """Rows that are new or say something else than before."""
    dropped: list[str] = field(default_factory=list)
    """Ids of listing rows that no longer hold."""
    states: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)


def account(found: Survey, rows: Sequence[SourceRow], reads: Reads, started_at: datetime) -> Account:
    """Compare what was found and read with the rows before."""
    result = Account(started_at, _failed(reads))
    before = {(row.source_id, row.generation): row for row in rows}
    after: dict[tuple[str, int], SourceRow] = {}
    for plan, sighting in found.plans:
        for row in _planned_rows(result, plan, sighting, before, reads):
            after[row.source_id, row.generation] = row
    good = whole(reads)
    planned = {(plan.source_id, plan.generation) for plan, _ in found.plans if plan.state is not SourceState.COPY}
    for key, one in reads.items():
        base = after.get(key) or before.get(key)
        if base and key[0] in good:
            after[key] = _read_row(base, one)
        elif one.problem and key not in planned:
            result.problems.append(Problem(one.unit.path, SourceState.UNREADABLE, one.problem))
    for row in [*map(archive.listing_row, found.listed), *map(archive.refused_row, found.refused)]:
        after[row.source_id, 0] = row
        result.states[row.state] += 1
        if row.state == SourceState.UNREADABLE:
            result.problems.append(Problem(row.path, row.state, row.reason or ""))
    result.problems += [Problem(path, "damaged", reason) for path, reason in found.damaged.items()]
    listed_as = {row.path: row.state for row in rows if not row.has_rows}
    result.states.update(listed_as.get(path, SourceState.UNCHANGED) for path in found.quiet)
    result.changed = [
        row if key not in before else replace(row, first_seen_at=before[key].first_seen_at)
        for key, row in after.items()
        if key not in before or not says_the_same(before[key], row)
    ]
    result.dropped = _dropped(found, rows, {source_id for source_id, _ in after})
    return result


def untouched(told: Account, rows: Sequence[SourceRow]) -> list[SourceRow]:
    """Rows that say nothing new: a lake that is built again needs them all the same."""
    changed = {(row.source_id, row.generation) for row in told.changed}
    return [row for row in rows if (row.source_id, row.generation) not in changed]


def _planned_rows(
    result: Account,
    plan: Plan,
    sighting: Sighting | None,
    before: Mapping[tuple[str, int], SourceRow],
    reads: Reads,
) -> Iterable[SourceRow]:
    row = before.get((plan.source_id, plan.generation))
    if plan.state is SourceState.COPY and sighting:
        result.states[plan.state] += 1
        yield replace(
            archive.listing_row(replace(sighting, listed=plan.state, reason=plan.reason or "")), copy_of=plan.source_id
        )
        return
    one = result.failed.get(plan.source_id)
    if one and one.problem and (plan.source_id, plan.generation) in reads:
        result.states[SourceState.UNREADABLE] += 1
        result.problems.append(Problem(one.unit.path, SourceState.UNREADABLE, one.problem))
        if row is None and sighting:
            yield archive.listing_row(replace(sighting, listed=SourceState.UNREADABLE, reason=one.problem))
        return
    result.states[plan.state] += 1
    if sighting is None and row:
        changed = row.state != plan.state
        yield replace(
            row, state=plan.state, reason=plan.reason, last_changed_at=result.started_at if changed else row.last_changed_at
        )
    elif sighting:
        yield _present_row(result, plan, sighting, row)
        older = before.get((plan.source_id, plan.generation - 1))
        if older and plan.state in (SourceState.REWRITTEN, SourceState.TRUNCATED):
            yield replace(
                older, state=plan.state, reason="an earlier content of this log, kept", last_changed_at=result.started_at
            )


def _failed(reads: Reads) -> dict[str, Read]:
    """By source what went wrong first: an older generation of a log that fails takes the new one with it."""
    return {source_id: one for (source_id, _), one in sorted(reads.items(), reverse=True) if one.problem}


def _present_row(result: Account, plan: Plan, sighting: Sighting, row: SourceRow | None) -> SourceRow:
    state = plan.state
    if state is SourceState.UNCHANGED and row and row.state in (SourceState.NEW, SourceState.APPENDED, SourceState.MOVED):
        state = SourceState(row.state)
    base = row or SourceRow(
        plan.source_id, plan.generation, sighting.agent, sighting.path, state, first_seen_at=result.started_at
    )
    path = base.path if plan.state is SourceState.UNCHANGED else sighting.path
    reason = plan.reason or sighting.reason or None
    return replace(
        base, path=path, state=state, reason=reason, native_id=sighting.native_id,
        form=sighting.form.value, first_record_sha256=sighting.first_record_sha256, mtime=archive.moment(sighting.mtime_ns),
        last_changed_at=result.started_at if plan.state is not SourceState.UNCHANGED else base.last_changed_at,
    )  # fmt: skip


def _read_row(row: SourceRow, one: Read) -> SourceRow:
    committed = one.unit.size if one.unit.is_final else one.unit.committed
    version = None if row.agent == UNCLAIMED else registry.by_agent(row.agent or "").version
    row = replace(
        row.with_books(one.books), committed_bytes=committed, prefix_hash=one.digest, reader_version=version,
        redaction_version=REDACTION_VERSION,
    )  # fmt: skip
    return replace(row, raw_bytes=one.raw_bytes)


def _dropped(found: Survey, rows: Sequence[SourceRow], still: set[str]) -> list[str]:
    """Listing rows of the walked archives whose file is no longer listed that way."""
    quiet = set(found.quiet)
    return [
        row.source_id
        for row in rows
        if not row.has_rows and row.source_id not in still and row.path not in quiet and archive.is_under(row.path, found.roots)
    ]
