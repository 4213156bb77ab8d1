"""Replays sessions of the lake, some at a time, in workers: rows of what policies would have freed and lost."""

import contextlib
import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.compact import Archived, archived
from tasks.compaction import config
from tasks.compaction.plan import Context
from tasks.compaction.registry import POLICIES
from tasks.domain.compaction import CompactionSettings
from tasks.domain.errors import MidwatchError, UsageError
from tasks.domain.ports import Progress, Runner
from tasks.domain.settings import Settings
from tasks.evaluation.replay import Asked, Recorded, Row, replay
from tasks.evaluation.segments import FIRST, Point
from tasks.load_policy import default_policies, policy_of
from tasks.store import catalog, parts, sql
from tasks.store.layout import Layout
from tasks.store.manifest import Part
from tasks.store.schemas import EVALUATIONS

if TYPE_CHECKING:
    import duckdb

EVALUATION_VERSION = 1
"""Raised when the same rows give another evaluation: all are then made again."""
UNIT_POLICY = {"retries": 1, "retry_delay_seconds": 5}
BATCH_TOKENS = 600_000
"""Of content, that one unit replays."""
ROUNDS_UNITS = 4
"""Units of each worker between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A session large enough to try policies on."""

    session_id: str
    lineage_id: str
    agent: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Sessions that one worker replays."""

    data: str
    sessions: tuple[Candidate, ...]
    compaction: CompactionSettings | None
    policies: tuple[str, ...]
    """Names of the registry, or the path of a file that holds one."""
    at_tokens: int | None = None
    until: float | None = None
    """Wall clock at which no further session is begun."""
    commit: int | None = None
    """Snapshot whose part is written; None gives the rows back instead."""


@dataclass(frozen=True, slots=True)
class BatchDone:
    """What became of a batch."""

    sessions: tuple[str, ...]
    """Replayed; the others are left."""
    part: Part | None = None
    rows: tuple[Row, ...] = ()


def candidates(con: "duckdb.DuckDBPyConnection", least: int = FIRST) -> list[Candidate]:
    """Newest first."""
    found = sql.run(con, sql.load("evaluation/sessions_to_evaluate"), {"least": least}).rows
    return [Candidate(*row) for row in found]


def evaluator(compaction: CompactionSettings | None) -> str:
    """What an evaluation was made by: another name means that it has to be made again."""
    versions = [f"{name}@{POLICIES[name].version}" for name in default_policies()]
    told = repr((EVALUATION_VERSION, versions, compaction.model_dump() if compaction else None))
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def try_out(
    settings: Settings,
    runner: Runner,
    progress: Progress,
    *,
    policies: Sequence[str],
    at_tokens: int | None = None,
    session_id: str | None = None,
) -> list[Row]:
    """The rows of some policies, kept nowhere. UsageError for a policy that is none."""
    for name in policies:
        policy_of(name)
    with catalog.connect(Layout(settings.data)) as con:
        found = [one for one in candidates(con, 1 if session_id else FIRST) if session_id in (None, one.session_id)]
    return [row for one in run(settings, runner, progress, found, policies, at_tokens=at_tokens) for row in one.rows]


def run(
    settings: Settings,
    runner: Runner,
    progress: Progress,
    found: Sequence[Candidate],
    policies: Sequence[str],
    *,
    at_tokens: int | None = None,
    until: float | None = None,
    commit: int | None = None,
) -> list[BatchDone]:
    batches = [
        Batch(str(settings.data), sessions, settings.compaction, tuple(policies), at_tokens, until, commit)
        for sessions in _batched(found)
    ]
    done: list[BatchDone] = []
    each = max(1, getattr(runner, "workers", 1)) * ROUNDS_UNITS
    progress.start("trying policies on sessions", len(found))
    for at in range(0, len(batches), each):
        if until is not None and time.time() >= until:
            break
        round_ = batches[at : at + each]
        done += runner.map(evaluate_batch, round_, label="evaluate", policy=UNIT_POLICY)
        progress.advance(sum(len(batch.sessions) for batch in round_))
    progress.finish()
    return done


def _batched(found: Iterable[Candidate]) -> list[tuple[Candidate, ...]]:
    """Sessions in their order, as many at a time as hold that many tokens."""
    batches: list[list[Candidate]] = []
    room = 0
    for one in found:
        if not batches or one.tokens > room:
            batches.append([])
            room = BATCH_TOKENS
        batches[-1].append(one)
        room -= one.tokens
    return [tuple(batch) for batch in batches]


def evaluate_batch(batch: Batch) -> BatchDone:
    """Replays some sessions, until the time is over."""
    layout, rows, done = Layout(Path(batch.data)), list[Row](), list[str]()
    key = evaluator(batch.compaction)
    asked = _asked(batch)
    with catalog.connect(layout) as con:
        for one in batch.sessions:
            if batch.until is not None and time.time() >= batch.until:
                break
            session = recorded(archived(con, one.session_id), one, batch.compaction)
            with _own_errors(batch.policies, one.session_id):
                found = replay(session, asked)
            # A session without a point leaves a row all the same, or every night would look at it again.
            rows += found or [{"session_id": one.session_id, "lineage_id": one.lineage_id, "agent": one.agent}]
            done.append(one.session_id)
    if batch.commit is None:
        return BatchDone(tuple(done), None, tuple(row for row in rows if "policy" in row))
    part = parts.write(layout, EVALUATIONS, _arrow([{**row, "evaluator": key} for row in rows], batch.commit))
    return BatchDone(tuple(done), part)


@contextlib.contextmanager
def _own_errors(policies: Sequence[str], session_id: str) -> Iterator[None]:
    """What a policy of somebody's file does wrong is told as theirs."""
    try:
        yield
    except MidwatchError:
        raise
    except Exception as error:
        own = [name for name in policies if name not in POLICIES]
        if not own:
            raise
        raise UsageError(f"{own[0]}: {type(error).__name__}: {error}, at {session_id}") from error


def _asked(batch: Batch) -> Asked:
    policies = [policy_of(name) for name in batch.policies]
    triggers = {
        policy.name: tokens
        for policy in policies
        if (tokens := config.trigger_of(policy.name, batch.compaction or CompactionSettings()))
    }
    return Asked(policies, batch.at_tokens, triggers)


def recorded(session: Archived, about: Candidate, compaction: CompactionSettings | None) -> Recorded:
    """A session as it is replayed."""

    def see(point: Point, policy: str) -> Context:
        return session.context(session.moments.every[point.at], policy, compaction, max(1, point.prompt_tokens - 1))

    return Recorded(about.session_id, about.lineage_id, about.agent, session.moments, session.items, see)


def _arrow(rows: Sequence[Row], commit: int) -> Any:
    ordered = sorted(rows, key=lambda row: [(row.get(name) is not None, row.get(name)) for name in EVALUATIONS.sort])
    columns = {name: [row.get(name) for row in ordered] for name, _ in EVALUATIONS.columns}
    return parts.from_rows(EVALUATIONS, ordered, {}, commit, columns)
