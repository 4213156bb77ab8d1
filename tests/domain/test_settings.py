"""Where settings come from, and which source wins."""

import ast
import inspect
import itertools
import textwrap
from pathlib import Path
from typing import cast

import pytest
from pydantic import ValidationError

from tasks.domain.errors import UsageError
from tasks.domain.settings import Settings, default_data, read_settings, standard_places, user_data_directory


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of this machine reach a test."""
    monkeypatch.chdir(tmp_path)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "MIDWATCH_CONFIG", "MIDWATCH_WORKERS", "MIDWATCH_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def test_flag_beats_environment_beats_file_beats_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_settings().timezone == "UTC"
    (tmp_path / "midwatch.toml").write_text('timezone = "Europe/Berlin"\nworkers = 2\nraw_generations = 7\n')
    assert (read_settings().timezone, read_settings().workers) == ("Europe/Berlin", 2)
    monkeypatch.setenv("MIDWATCH_TIMEZONE", "Asia/Tokyo")
    monkeypatch.setenv("MIDWATCH_WORKERS", "3")
    assert (read_settings().timezone, read_settings().workers) == ("Asia/Tokyo", 3)
    settings = read_settings(workers=4, timezone=None)
    assert (settings.timezone, settings.workers, settings.raw_generations) == ("Asia/Tokyo", 4, 7)


def test_archives_in_the_environment_are_separated_like_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MIDWATCH_ARCHIVE", "/logs/one:/logs/two")
    assert read_settings().archive == (Path("/logs/one"), Path("/logs/two"))


def test_folders_in_a_file_are_meant_from_its_place(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    config = tmp_path / "etc" / "nights.toml"
    config.write_text('data = "lake-of-mine"\narchive = ["logs", "/absolute"]\n')
    settings = read_settings(config=config)
    assert settings.data == tmp_path / "etc" / "lake-of-mine"
    assert settings.archive == (tmp_path / "etc" / "logs", Path("/absolute"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wrokers = 2", "'wrokers' from midwatch.toml"),
        ("workers = 0", "'workers' from midwatch.toml"),
        ('timezone = "Middle/Earth"', "no IANA time zone"),
        ('data = "lake?"', "question mark in its name"),
        ("workers = ", "cannot be read as TOML"),
    ],
)
def test_a_wrong_value_names_itself_and_its_source(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "midwatch.toml").write_text(text)
    with pytest.raises(UsageError, match=message):
        read_settings()


def test_a_wrong_variable_blames_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MIDWATCH_WORKERS", "many")
    with pytest.raises(UsageError, match="'workers' from the environment"):
        read_settings()


def test_a_settings_file_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such settings file"):
        read_settings(config=tmp_path / "absent.toml")


def test_settings_are_frozen() -> None:
    with pytest.raises(ValidationError):
        read_settings().workers = 5


def test_every_setting_is_described() -> None:
    tree = ast.parse(textwrap.dedent(inspect.getsource(Settings)))
    body = cast(ast.ClassDef, tree.body[0]).body
    undescribed = [
        ast.unparse(field.target)
        for field, after in itertools.pairwise(body)
        if isinstance(field, ast.AnnAssign) and not (isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant))
    ]
    assert undescribed == []


def test_a_checkout_keeps_its_data_in_itself() -> None:
    assert default_data() == Path(__file__).resolve().parents[2] / "data"


def test_user_data_directory_follows_xdg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert user_data_directory() == tmp_path / "xdg"


def test_standard_places_are_those_that_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("home/.claude/projects", "home/.codex/sessions", "one/projects", "two/projects"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{tmp_path / 'one'}, {tmp_path / 'two'},{tmp_path / 'absent'}")
    assert [str(place.relative_to(tmp_path)) for place in standard_places()] == [
        "one/projects",
        "two/projects",
        "home/.claude/projects",
        "home/.codex/sessions",
    ]


def test_codex_home_replaces_the_default_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home/.codex/sessions").mkdir(parents=True)
    (tmp_path / "codex/archived_sessions").mkdir(parents=True)
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    assert standard_places() == (tmp_path / "codex/archived_sessions",)


def test_agents_below_share_have_places_of_their_own_and_a_database_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENCODE_DATA_DIR", "GOOSE_PATH_ROOT", "AMP_DATA_DIR", "HERMES_HOME"):
        monkeypatch.delenv(name, raising=False)
    share = tmp_path / "home/.local/share"
    stated = [share / "opencode/storage", share / "goose/sessions", share / "amp/threads", tmp_path / "home/.hermes/sessions"]
    stated.append(tmp_path / "home/.cursor/projects/srv-clocks/agent-transcripts")
    for folder in (*stated, share / "opencode/snapshot"):
        folder.mkdir(parents=True)
    databases = [share / "opencode" / name for name in ("opencode-dev.db", "opencode.db", "opencode.db-wal")]
    for path in (*databases, share / "opencode/auth.json"):
        path.write_bytes(b"")
    assert standard_places() == (*databases, *stated)


def test_a_variable_moves_an_agents_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = {
        "OPENCODE_DATA_DIR": "storage",
        "GOOSE_PATH_ROOT": "data/sessions",
        "AMP_DATA_DIR": "threads",
        "HERMES_HOME": "sessions",
    }
    for name, below in moved.items():
        (tmp_path / name / below).mkdir(parents=True)
        monkeypatch.setenv(name, str(tmp_path / name))
    assert standard_places() == tuple(tmp_path / name / below for name, below in moved.items())
