"""The command from outside: help, exit codes, and one message instead of a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows.cli import app
from flows.command import outcome
from tasks.domain.errors import DamageError, LockHeldError, MidwatchError, UsageError
from tasks.domain.settings import Settings

COMMANDS = (
    "nightly", "ingest", "analyze", "evaluate", "report", "maintain", "migrate", "serve", "query", "search", "sessions",
    "sources", "outline", "compact", "policies", "restore", "handoff", "export", "doctor",
)  # fmt: skip
SHARED = ("--archive", "--data", "--json", "--quiet", "--workers", "--config")
HEAVY = ("prefect", "litellm", "duckdb", "pyarrow", "tiktoken", "pydantic", "rich", "jinja2", "vl_convert")


@pytest.fixture
def midwatch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs a command in an empty folder with a data folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MIDWATCH_DATA", str(tmp_path / "data"))
    return lambda *arguments: CliRunner().invoke(app, arguments)


def test_help_documents_every_command(midwatch):
    shown = midwatch("--help").stdout
    commands = shown.split("Commands:")[1].splitlines()
    assert tuple(line.split()[0] for line in commands if line.strip()) == COMMANDS
    assert all(len(line.split(maxsplit=1)) == 2 and "..." not in line for line in commands if line.strip())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_the_shared_options_and_explains_its_own(midwatch, name):
    shown = midwatch(name, "--help")
    assert shown.exit_code == 0
    options = [line.strip() for line in shown.stdout.split("Options:")[1].splitlines() if line.strip().startswith("--")]
    assert set(SHARED) <= {option.split()[0] for option in options}
    assert [option for option in options if "  " not in option] == []


def test_version_is_that_of_the_package(midwatch):
    shown = midwatch("--version")
    assert (shown.exit_code, shown.stdout.split()[0]) == (0, "midwatch")


def test_output_is_utf8_whatever_the_locale_says():
    program = "from flows import console; console.speak_utf8(); console.show('│ ───')"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert run.stdout.decode() == "│ ───\n"


def test_help_loads_nothing_heavy():
    program = f"import sys; from flows import cli; print([name for name in {HEAVY} if name in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MidwatchError("m"), 1),
        (DamageError("m"), 1),
        (UsageError("m"), 2),
        (LockHeldError("m"), 75),
        (KeyboardInterrupt(), 130),
    ],
)
def test_an_expected_error_is_one_message_and_its_code(capsys, error, code):
    def act(settings: Settings) -> int:
        raise error

    shared = dict.fromkeys(("archive", "data", "json_output", "quiet", "workers", "config"))
    assert outcome(act, shared) == code
    assert capsys.readouterr().err.startswith("midwatch: ")


def test_an_unexpected_error_keeps_its_traceback():
    def act(settings: Settings) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        outcome(act, dict.fromkeys(("archive", "data", "json_output", "quiet", "workers", "config")))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ingest", "--archive", "absent"), "is not a folder that can be read"),
        (("ingest", "--workers", "0"), "setting 'workers' from the command line"),
        (("ingest", "--config", "absent.toml"), "no such settings file"),
        (("ingest", "--runner", "dask"), "give local or prefect"),
        (("query",), "nothing to ask"),
        (("query", "select 1", "--format", "xml"), "give one of table, csv, json, jsonl, markdown"),
        (("query", "select 1"), "there is no lake"),
        (("query", "select $a", "--param", "a"), "there is no lake"),
        (("sessions",), "there is no lake"),
        (("sessions", "--since", "yesterday"), "write it as 2026-01-31"),
        (("handoff",), "say which session"),
        (("unheard",), "No such command"),
        (("search",), "Missing argument"),
    ],
)
def test_bad_usage_exits_two_and_says_what_to_do(midwatch, arguments, message):
    ran = midwatch(*arguments)
    assert (ran.exit_code, message in ran.stderr) == (2, True), ran.stderr
    assert ran.stdout == ""


def test_questions_with_a_name_are_listed_with_what_they_ask(midwatch):
    listed = json.loads(midwatch("query", "--list", "--json").stdout)
    assert {"name", "params", "question", "room"} == set(listed[0])
    assert all(row["question"] for row in listed)


def test_doctor_finds_this_installation_well(midwatch):
    ran = midwatch("doctor", "--json")
    findings = json.loads(ran.stdout)
    assert [name for name, found in findings.items() if not found["is_well"]] == []
    assert findings["lake"]["finding"] == "empty"
    assert ran.exit_code == 0


def test_doctor_names_an_archive_that_is_not_there(midwatch):
    ran = midwatch("doctor", "--archive", "absent")
    assert ran.exit_code == 1
    assert "no such folder" in ran.stdout
