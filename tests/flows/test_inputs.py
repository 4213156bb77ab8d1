"""What is read and asked when the caller names neither: standard places, then the samples, never the two together."""

from pathlib import Path

import pytest

from flows import inputs
from tasks.domain.errors import UsageError
from tasks.domain.settings import Settings


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder without logs."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data")


def committed(data: Path) -> None:
    (data / "lake").mkdir(parents=True)
    (data / "lake" / "manifest-1.json").touch()


def test_a_named_archive_is_read_as_it_is(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.jsonl").touch()
    named = settings.model_copy(update={"archive": (tmp_path / "logs",)})
    assert inputs.with_archive(named) == (named, "")


def test_an_archive_that_is_not_there_is_bad_usage(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        inputs.with_archive(settings.model_copy(update={"archive": (tmp_path / "absent",)}))


def test_the_standard_places_are_read_and_named(settings: Settings, home: Path) -> None:
    log = home / ".claude" / "projects" / "loom" / "a.jsonl"
    log.parent.mkdir(parents=True)
    log.touch()
    found, note = inputs.with_archive(settings)
    assert found.archive == (home / ".claude" / "projects",)
    assert note == f"reading {home / '.claude' / 'projects'}"


def test_without_logs_and_without_a_lake_the_samples_are_shown_in_a_lake_of_their_own(settings: Settings, home: Path) -> None:
    pytest.importorskip("tasks.store.samples")
    (home / ".codex" / "sessions").mkdir(parents=True)
    found, note = inputs.with_archive(settings)
    assert found.data == settings.data / "demo"
    assert {folder.name for folder in found.archive} >= {"claude-code", "codex"}
    assert "packaged samples" in note


def test_samples_never_enter_a_lake_that_has_something(settings: Settings) -> None:
    committed(settings.data)
    found, note = inputs.with_archive(settings)
    assert found == settings
    assert "no agent logs" in note


def test_questions_go_to_the_lake_then_to_the_samples_one(settings: Settings) -> None:
    with pytest.raises(UsageError, match="there is no lake"):
        inputs.with_lake(settings)
    committed(settings.data / "demo")
    found, note = inputs.with_lake(settings)
    assert (found.data, "samples" in note) == (settings.data / "demo", True)
    committed(settings.data)
    assert inputs.with_lake(settings) == (settings, "")


def test_an_archive_without_a_file_is_asked_about(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "hollow" / "deep").mkdir(parents=True)
    hollow = settings.model_copy(update={"archive": (tmp_path / "hollow",)})
    assert inputs.with_archive(hollow) == (hollow, f"no file in {tmp_path / 'hollow'}: is that the folder of the logs?")
