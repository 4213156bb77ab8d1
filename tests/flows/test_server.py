"""Against a real Prefect server on the loopback interface: the tracked flow, and a schedule that fires."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from logs import ClaudeLog, CodexLog

from flows.deployments import server
from flows.quiet import hush
from tasks.store.layout import Layout
from tasks.store.manifest import latest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "environ", dict(os.environ))
        os.environ.pop("PREFECT_HOME", None)
        hush(tmp_path_factory.mktemp("server"))
        with server(quiet=True) as url:
            yield url


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    ClaudeLog("warp").prompt("Thread the loom").answer("Threaded.").write(folder)
    CodexLog("weft").prompt("Count the threads").answer("Twelve.").write(folder)
    return folder


def midwatch(*arguments: str, **environment: str) -> list[str]:
    return subprocess.check_output(
        [sys.executable, "-m", "flows", *arguments], cwd=ROOT, text=True, env={**os.environ, **environment}
    ).splitlines()


def posted(api: str, path: str, **body: Any) -> Any:
    request = urllib.request.Request(f"{api}/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as reply:
        return json.load(reply)


def until(holds: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.5)


def test_the_night_is_a_tracked_flow_run_with_tasks_and_a_summary(api: str, archive: Path, tmp_path: Path) -> None:
    arguments = ("nightly", "--archive", str(archive), "--data", str(tmp_path), "--workers", "2", "--json")
    told = json.loads(midwatch(*arguments, PREFECT_API_URL=api)[0])
    assert (told["ingest"]["sessions"], told["ingest"]["commit"]) == (2, 1)
    runs = posted(api, "flow_runs/filter", flows={"name": {"any_": ["midwatch-nightly"]}})
    assert [run["state_type"] for run in runs] == ["COMPLETED"]
    assert set(runs[0]["parameters"]) == {"archive", "data", "workers", "config"}
    tasks = posted(api, "task_runs/filter", flow_runs={"id": {"any_": [runs[0]["id"]]}})
    assert {"ingest", "handoff", "report"} <= {task["name"] for task in tasks}
    assert {task["state_type"] for task in tasks} == {"COMPLETED"}
    artifacts = posted(api, "artifacts/filter", artifacts={"key": {"any_": ["midwatch-night"]}})
    assert "2 sessions" in artifacts[0]["data"]


def test_a_night_leaves_its_figures_and_where_its_page_is(api: str, tmp_path: Path) -> None:
    """Read back through Prefect's own client. The tool's name is what an agent logged; nobody's file or prompt is told."""
    from prefect.artifacts import Artifact
    from prefect.settings import PREFECT_API_URL, temporary_settings

    logs = tmp_path / "logs"
    logs.mkdir()
    story = ClaudeLog("warp").prompt("Thread the secret loom")
    story.call("a|b <img src=//x.example>", {"file_path": "/srv/looms/hidden.py"}, "weft = 1").answer("Threaded.").write(logs)
    midwatch("nightly", "--archive", str(logs), "--data", str(tmp_path / "data"), "--quiet", PREFECT_API_URL=api)
    with temporary_settings({PREFECT_API_URL: api}):
        keys = ("night", "books", "kinds", "tools", "report")
        told = {key: Artifact.get(f"midwatch-{key}") for key in keys}
    found = {key: artifact.data for key, artifact in told.items() if artifact}
    assert found.keys() == set(keys)
    assert (Layout(tmp_path / "data").reports / "index.html").absolute().as_uri() in str(found["report"])
    assert [row["agent"] for row in json.loads(str(found["books"]))] == ["`claude-code`"]
    assert [row["tool"] for row in json.loads(str(found["tools"]))] == [r"`a\|b <img src=//x.example>`"]
    assert "tool results" in {row["what"] for row in json.loads(str(found["kinds"]))}
    assert "## The books" in str(found["night"])
    assert not [key for key, data in found.items() for word in ("hidden.py", "secret loom") if word in str(data)]


def test_both_runners_make_the_same_lake(api: str, archive: Path, tmp_path: Path) -> None:
    parts = []
    for runner in ("local", "prefect"):
        data = tmp_path / runner
        midwatch("ingest", "--archive", str(archive), "--data", str(data), "--runner", runner, PREFECT_API_URL=api)
        question = "select * from items order by item_id"
        parts.append(midwatch("query", question, "--data", str(data), "--json"))
    assert parts[0] == parts[1]


def test_an_expected_failure_keeps_its_code_and_leaves_no_traceback(api: str, archive: Path, tmp_path: Path) -> None:
    from tasks.store.lock import only_writer

    with only_writer(Layout(tmp_path).lock):
        ran = subprocess.run(
            [sys.executable, "-m", "flows", "ingest", "--archive", str(archive), "--data", str(tmp_path)],
            cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "PREFECT_API_URL": api},
        )  # fmt: skip
    assert ran.returncode == 75
    assert "midwatch: another run is writing" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_the_schedule_fires_and_the_server_goes_with_the_command(archive: Path, tmp_path: Path) -> None:
    """Two minutes ahead: a server of its own takes up to a minute to start on a busy machine."""
    due = datetime.now(UTC) + timedelta(minutes=2)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    told = tmp_path / "told"
    with told.open("wb") as out:
        served = subprocess.Popen(
            [
                sys.executable, "-m", "flows", "serve", "--cron", f"{due.minute} {due.hour} * * *",
                "--archive", str(archive), "--data", str(tmp_path / "data"),
            ],
            cwd=ROOT, stdout=out, stderr=out, env=environment,
        )  # fmt: skip
    try:
        until(lambda: latest(Layout(tmp_path / "data")).snapshot >= 1, 300)
        assert datetime.now(UTC).replace(tzinfo=UTC) >= due.replace(second=0, microsecond=0)
        until(lambda: "midwatch-nightly/nightly" in told.read_text(), 30)
    finally:
        served.send_signal(signal.SIGTERM)
        assert served.wait(60) == 0
    port = told.read_text().split("http://127.0.0.1:")[1].split()[0]
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health", timeout=2)
