"""What a night does, in order. The same steps run in this process and as a tracked Prefect flow."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tasks.domain.ports import Progress, Runner, Silent

if TYPE_CHECKING:
    from tasks.analyze import AnalyzeReport
    from tasks.check import CheckReport
    from tasks.domain.settings import Settings
    from tasks.evaluate import EvaluateReport
    from tasks.handoff import HandoffReport
    from tasks.ingest import IngestReport
    from tasks.maintain import MaintainReport
    from tasks.migrate_lake import LakeReport

Result = TypeVar("Result")


class Run(Protocol):
    """How a run does its steps, and who watches."""

    runner: Runner
    progress: Progress

    def step(self, name: str, function: Callable[..., Result], settings: "Settings") -> Result:
        """Calls `function(settings, run)`, as a step that a person can find again by its name."""
        ...


@dataclass
class PlainRun:
    """Steps as plain calls."""

    runner: Runner
    progress: Progress = field(default_factory=Silent)

    def step(self, name: str, function: Callable[..., Result], settings: "Settings") -> Result:
        return function(settings, self)


@dataclass(frozen=True, slots=True)
class NightlyReport:
    """What a night did."""

    ingest: "IngestReport"
    handoff: "HandoffReport"
    report: Path
    maintain: "MaintainReport | None" = None
    """None on all but the rare nights when the lake lies in many small parts."""
    migrate: "LakeReport | None" = None
    """None but on the first night after a table changed its shape."""
    check: "CheckReport | None" = None
    """None when there was nothing new to check."""
    analyze: "AnalyzeReport | None" = None
    evaluate: "EvaluateReport | None" = None
    seconds: float = 0.0
    """Of all steps, by the clock."""


def nightly_steps(settings: "Settings", run: Run) -> NightlyReport:
    """One night. Every step reads the snapshot that the first one left, and none needs another to have changed anything."""
    started = time.monotonic()
    ingested = run.step("ingest", ingest, settings)
    migrated = run.step("migrate", migrate, settings)
    tidied = run.step("maintain", maintain, settings)
    analyzed = run.step("analyze", analyze, settings)
    evaluated = run.step("evaluate", evaluate, settings)
    is_new = ingested.is_committed or analyzed.is_committed or evaluated.is_committed
    checked = run.step("check", check, settings) if is_new else None
    handed_off = run.step("handoff", handoff, settings)
    reported = run.step("report", report, settings)
    return NightlyReport(
        ingested, handed_off, reported, tidied, migrated, checked, analyzed, evaluated, time.monotonic() - started
    )


def ingest(settings: "Settings", run: Run) -> "IngestReport":
    """Archive the logs byte for byte, and turn what changed into the next snapshot of the lake."""
    from tasks.ingest import ingest

    return ingest(settings, run.runner, run.progress)


def migrate(settings: "Settings", run: Run) -> "LakeReport | None":
    """Old parts as today's, once a table has changed its shape; until then they are read by way of the same steps."""
    from tasks.migrate_lake import is_pending, migrate_lake

    return migrate_lake(settings, run.progress) if is_pending(settings) else None


def maintain(settings: "Settings", run: Run) -> "MaintainReport | None":
    """Few large parts again, once nights have left many small ones."""
    from tasks.maintain import maintain, needs_maintenance

    return maintain(settings, run.progress) if needs_maintenance(settings) else None


def analyze(settings: "Settings", run: Run) -> "AnalyzeReport":
    """Where the context tokens of every new or changed session went."""
    from tasks.analyze import analyze

    return analyze(settings, run.progress)


def evaluate(settings: "Settings", run: Run) -> "EvaluateReport":
    """What every policy would have freed of new and changed sessions, and lost."""
    from tasks.evaluate import evaluate

    return evaluate(settings, run.runner, run.progress, settings.evaluate_minutes)


def check(settings: "Settings", run: Run) -> "CheckReport":
    """What must hold of the new snapshot, and what should."""
    from tasks.check import check

    return check(settings)


def handoff(settings: "Settings", run: Run) -> "HandoffReport":
    """A document for every session that somebody may resume."""
    from tasks.handoff import build_all

    return build_all(settings, run.runner, run.progress)


def report(settings: "Settings", run: Run) -> Path:
    """The page that says where the tokens went."""
    from tasks.publish import build

    return build(settings)


STEPS: dict[str, Callable[["Settings", Run], Any]] = {
    "ingest": ingest,
    "migrate": migrate,
    "maintain": maintain,
    "analyze": analyze,
    "evaluate": evaluate,
    "check": check,
    "handoff": handoff,
    "report": report,
}
"""The steps that are worth running alone."""
