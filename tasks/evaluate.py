"""Tries every policy on archived sessions with hindsight: what it would have freed, and what the real future would have missed.

A session is evaluated again when its rows changed, or when a policy did. Newest sessions come first, and what there is no time
for is left for the next night, and said.
"""

import contextlib
import hashlib
import importlib.util
import inspect
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.compact import Archived, archived
from tasks.compaction import config
from tasks.compaction.plan import Context
from tasks.compaction.policy import Policy
from tasks.compaction.registry import POLICIES
from tasks.domain.compaction import CompactionSettings
from tasks.domain.errors import MidwatchError, UsageError
from tasks.domain.ports import Progress, Runner
from tasks.domain.settings import Settings
from tasks.evaluation.baselines import CONTROLS
from tasks.evaluation.replay import Asked, Recorded, Row, replay
from tasks.evaluation.segments import FIRST, Point
from tasks.store import catalog, durable, manifest, parts, sql
from tasks.store.layout import Layout
from tasks.store.lock import only_writer
from tasks.store.manifest import Manifest, Part
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
        done = _run(settings, runner, progress, stale, tuple(default_policies()), until=until, commit=before.snapshot + 1)
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
    return [row for one in _run(settings, runner, progress, found, policies, at_tokens=at_tokens) for row in one.rows]


def stored(con: "duckdb.DuckDBPyConnection", policies: Sequence[str] = ()) -> list[Row]:
    """Rows of the lake: of some policies with the controls beside them, or of all."""
    cursor = con.execute(
        "select * from evaluations where len($1) = 0 or list_contains($1, coalesce(beside, policy)) order by all",
        [list(policies)],
    )
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def candidates(con: "duckdb.DuckDBPyConnection", least: int = FIRST) -> list[Candidate]:
    """Newest first."""
    found = sql.run(con, sql.load("evaluation/sessions_to_evaluate"), {"least": least}).rows
    return [Candidate(*row) for row in found]


def default_policies() -> list[str]:
    """All of the registry but the controls that stand beside every policy anyway."""
    return [name for name in POLICIES if name not in CONTROLS]


def policy_of(name: str) -> Policy:
    """By name, or from the file that somebody named: its one Policy. Running that file is what they asked for."""
    if name in POLICIES:
        return POLICIES[name]()
    path = Path(name).expanduser()
    if not name.endswith(".py"):
        raise UsageError(f"no policy {name!r}; give one of {', '.join(POLICIES)}, or a Python file that holds one")
    if not path.is_file():
        raise UsageError(f"{name}: no such file; give a Python file that holds one Policy")
    return _loaded(path)()


def _loaded(path: Path) -> type[Policy]:
    spec = importlib.util.spec_from_file_location(f"midwatch_policy_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path}: cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"{path}: {type(error).__name__}: {error}") from error
    found = [one for one in vars(module).values() if inspect.isclass(one) and one.__module__ == module.__name__]
    policies = [one for one in found if issubclass(one, Policy) and not inspect.isabstract(one)]
    if len(policies) != 1 or not getattr(policies[0], "name", ""):
        raise UsageError(f"{path}: {len(policies)} policies in it; there must be one subclass of Policy, with a `name`")
    return policies[0]


def evaluator(compaction: CompactionSettings | None) -> str:
    """What an evaluation was made by: another name means that it has to be made again."""
    versions = [f"{name}@{POLICIES[name].version}" for name in default_policies()]
    told = repr((EVALUATION_VERSION, versions, compaction.model_dump() if compaction else None))
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _run(
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
