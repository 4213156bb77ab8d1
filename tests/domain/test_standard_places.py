"""Each agent's logs are found where it keeps them, or where its variable moves them; what lies beside them is left alone."""

from pathlib import Path

import pytest

from tasks.domain.standard_places import HOMES, Home, standard_places
from tasks.readers import registry


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder without logs."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path / "home"


BASES = {"home": "", "share": ".local/share", "editors": ".config/Code"}


def made(folder: Path, home: Home) -> list[Path]:
    """The logs of an agent below its folder, and what lies beside them."""
    paths = [folder / pattern.replace("*", "x") for pattern in home.logs]
    for path in (*paths, folder / "auth.json"):
        path.mkdir(parents=True, exist_ok=True)
    return paths


@pytest.mark.parametrize("agent", HOMES, ids=lambda home: f"{home.agent} {home.folder}")
def test_logs_are_below_the_usual_folder_or_the_one_that_a_variable_names(
    agent: Home, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = made(home / BASES[agent.base] / agent.folder, agent)
    assert set(standard_places()) == set(usual)
    if agent.variable:
        monkeypatch.setenv(agent.variable, str(tmp_path / "moved"))
        moved = made(tmp_path / "moved", agent)
        assert set(standard_places()) == {*moved, *(usual if agent.agent == "claude-code" else ())}


def test_claude_code_may_be_moved_to_several_folders_beside_the_usual_one(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (home / ".claude/projects", tmp_path / "one/projects", tmp_path / "two/projects"):
        folder.mkdir(parents=True)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{tmp_path / 'one'}, {tmp_path / 'two'},{tmp_path / 'absent'}")
    assert [str(place.relative_to(tmp_path)) for place in standard_places()] == [
        "one/projects",
        "two/projects",
        "home/.claude/projects",
    ]


def test_every_place_is_of_an_agent_that_has_a_reader():
    assert {home.agent for home in HOMES} <= {reader.agent for reader in registry.READERS}
