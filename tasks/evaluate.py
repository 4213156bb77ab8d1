"""Tries every policy on archived sessions with hindsight: what it would have freed, and what the real future would have missed.

A session is evaluated again when its rows changed, or when a policy did. Newest sessions come first, and what there is no time
for is left for the next night, and said.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tasks.domain.ports import Progress, Runner
from tasks.domain.settings import Settings
from tasks.evaluation.replay import Row
from tasks.load_policy import default_policies
from tasks.store import catalog, durable, manifest
from tasks.store.layout import Layout
from tasks.store.lock import only_writer
from tasks.store.manifest import Manifest, Part
from tasks.try_policies import candidates, evaluator, run

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class EvaluateReport:
    """What an evaluation did."""

    commit: int
    is_committed: bool
    sessions: int = 0
    """Evaluated now."""
    left: int = 0
    """For want of time."""
    current: int = 0
    """Of before, and still true."""
    rows: int = 0
    seconds: float = 0.0


def evaluate(settings: Settings, runner: Runner, progress: Progress, minutes: float | None = None) -> EvaluateReport:
    """Evaluations of all sessions that lack a current one, as far as there is time. LockHeldError when another run is at it."""
    layout, started = Layout(settings.data), time.monotonic()
    until = None if minutes is None else time.time() + 60 * minutes
    with durable.writing(layout.data), only_writer(layout.lock):
        before = manifest.latest(layout)
        if not before.snapshot:
            return EvaluateReport(0, False)
        key = evaluator(settings.compaction)
        with catalog.explained(layout, before), catalog.connect(layout) as con:
            every = candidates(con)
            current = _current(con, key) & {one.session_id for one in every}
            stale = [one for one in every if one.session_id not in current]
            gone = _gone(con, {one.session_id for one in every})
            written_before = _written_before(con)
        if not stale and not gone:
            return EvaluateReport(before.snapshot, False, current=len(current), seconds=_since(started))
        done = run(settings, runner, progress, stale, tuple(default_policies()), until=until, commit=before.snapshot + 1)
        replayed = {name for one in done for name in one.sessions}
        written = [one.part for one in done if one.part]
        if not replayed and not gone:
            return EvaluateReport(before.snapshot, False, left=len(stale), current=len(current), seconds=_since(started))
        pairs = [(owner, commit) for owner, commit in written_before if owner in replayed | gone]
        after = _after(before, written, pairs)
        manifest.commit(layout, after)
        catalog.publish(layout, after)
    return EvaluateReport(
        after.snapshot, True, len(replayed), len(stale) - len(replayed), len(current), sum(part.rows for part in written),
        _since(started),
    )  # fmt: skip


def stored(con: "duckdb.DuckDBPyConnection", policies: Sequence[str] = ()) -> list[Row]:
    """Rows of the lake: of some policies with the controls beside them, or of all."""
    cursor = con.execute(
        "select * from evaluations where len($1) = 0 or list_contains($1, coalesce(beside, policy)) order by all",
        [list(policies)],
    )
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _current(con: "duckdb.DuckDBPyConnection", key: str) -> set[str]:
    """Sessions that were not written again since they were evaluated by the same policies."""
    found = con.execute(
        """
        select session_id from lake.evaluations as made join lake.sessions as told using (session_id)
        where made.evaluator = ? group by session_id, told.commit having max(made.commit) > told.commit
        """,
        [key],
    ).fetchall()
    return {session_id for (session_id,) in found}


def _gone(con: "duckdb.DuckDBPyConnection", every: set[str]) -> set[str]:
    found = con.execute("select distinct session_id from lake.evaluations").fetchall()
    return {session_id for (session_id,) in found} - every


def _written_before(con: "duckdb.DuckDBPyConnection") -> list[tuple[str, int]]:
    return con.execute("select distinct session_id, commit from lake.evaluations order by all").fetchall()


def _after(before: Manifest, written: Sequence[Part], pairs: Iterable[tuple[str, int]]) -> Manifest:
    superseded = dict(before.superseded)
    superseded["evaluation"] = tuple(sorted({*superseded.get("evaluation", ()), *pairs}))
    facts = {**before.facts, "ingested": before.facts.get("ingested", before.snapshot)}
    return replace(
        before, snapshot=before.snapshot + 1, parts=(*before.parts, *written),
        superseded={family: found for family, found in superseded.items() if found}, facts=facts,
    )  # fmt: skip


def _since(started: float) -> float:
    return round(time.monotonic() - started, 3)
