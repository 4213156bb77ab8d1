"""The steps as Prefect flows: tracked, with logs, retries and artifacts.

The only module that imports Prefect when it is loaded; `flows.quiet.hush` comes first.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.logging import get_run_logger
from prefect.states import Failed

from flows import artifacts, steps, summary
from flows.inputs import with_archive
from flows.runner import PrefectRunner
from flows.steps import NightlyReport
from tasks.domain.errors import MidwatchError
from tasks.domain.ports import Progress, Runner, Silent
from tasks.domain.settings import Settings, read_settings

if TYPE_CHECKING:
    from tasks.handoff import HandoffReport
    from tasks.ingest import IngestReport

Result = TypeVar("Result")

DESCRIPTION = "Keep the logs of coding agents, account for their tokens, and have handoffs ready."


class PrefectRun:
    """Steps as tasks, their units as tasks of those."""

    def __init__(self, settings: Settings) -> None:
        self.runner: Runner = PrefectRunner(settings.workers)
        self.progress: Progress = Silent()

    def step(self, name: str, function: Callable[..., Result], settings: Settings) -> Result:
        """An expected failure fails the task with its message and no traceback, and is raised here again."""
        failures: list[MidwatchError] = []

        def act() -> Result:
            try:
                return function(settings, self)
            except MidwatchError as error:
                failures.append(error)
                return cast(Result, Failed(message=str(error)))

        # No parameters: Prefect keeps them, and what a step needs is in its flow's own.
        tracked = task(name=name, task_run_name=name, cache_policy=NO_CACHE, persist_result=False)
        result = tracked(act)()
        if failures:
            raise failures[0]
        return result


def _outcome(act: Callable[[], Result]) -> Result:
    """What a flow returns; for an expected failure the state that Prefect raises it from, without a traceback in the logs."""
    try:
        return act()
    except MidwatchError as error:
        return cast(Result, Failed(message=str(error), data=error))


def parameters(settings: Settings) -> dict[str, Any]:
    """What a flow is called with: plain paths and numbers, which Prefect keeps and shows."""
    return {"archive": [str(folder) for folder in settings.archive], "data": str(settings.data), "workers": settings.workers}


def _settings(archive: list[str] | None, data: str | None, workers: int | None, config: str | None) -> Settings:
    flags = {"archive": [Path(folder) for folder in archive] if archive else None, "data": Path(data) if data else None}
    settings, note = with_archive(read_settings(config=Path(config) if config else None, workers=workers, **flags))
    if note:
        get_run_logger().info(note)
    return settings


def _closed(key: str, text: str) -> None:
    get_run_logger().info("%s (all of it in the artifact %s)", text.splitlines()[-1].strip(), key)


@flow(name="midwatch-nightly", description=DESCRIPTION, persist_result=False)
def nightly(
    archive: list[str] | None = None, data: str | None = None, workers: int | None = None, config: str | None = None
) -> NightlyReport:
    """The whole night. Parameters are those of the command; what is not given comes from environment and midwatch.toml."""

    def act() -> NightlyReport:
        settings = _settings(archive, data, workers, config)
        night = steps.nightly_steps(settings, PrefectRun(settings))
        text = summary.of_night(night, settings.data)
        artifacts.of_night(settings, text, night.report)
        _closed("midwatch-night", text)
        return night

    return _outcome(act)


@flow(name="midwatch-ingest", description="Keep the logs and commit what is new in them.", persist_result=False)
def ingest(
    archive: list[str] | None = None, data: str | None = None, workers: int | None = None, config: str | None = None
) -> "IngestReport":
    """The ingest alone."""

    def act() -> "IngestReport":
        settings = _settings(archive, data, workers, config)
        ingested = PrefectRun(settings).step("ingest", steps.ingest, settings)
        text = summary.of_ingest(ingested, settings.data)
        artifacts.of_text("midwatch-ingest", text)
        _closed("midwatch-ingest", text)
        return ingested

    return _outcome(act)


@flow(name="midwatch-handoff", description="Build the handoffs of the newest snapshot.", persist_result=False)
def handoff(data: str | None = None, workers: int | None = None, config: str | None = None) -> "HandoffReport":
    """The handoffs alone."""

    def act() -> "HandoffReport":
        settings = read_settings(config=Path(config) if config else None, data=data, workers=workers)
        return PrefectRun(settings).step("handoff", steps.handoff, settings)

    return _outcome(act)


@flow(name="midwatch-report", description="Write the report of the newest snapshot.", persist_result=False)
def report(data: str | None = None, config: str | None = None) -> Path:
    """The report alone."""

    def act() -> Path:
        settings = read_settings(config=Path(config) if config else None, data=data)
        page = PrefectRun(settings).step("report", steps.report, settings)
        artifacts.of_page(page)
        return page

    return _outcome(act)
