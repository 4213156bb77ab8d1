"""The night on a schedule: a deployment served from this process, with a Prefect server of its own where none is configured."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from flows import console
from flows.quiet import hush, prefect_api
from tasks.domain.errors import MidwatchError, UsageError

if TYPE_CHECKING:
    from tasks.domain.settings import Settings

START_SECONDS = 120
STOP_SECONDS = 15


def serve_nightly(settings: "Settings", cron: str, timezone: str) -> int:
    """Serves until SIGINT or SIGTERM, and takes its server along when it goes."""
    hush(settings.data, quiet=settings.quiet)
    _end_like_ctrl_c()
    with server(quiet=settings.quiet) as url:
        os.environ["PREFECT_API_URL"] = url
        from prefect import serve

        deployment = nightly_deployment(settings, cron, timezone)
        console.say(f"serving the night at {cron!r} ({timezone}) on {url}; Ctrl-C ends it")
        serve(deployment)
    return 0


def nightly_deployment(settings: "Settings", cron: str, timezone: str) -> Any:
    """The deployment of the nightly flow. A night that would overlap another is cancelled, not queued behind it."""
    from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
    from prefect.schedules import Cron
    from prefect.types.entrypoint import EntrypointType
    from pydantic import ValidationError

    from flows.nightly import nightly, parameters

    try:
        schedule = Cron(cron, timezone=timezone)
    except (ValidationError, ValueError) as error:
        raise UsageError(f"--cron {cron!r} --timezone {timezone}: {error}") from None
    given = parameters(settings)
    return nightly.to_deployment(
        name="nightly",
        schedule=schedule,
        # Without --archive each night looks for itself what the agents have left by then.
        parameters=given if settings.archive else {name: value for name, value in given.items() if name != "archive"},
        concurrency_limit=ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.CANCEL_NEW),
        entrypoint_type=EntrypointType.MODULE_PATH,
    )


def _end_like_ctrl_c() -> None:
    """Service managers send SIGTERM, which would leave the server behind."""

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)


@contextmanager
def server(*, quiet: bool) -> Iterator[str]:
    """Address of the configured server, or of one started here on the loopback interface and ended with all its children."""
    if configured := prefect_api():
        yield configured
        return
    port = _free_port()
    if not quiet:
        console.say(f"starting a Prefect server on http://127.0.0.1:{port}")
    process = subprocess.Popen(
        [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        url = f"http://127.0.0.1:{port}/api"
        _wait(process, url)
        yield url
    finally:
        _end_group(process)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(process: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=2):
                return
        except OSError:
            time.sleep(0.25)
    raise MidwatchError(
        f"the Prefect server did not come up on {url} within {START_SECONDS} s. "
        "Try `prefect server start` to see why, or name a server in PREFECT_API_URL"
    )


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """The server has workers of its own; all are in the group that it leads."""
    for wanted in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, wanted)
            process.wait(STOP_SECONDS)
        except (ProcessLookupError, PermissionError):
            return
        except subprocess.TimeoutExpired:
            continue
