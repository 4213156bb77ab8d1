"""The command `evaluate` over a small lake of invented logs."""

import json
from pathlib import Path

import pytest
from logs import ClaudeLog
from typer.testing import CliRunner

from flows.cli import app

LONG = "The warp is threaded through the heddles.\n" * 160


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("evaluation")
    log = ClaudeLog("hanging").prompt("You must never cut the warp.")
    for number in range(26):
        text = f"{LONG}knotNumber{number}Tied\n"
        log.call("Read", {"file_path": f"/srv/looms/{number}.txt"}, text, tokens=(0, 0, 1_000 * (number + 1), 9))
    log.answer("knotNumber1Tied it is.", tokens=(0, 0, 30_000, 5)).write(folder / "archive")
    run("ingest", "--archive", str(folder / "archive"), "--data", str(folder / "data"), "--quiet", "--workers", "1")
    return str(folder / "data")


def run(*arguments: str, code: int = 0):
    ran = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert ran.exit_code == code, ran.stderr
    return ran


def test_the_table_claims_nothing_of_one_session(data: str):
    shown = run("evaluate", "--data", data, "--workers", "1").stdout
    assert "contexts of 20,000, 25,000, ... counted tokens" in shown
    assert "insufficient" in shown
    assert "[" not in shown.split("Shares in percent")[0]


def test_a_size_that_was_asked_for_is_measured_and_kept_nowhere(data: str):
    ran = run("evaluate", "--policy", "tier1", "--at-tokens", "16000", "--json", "--data", data, "--workers", "1")
    lines = {line["policy"]: line for line in json.loads(ran.stdout)}
    assert {"tier1", "oldest", "random", "random_chunks", "oracle"} == lines.keys()
    assert lines["tier1"]["trigger"] == "asked"
    # Of fifteen results ten are kept; the second, with its knot, is one of the five that go.
    assert lines["tier1"]["rates"]["atoms"] == {"value": 1.0, "interval": None}


def test_one_session_and_one_policy_may_be_asked_for(data: str):
    session = ClaudeLog("hanging").session_id
    ran = run("evaluate", "--policy", "tier1", "--session", session[:8], "--json", "--data", data, "--workers", "1")
    assert {line["policy"] for line in json.loads(ran.stdout)} >= {"tier1"}
    assert "chunk" not in {line["policy"] for line in json.loads(ran.stdout)}


def test_a_policy_that_is_none_is_bad_usage(data: str, tmp_path: Path):
    assert "give one of" in run("evaluate", "--policy", "nobody", "--data", data, code=2).stderr
    assert "no such file" in run("evaluate", "--policy", str(tmp_path / "own.py"), "--data", data, code=2).stderr
