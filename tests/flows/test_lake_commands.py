"""The commands over a small lake of invented logs: ingest it once, then ask."""

import json
from pathlib import Path

import duckdb
import pytest
from logs import ClaudeLog, CodexLog
from typer.testing import CliRunner

from flows.cli import app
from flows.tables import LISTING_WIDTH
from tasks.store.layout import Layout


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    story = (
        ClaudeLog("warp").prompt("Please thread the \x1b[31mloom").call("Read", {"file_path": "/srv/looms/a.py"}, "weft = 1")
    )
    story.answer("Threaded.").write(folder)
    CodexLog("weft").prompt("Count the threads").answer("Twelve.").write(folder)
    return folder


@pytest.fixture(scope="module")
def data(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    assert run("ingest", "--archive", str(archive), "--data", str(folder), "--quiet", "--workers", "1").stdout == ""
    return folder


def run(*arguments: str, code: int = 0):
    ran = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert ran.exit_code == code, ran.stderr
    return ran


def test_ingest_tells_a_program_what_it_did(archive, data):
    told = json.loads(run("ingest", "--archive", str(archive), "--data", str(data), "--json", "--workers", "1").stdout)
    assert {
        "sessions": 2,
        "requests": 3,
        "rejects": 0,
        "pending_bytes": 0,
        "commit": 1,
        "is_committed": False,
    }.items() <= told.items()
    assert told["bytes_seen"] == sum(path.stat().st_size for path in archive.rglob("*.jsonl"))


def test_ingest_tells_a_person_what_it_did(archive, data):
    ran = run("ingest", "--archive", str(archive), "--data", str(data), "--workers", "1")
    assert "2 unchanged" in ran.stdout
    assert "nothing new: no manifest made, 1 stands" in ran.stdout
    assert "running in this process; no Prefect server is configured" in ran.stderr


def test_query_answers_sql_with_parameters(data):
    ran = run("query", "select $a + 1 as n, $b as t", "--param", "a=41", "--param", "b=x=y", "--json", "--data", str(data))
    assert json.loads(ran.stdout) == [{"n": 42, "t": "x=y"}]


def test_query_answers_a_question_by_its_name(data):
    rows = json.loads(run("query", "list_sessions", "--param", "top=1", "--format", "json", "--data", str(data)).stdout)
    assert len(rows) == 1


def test_query_refuses_a_write_in_words(data):
    ran = run("query", "drop view items", "--data", str(data), code=2)
    assert ran.stderr == "midwatch: only SELECT is allowed here, and this is DROP\n"


def test_query_says_when_rows_are_left_out(data, monkeypatch):
    monkeypatch.setenv("MIDWATCH_QUERY_ROWS", "2")
    ran = run("query", "from range(10)", "--format", "csv", "--data", str(data))
    assert ran.stdout == "range\n0\n1\n"
    assert "only the first 2 rows" in ran.stderr


def test_query_makes_a_catalog_of_another_place_anew(data, tmp_path):
    moved = tmp_path / "moved"
    data.rename(moved)
    try:
        assert json.loads(run("query", "select count(*) as n from sessions", "--json", "--data", str(moved)).stdout) == [
            {"n": 2}
        ]
    finally:
        moved.rename(data)
    assert json.loads(run("query", "select count(*) as n from sessions", "--json", "--data", str(data)).stdout) == [{"n": 2}]


def test_sessions_are_listed_by_agent_and_folder(data):
    listed = json.loads(run("sessions", "--agent", "codex", "--cwd", "/srv", "--json", "--data", str(data)).stdout)
    assert [row["session_id"].split(":")[0] for row in listed] == ["codex"]
    assert run("sessions", "--since", "2030-01-01", "--json", "--data", str(data)).stdout == "[]\n"


def test_sources_say_what_became_of_each_log(data):
    listed = json.loads(run("sources", "--json", "--data", str(data)).stdout)
    assert [row["state"] for row in listed] == ["new", "new"]
    assert run("sources", "--problems", "--json", "--data", str(data)).stdout == "[]\n"


def test_search_finds_words_and_shows_no_controls(data):
    shown = run("search", "LOOM", "--kind", "user_text", "--data", str(data)).stdout
    assert "\\x1b[31mloom" in shown
    assert "\x1b" not in shown


def test_an_answer_without_rows_says_so_beside_it(data):
    assert run("search", "no such words", "--data", str(data)).stderr == "midwatch: nothing was found\n"
    assert run("search", " ", "--data", str(data), code=2).stdout == ""


def test_a_parameter_of_another_type_is_named(data):
    ran = run("query", "tokens_by_day", "--param", "days=soon", "--data", str(data), code=2)
    assert "'soon' is no integer, which days must be" in ran.stderr


@pytest.mark.parametrize("how", ["session_id", "native_id", "beginning", "path"])
def test_outline_takes_a_session_by_id_beginning_or_path(archive, data, how):
    log = ClaudeLog("warp")
    path = next(archive.rglob(f"{log.session_id}.jsonl"))
    named = {
        "session_id": f"claude-code:{log.session_id}",
        "native_id": log.session_id,
        "beginning": log.session_id[:9],
        "path": str(path),
    }
    shown = run("outline", named[how], "--data", str(data)).stdout.splitlines()
    assert shown[0] == f"claude-code:{log.session_id}: 4 items"
    assert [line.split()[3 if line.split()[2].isdigit() else 2] for line in shown[1:]] == [
        "user_text", "tool_call", "tool_result", "assistant_text",
    ]  # fmt: skip


def test_outline_at_a_call_shows_what_the_window_held(data):
    log = ClaudeLog("warp")
    told = json.loads(run("outline", log.session_id, "--at", "2", "--json", "--data", str(data)).stdout)
    assert [item["kind"] for item in told["items"]] == ["user_text", "tool_call", "tool_result"]
    assert run("outline", log.session_id, "--at", "9", "--data", str(data), code=2).stdout == ""


def test_an_unknown_session_says_where_they_are_listed(data):
    assert "`midwatch sessions` lists them" in run("outline", "zzz", "--data", str(data), code=2).stderr
    assert "an empty SESSION" in run("outline", "", "--data", str(data), code=2).stderr


def test_export_prints_a_session_in_each_format(data):
    assert json.loads(run("export", "claude-code:", "--data", str(data)).stdout)["schema_version"] == "ATIF-v1.7"
    assert run("export", "claude-code:", "--format", "markdown", "--data", str(data)).stdout.startswith(
        "# Session `claude-code:"
    )
    lines = run("export", "claude-code:", "--format", "jsonl", "--data", str(data)).stdout.splitlines()
    assert {json.loads(line)["kind"] for line in lines} == {"user_text", "tool_call", "tool_result", "assistant_text"}


def test_export_writes_a_file_whole_and_says_so(data, tmp_path):
    file = tmp_path / "loom.json"
    ran = run("export", "codex:", "--output", str(file), "--data", str(data))
    assert (ran.stdout, ran.stderr.startswith("midwatch: wrote codex:")) == ("", True)
    assert json.loads(file.read_bytes())["agent"]["name"] == "codex"
    told = json.loads(run("export", "codex:", "--output", str(file), "--json", "--data", str(data)).stdout)
    assert (told["path"], told["bytes"]) == (str(file), file.stat().st_size)


def test_export_refuses_what_it_cannot_do(data, tmp_path):
    assert (
        "give one of atif, jsonl, markdown" in run("export", "codex:", "--format", "html", "--data", str(data), code=2).stderr
    )
    assert "may be any of 2 sessions" in run("export", "c", "--data", str(data), code=2).stderr
    absent = tmp_path / "absent" / "loom.json"
    assert "a folder that exists" in run("export", "codex:", "--output", str(absent), "--data", str(data), code=2).stderr
    assert not absent.parent.exists()


def test_query_knows_the_views_of_a_newer_program_before_the_next_night(data):
    """The catalog lies in the lake, and was made by the program of then."""
    with duckdb.connect(str(Layout(data).catalog)) as con:
        con.execute("drop macro table growth_of")
        con.execute("update lake.snapshot set definition = 'of then'")
    assert run("query", "select count(*) as n from growth_of('nobody')", "--json", "--data", str(data)).stdout == '[{"n": 0}]\n'


def test_query_answers_a_macro_by_its_name_and_in_a_select(data):
    taken = ["--param", "from_day=2020-01-01", "--param", "to_day=2040-01-01", "--json", "--data", str(data)]
    by_name = run("query", "tokens_by_kind_between", *taken).stdout
    assert json.loads(by_name)
    assert run("query", "from tokens_by_kind_between($from_day, $to_day)", *taken).stdout == by_name


def test_the_list_of_questions_cuts_nothing_and_shows_macros(data):
    told = run("query", "--list", "--data", str(data)).stdout
    assert max(len(line) for line in told.splitlines()) < LISTING_WIDTH
    assert "\ncost_by_kind\n" in told
    assert "\ncontext_of(session, at_request)\n" in told
    whole = " ".join(told.split())
    named = json.loads(run("query", "--list", "--json", "--data", str(data)).stdout)
    assert [row["name"] for row in named if row["question"] not in whole] == []
    assert {row["room"] for row in named} == {"analysis", "macros"}
