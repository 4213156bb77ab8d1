"""Who runs the units of a step: processes of this machine, or tasks of a Prefect flow. Same units, same order, same rows."""

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from flows.processes import processes
from tasks.domain.errors import MidwatchError

Result = TypeVar("Result")


class LocalRunner:
    """Runs units in worker processes, without Prefect; with one worker, in this process.

    Of a POLICY it keeps `retries` and `retry_delay_seconds`. A unit's exception ends the step, as in Prefect.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def map(
        self, function: Callable[..., Result], arguments: Sequence[Any], *, label: str, policy: dict[str, Any] | None = None
    ) -> list[Result]:
        workers = min(self.workers, len(arguments))
        if workers < 2:
            return [attempt(function, argument, policy or {}) for argument in arguments]
        with processes(workers, function, label) as submit:
            futures = [submit(attempt, function, argument, policy or {}) for argument in arguments]
            return [future.result() for future in futures]


def attempt(function: Callable[..., Result], argument: Any, policy: dict[str, Any]) -> Result:
    """One unit, tried again as its policy says. What a person is meant to read is not tried again: it would say the same."""
    for _ in range(int(policy.get("retries", 0))):
        try:
            return function(argument)
        except MidwatchError:
            raise
        except Exception:
            time.sleep(float(policy.get("retry_delay_seconds", 0)))
    return function(argument)


class PrefectRunner:
    """Runs units as tasks of the flow run that is going on: tracked, retried and timed by Prefect.

    The tasks are threads that wait for worker processes of ours: a process of Prefect's own would first load Prefect,
    which takes longer than reading the logs of a day.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def map(
        self, function: Callable[..., Result], arguments: Sequence[Any], *, label: str, policy: dict[str, Any] | None = None
    ) -> list[Result]:
        workers = min(self.workers, len(arguments))
        if workers < 2:
            return self._map(function, arguments, label, policy or {})
        with processes(workers, function, label) as submit:
            return self._map(lambda argument: submit(function, argument).result(), arguments, label, policy or {})

    def _map(self, call: Callable[[Any], Result], arguments: Sequence[Any], label: str, policy: dict[str, Any]) -> list[Result]:
        from prefect import task
        from prefect.cache_policies import NO_CACHE

        def unit(number: int) -> Result:
            return call(arguments[number - 1])

        # The only parameter is a number: Prefect keeps parameters, and units hold paths of people's logs.
        tracked = task(
            name=label,
            task_run_name=f"{label} {{number}} of {len(arguments)}",
            cache_policy=NO_CACHE,
            persist_result=False,
            **policy,
        )
        futures = tracked(unit).map(number=list(range(1, len(arguments) + 1))) if arguments else []
        return [future.result() for future in futures]
