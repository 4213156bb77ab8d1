"""What was demanded of session documents, by number. Details have their tests in test_chain.py and tests/test_migrate.py."""

import json
import re
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tasks.domain.errors import UsageError
from tasks.migrate import Outcome, migrate_files
from tasks.migrations.chain import CURRENT, STEPS, migrate, path_from, version_of
from tasks.store import durable

FOLDER = Path(__file__).parent / "versions"


def frozen(version: int) -> dict[str, Any]:
    return json.loads((FOLDER / f"v{version}.json").read_text("utf-8"))


def test_A50_a_document_of_today_has_the_published_keys():
    document = frozen(5)
    assert {"schema_version", "session_id", "created_at", "messages"} <= document.keys()
    assert {message["role"] for message in document["messages"]} == {"user", "assistant", "tool"}
    assert [message["id"] for message in document["messages"]] == list(range(1, len(document["messages"]) + 1))
    named = [message for message in document["messages"] if "tool_call_id" in message]
    assert {message["role"] for message in named} == {"tool"}
    keys = {item["type"]: set(item) for message in document["messages"] for item in message["items"]}
    assert keys["text"] == {"type", "text"}
    assert keys["tool_call"] == {"type", "id", "name", "args"}
    assert keys["tool_result"] == {"type", "content"}


def test_A51_ids_and_times_have_the_published_form():
    document = frozen(5)
    assert re.fullmatch(r"cc-session-\d{8}-[0-9a-f]{6}", document["session_id"])
    assert document["created_at"].endswith("Z")
    assert datetime.fromisoformat(document["created_at"]).utcoffset() is not None


def test_A52_five_is_current_and_each_older_version_has_one_step_to_the_next():
    assert CURRENT == 5
    assert [step.__name__ for step in STEPS.values()] == ["v1_to_v2", "v2_to_v3", "v3_to_v4", "v4_to_v5"]


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_A53_the_version_is_seen_in_the_document_and_brought_to_todays_by_itself(version: int):
    assert version_of(frozen(version)) == version
    assert migrate(frozen(version))["schema_version"] == 5


@pytest.mark.parametrize("version", [0, 6, -1, "5", 5.0, None], ids=repr)
def test_A54_any_other_version_is_an_unknown_schema_version(version: object):
    for document in ({"schema_version": version, "messages": []}, {"messages": []}):
        with pytest.raises(UsageError, match=r"^unknown schema version"):
            migrate(document)


def test_A55_a_document_of_today_stays_byte_for_byte(tmp_path: Path):
    path = Path(shutil.copy(FOLDER / "v5.json", tmp_path))
    (done,) = migrate_files([path], dry_run=False).files
    assert (done.outcome, path.read_bytes()) == (Outcome.CURRENT, (FOLDER / "v5.json").read_bytes())


def test_A56_the_backup_is_there_before_the_document_is_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = Path(shutil.copy(FOLDER / "v2.json", tmp_path))
    before = path.read_bytes()
    seen: list[bool] = []

    def watch(_: str) -> None:
        backups = [one.read_bytes() for one in tmp_path.glob("*.bak")]
        seen.append(path.read_bytes() == before or before in backups)

    monkeypatch.setattr(durable, "on_step", watch)
    migrate_files([path], dry_run=False)
    assert len(seen) > 2
    assert all(seen)
    assert path.read_bytes() != before


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_A57_migrating_again_changes_nothing_and_all_steps_are_taken_at_once(version: int):
    once = migrate(frozen(version))
    assert migrate(once) == once == frozen(5)
    assert len(path_from(version)) == 5 - version


def test_A58_the_older_versions_are_said_to_be_ours():
    from tasks import migrations

    page = (Path(migrations.__file__).parent / "README.md").read_text("utf-8")
    assert "Versions 1 to 4 as they stand here are ours" in page
    assert all(f"| {version} (ours) |" in page for version in (1, 2, 3, 4))
