"""Runs the night from the command line: chooses who runs it, shows the progress, and closes with a summary."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from flows import console, summary
from flows.inputs import with_archive, with_lake
from flows.processes import end_like_ctrl_c
from flows.quiet import hush, prefect_api
from flows.runner import LocalRunner
from flows.steps import NightlyReport, PlainRun, nightly_steps
from flows.steps import ingest as ingest_step
from tasks.domain.errors import UsageError
from tasks.store.layout import Layout
from tasks.store.lock import refuse_if_held

if TYPE_CHECKING:
    from tasks.domain.settings import Settings
    from tasks.ingest import IngestReport


def run_nightly(settings: "Settings", runner: str | None) -> int:
    """The whole night; its exit code."""
    settings, uses_prefect = _ready(settings, runner)
    if uses_prefect:
        from flows.nightly import nightly, parameters

        night: NightlyReport = nightly(**parameters(settings))
    else:
        night = nightly_steps(settings, _plain_run(settings))
    machine = {"ingest": ingest_facts(night.ingest), "handoffs": asdict(night.handoff), "report": night.report}
    if night.migrate:
        machine["migrate"] = asdict(night.migrate)
    if night.maintain:
        machine["maintain"] = asdict(night.maintain)
    if night.analyze:
        machine["analyze"] = asdict(night.analyze)
    if night.evaluate:
        machine["evaluate"] = asdict(night.evaluate)
    if night.check:
        machine["checks"] = asdict(night.check)
    lacks = summary.broken(night.check) or summary.missing(night.ingest, night.handoff)
    _close(settings, machine, summary.of_night(night, settings.data), lacks)
    return summary.exit_code(night.ingest, night.handoff, night.check)


def run_ingest(settings: "Settings", runner: str | None) -> int:
    """The ingest alone; its exit code."""
    settings, uses_prefect = _ready(settings, runner)
    if uses_prefect:
        from flows.nightly import ingest, parameters

        ingested: IngestReport = ingest(**parameters(settings))
    else:
        ingested = ingest_step(settings, _plain_run(settings))
    _close(settings, ingest_facts(ingested), summary.of_ingest(ingested, settings.data), summary.missing(ingested))
    return summary.exit_code(ingested)


def run_analyze(settings: "Settings") -> int:
    """The account alone."""
    from tasks.analyze import analyze

    settings, note = with_lake(settings)
    if note:
        console.say(note)
    done = analyze(settings, _plain_run(settings).progress)
    words = f"{done.sessions:,} sessions accounted for, {done.written:,} of them now: midwatch query 'from reconciliation'"
    console.show(json.dumps(asdict(done)) if settings.json_output else words)
    return 0


def run_maintain(settings: "Settings") -> int:
    """The rewrite alone."""
    from tasks.maintain import maintain

    settings, note = with_lake(settings)
    if note:
        console.say(note)
    done = maintain(settings, _plain_run(settings).progress)
    words = f"{done.parts_before:,} parts before, {done.parts_after:,} now; {done.files_removed:,} unused files removed"
    console.show(json.dumps(asdict(done)) if settings.json_output else words)
    return 0


def ingest_facts(ingested: "IngestReport") -> dict[str, Any]:
    """What `--json` says of an ingest. Sessions are counted here, and named in the lake."""
    facts = asdict(ingested)
    facts["changed_sessions"] = len(ingested.changed_sessions)
    return facts


def _ready(settings: "Settings", runner: str | None) -> tuple["Settings", bool]:
    if runner not in (None, "local", "prefect"):
        raise UsageError(f"--runner {runner}: give local or prefect")
    settings, note = with_archive(settings)
    chosen = runner or settings.runner
    uses_prefect = chosen == "prefect" or (chosen == "auto" and prefect_api() is not None)
    if not uses_prefect:
        refuse_if_held(Layout(settings.data).lock)
    hush(settings.data, quiet=settings.quiet, uses_prefect=uses_prefect)
    if uses_prefect:
        end_like_ctrl_c()
    if not settings.quiet:
        for line in (note, _who_runs(uses_prefect, chosen)):
            if line:
                console.say(line)
    return settings, uses_prefect


def _who_runs(uses_prefect: bool, chosen: str) -> str:
    if uses_prefect:
        return (
            f"running as a Prefect flow on {prefect_api() or 'a temporary server of this machine (starting it takes a while)'}"
        )
    return "running in this process; no Prefect server is configured" if chosen == "auto" else ""


def _plain_run(settings: "Settings") -> PlainRun:
    return PlainRun(LocalRunner(settings.workers), console.progress(quiet=settings.quiet))


def _close(settings: "Settings", machine: dict[str, Any], text: str, missing: str) -> None:
    if missing:  # --quiet or not: the mail of a cron job says why its exit code is 3
        console.say(missing)
    if settings.json_output:
        console.show(json.dumps(machine, default=str))
    elif not settings.quiet:
        console.show(text)
