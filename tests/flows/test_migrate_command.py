"""`midwatch migrate FILE...`: what it says and how it ends."""

import json
import shutil
from pathlib import Path

import pytest
import specimen
from older_lakes import downgraded
from typer.testing import CliRunner

from flows.cli import app

FROZEN = Path(__file__).parents[1] / "migrations" / "versions"


def run(*arguments: str):
    return CliRunner().invoke(app, ["migrate", *arguments], catch_exceptions=False)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return Path(shutil.copy(FROZEN / "v3.json", tmp_path / "old.json"))


def test_a_dry_run_shows_steps_before_and_after(old: Path):
    ran = run(str(old), "--dry-run")
    lines = ran.stdout.splitlines()
    assert ran.exit_code == 0
    assert [line for line in lines if line.startswith("  v")] == [
        "  v3 -> v4: The arguments of a tool call, JSON in a text, become an object, `args`",
        "  v4 -> v5: A tool message holds one result and names its call, and messages are numbered from 1",
    ]
    assert [line[2] for line in lines if line[:2] == "  " and line[3:4] == " "] == ["-"] * 4 + ["+"] * 4
    assert lines[-1] == "1 of 1 documents would be migrated; nothing was written"
    assert json.loads(old.read_text("utf-8"))["schema_version"] == 3


def test_a_migration_names_its_backup(old: Path):
    ran = run(str(old))
    assert ran.exit_code == 0
    (backup,) = old.parent.glob("*.bak")
    assert f"backup {backup}" in ran.stdout
    assert ran.stdout.splitlines()[-1] == "1 of 1 documents migrated"


def test_some_bad_documents_exit_three_and_only_bad_ones_two(old: Path, tmp_path: Path):
    bad = tmp_path / "bad.json"
    bad.write_bytes(b'{"schema_version": null}')
    some = run(str(old), str(bad))
    none = run(str(bad))
    assert (some.exit_code, none.exit_code) == (3, 2)
    assert some.stderr == none.stderr == f"midwatch: {bad}: unknown schema version: null; known are 1 to 5\n"


def test_a_program_is_told_the_same(old: Path):
    ran = run(str(old), "--json")
    (told,) = json.loads(ran.stdout)["files"]
    assert {"path": str(old), "outcome": "migrated", "version": 3, "reason": None}.items() <= told.items()


def test_texts_of_a_document_cannot_steer_the_terminal(old: Path):
    old.write_bytes(b'{"schema_version": 4, "title": "\\u001b[31m", "messages": []}')
    ran = run(str(old), "--dry-run")
    assert "\x1b" not in ran.stdout


def test_the_plan_of_a_lake_lists_steps_files_rows_and_losses(tmp_path: Path):
    data = specimen.data(tmp_path, is_sealed=False)
    downgraded(data)
    ran = run("--lake", "--dry-run", "--data", str(data))
    lines = ran.stdout.splitlines()
    assert lines[0].startswith("0001__sources__add_form: Sources say what form of log they are")
    assert lines[1].startswith("  1 files, ")
    assert [line[:4] for line in lines[2:8]] == ["  - "] * 3 + ["  + "] * 3
    assert ('"form":"lines"' in lines[2], '"form":"lines"' in lines[5]) == (False, True)
    assert lines[8].startswith("0002__records__add_origin: ")
    assert "10 files would be written anew; nothing was written" in lines
    assert any(line.startswith("  claude-code 2.1.30 user: ") and "userType" in line for line in lines)
    told = json.loads(run("--lake", "--dry-run", "--json", "--data", str(data)).stdout)
    tables = (
        "sources", "records", "seen_items", "seen_requests", "seen_compactions", "seen_items", "items", "reconciliation",
        "residency", "cache_misses", "seen_items", "items", "placements",
    )  # fmt: skip
    assert [(step["table"], step["files"]) for step in told["steps"]] == [(table, 1) for table in tables]
    assert {"agent", "version", "type", "fields"} == set(told["losses"][0])


def test_a_lake_is_asked_alike_before_and_after_its_migration(tmp_path: Path):
    data = specimen.data(tmp_path, is_sealed=False)
    downgraded(data)
    question = ("query", "select form, count(*) as n from sources group by form", "--json", "--data", str(data))
    before = CliRunner().invoke(app, question, catch_exceptions=False)
    done = json.loads(run("--lake", "--json", "--data", str(data)).stdout)
    after = CliRunner().invoke(app, question, catch_exceptions=False)
    assert json.loads(before.stdout) == json.loads(after.stdout)
    assert (done["files"], done["commit"]) == (10, 12)
    assert run("--lake", "--data", str(data)).stdout.splitlines()[0] == "every part has the schema of today"


def test_without_a_lake_there_is_nothing_to_migrate(tmp_path: Path):
    ran = run("--lake", "--data", str(tmp_path))
    assert (ran.exit_code, "there is no lake" in ran.stderr) == (2, True)


def test_documents_and_a_lake_are_not_migrated_in_one_go(old: Path):
    ran = run(str(old), "--lake")
    assert (ran.exit_code, "name what to migrate" in ran.stderr) == (2, True)


def test_without_a_document_it_says_what_to_name(tmp_path: Path):
    ran = run()
    assert (ran.exit_code, "name what to migrate" in ran.stderr) == (2, True)
