"""Where the context tokens went: the account of every session that is new or changed, in one commit of its own.

An account is made from the rows of its session and from the scales of its pool, and from nothing else, so any order of nights
gives the same rows. It is written again when the session's rows were, or when the pool's scales have moved.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tasks.context.account_rows import tell
from tasks.context.attribution import accounts
from tasks.context.calibration import Learned, Measure
from tasks.context.pricing import load_prices
from tasks.context.rows import sessions
from tasks.context.samples import samples
from tasks.context.uses import Uses
from tasks.context.window import Session, chains
from tasks.domain.ports import Progress
from tasks.domain.settings import Settings
from tasks.store import catalog, durable, manifest, parts, sql
from tasks.store.layout import Layout
from tasks.store.lock import only_writer
from tasks.store.manifest import Manifest, Part
from tasks.store.schemas import CACHE_MISSES, CALIBRATIONS, RECONCILIATION, RESIDENCY, Table
from tasks.trace import with_uses

if TYPE_CHECKING:
    import duckdb

ANALYSIS_VERSION = 3
"""Raised when the same rows give another account: all are then made again."""
POLICY = {"retries": 1, "retry_delay_seconds": 5}
BATCH_ROWS = 200_000
"""Rows, of all tables, that are held before they are written: many small sessions make few parts."""
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AnalyzeReport:
    """What an analysis did."""

    commit: int
    is_committed: bool
    sessions: int = 0
    """With an account, in the whole lake."""
    written: int = 0
    """Of them, now."""
    seconds: float = 0.0


def analyze(settings: Settings, progress: Progress) -> AnalyzeReport:
    """Accounts of all sessions that lack a current one. LockHeldError when another run is at it."""
    layout = Layout(settings.data)
    started = time.monotonic()
    with durable.writing(layout.data), only_writer(layout.lock):
        before = manifest.latest(layout)
        if not before.snapshot:
            return AnalyzeReport(0, False)
        with catalog.explained(layout, before), catalog.connect(layout) as con:
            if _is_current(before):
                return AnalyzeReport(before.snapshot, False, len(_stored_scales(con)), 0, _since(started))
            found = load(con)
            learned = learn(found)
            stale, gone = _due(con, before, found, learned)
            pairs = _written_before(con, {session.session_id for session in stale} | gone)
            progress.start("accounting for prompts", len(stale))
            used = with_uses(con, stale, _unchanged(con, before))
            written = _write(layout, used, learned, before.snapshot + 1, progress)
            progress.finish()
        after = _after(before, written, pairs)
        manifest.commit(layout, after)
        catalog.publish(layout, after)
    return AnalyzeReport(after.snapshot, True, len(found), len(stale), _since(started))


def _is_current(before: Manifest) -> bool:
    """Nothing was ingested since the last analysis."""
    facts = before.facts
    return facts.get("analysis_version") == ANALYSIS_VERSION and facts.get("accounted") == facts.get("ingested", "never")


def load(con: "duckdb.DuckDBPyConnection") -> list[Session]:
    """All sessions that have calls to account for."""
    told = (sql.run(con, sql.load(f"accounts/{name}_to_account")).dicts() for name in ("sessions", "calls", "items"))
    return sessions(*told)


def learn(found: Iterable[Session]) -> Learned:
    """The scales of all pools."""
    return Learned(
        (session.agent, model, session.agent_version, sample)
        for session in found
        for chain in chains(session)
        for model, sample in samples(chain)
    )


def _due(
    con: "duckdb.DuckDBPyConnection", before: Manifest, found: Sequence[Session], learned: Learned
) -> tuple[list[Session], set[str]]:
    """(sessions whose account is not current, those that have one and no call any more)."""
    unchanged, stored = _unchanged(con, before), _stored_scales(con)
    stale = [
        session
        for session in found
        if session.session_id not in unchanged or stored.get(session.session_id) != _scales_of(session, learned)
    ]
    return stale, stored.keys() - {session.session_id for session in found}


def _unchanged(con: "duckdb.DuckDBPyConnection", before: Manifest) -> set[str]:
    """Sessions whose rows are those that their account was made from."""
    if before.facts.get("analysis_version") != ANALYSIS_VERSION:
        return set()
    found = con.execute("""
        select session_id from lake.calibrations as made join lake.sessions as told using (session_id)
        group by session_id, told.commit having max(made.commit) > told.commit
    """).fetchall()
    return {session_id for (session_id,) in found}


def _stored_scales(con: "duckdb.DuckDBPyConnection") -> dict[str, set[tuple[Any, ...]]]:
    stored: dict[str, set[tuple[Any, ...]]] = defaultdict(set)
    question = "select session_id, model, measure, scale, framing, pool from calibrations"
    for session_id, *scale in con.execute(question).fetchall():
        stored[session_id].add(tuple(scale))
    return stored


def _scales_of(session: Session, learned: Learned) -> set[tuple[Any, ...]]:
    told = set()
    for model in {call.model for call in session.calls}:
        pool, scales = learned.scales(session.agent, model, session.agent_version)
        told |= {(model or "", of.value, scales[of].scale, scales[of].framing, " ".join(pool).strip()) for of in Measure}
    return told


def _written_before(con: "duckdb.DuckDBPyConnection", owners: set[str]) -> list[tuple[str, int]]:
    found = con.execute("""
        select distinct session_id, commit from lake.reconciliation union select distinct session_id, commit from lake.residency
        union select distinct session_id, commit from lake.cache_misses
        union select distinct session_id, commit from lake.calibrations
    """).fetchall()
    return sorted((owner, commit) for owner, commit in found if owner in owners)


def _write(
    layout: Layout, found: Iterable[tuple[Session, Uses]], learned: Learned, commit: int, progress: Progress
) -> list[Part]:
    written: list[Part] = []
    prices = load_prices()
    rows: dict[str, list[Row]] = defaultdict(list)
    for session, used in found:
        for account in accounts(session, learned):
            for table, told in tell(session, account, learned, prices, used).items():
                rows[table] += told
        progress.advance()
        if sum(map(len, rows.values())) >= BATCH_ROWS:
            written += _parts(layout, rows, commit)
            rows.clear()
    return [*written, *_parts(layout, rows, commit)]


def _parts(layout: Layout, rows: Mapping[str, Sequence[Row]], commit: int) -> list[Part]:
    """A part of each table that has rows."""
    found = (
        parts.write(layout, table, _arrow(table, rows.get(table.name, ()), commit))
        for table in (RECONCILIATION, RESIDENCY, CACHE_MISSES, CALIBRATIONS)
    )
    return [part for part in found if part]


def _arrow(table: Table, rows: Sequence[Row], commit: int) -> Any:
    ordered = sorted(rows, key=lambda row: [row[name] for name in table.sort])
    columns = {name: [row.get(name) for row in ordered] for name, _ in table.columns}
    return parts.from_rows(table, ordered, {}, commit, columns)


def _after(before: Manifest, written: Sequence[Part], pairs: Iterable[tuple[str, int]]) -> Manifest:
    superseded = dict(before.superseded)
    superseded["account"] = tuple(sorted({*superseded.get("account", ()), *pairs}))
    ingested = before.facts.get("ingested", before.snapshot)
    facts = {**before.facts, "analysis_version": ANALYSIS_VERSION, "accounted": ingested, "ingested": ingested}
    return replace(
        before, snapshot=before.snapshot + 1, parts=(*before.parts, *written),
        superseded={family: found for family, found in superseded.items() if found}, facts=facts,
    )  # fmt: skip


def _since(started: float) -> float:
    return round(time.monotonic() - started, 3)
