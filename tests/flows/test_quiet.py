"""What Prefect finds in its environment, and how a configured server is found without Prefect."""

import os
from pathlib import Path

import pytest

from flows.quiet import FIXED, hush, prefect_api

PROFILES = """
active = "work"
[profiles.work]
PREFECT_API_URL = "http://127.0.0.1:4200/api"
[profiles.alone]
"""


@pytest.fixture(autouse=True)
def prefect_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [n for n in os.environ if n.startswith("PREFECT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    os.environ["HOME"] = str(tmp_path)
    (tmp_path / ".prefect").mkdir()
    return tmp_path / ".prefect"


def test_no_server_is_configured_by_default() -> None:
    assert prefect_api() is None


def test_the_environment_names_a_server() -> None:
    os.environ["PREFECT_API_URL"] = "http://127.0.0.1:1/api"
    assert prefect_api() == "http://127.0.0.1:1/api"


def test_the_active_profile_names_a_server(prefect_home: Path) -> None:
    (prefect_home / "profiles.toml").write_text(PROFILES)
    assert prefect_api() == "http://127.0.0.1:4200/api"
    os.environ["PREFECT_PROFILE"] = "alone"
    assert prefect_api() is None


def test_a_broken_profile_file_names_none(prefect_home: Path) -> None:
    (prefect_home / "profiles.toml").write_text("active = ")
    assert prefect_api() is None


def test_telemetry_is_off_whatever_the_environment_said(tmp_path: Path) -> None:
    os.environ["DO_NOT_TRACK"] = "0"
    hush(tmp_path / "data")
    assert {name: os.environ[name] for name in FIXED} == FIXED


def test_prefect_lives_in_the_data_folder_for_its_owner_alone(tmp_path: Path) -> None:
    hush(tmp_path / "data")
    home = Path(os.environ["PREFECT_HOME"])
    assert home == tmp_path / "data" / "state" / "prefect"
    assert home.stat().st_mode & 0o777 == 0o700


def test_a_home_of_the_users_own_stays(tmp_path: Path) -> None:
    os.environ["PREFECT_HOME"] = str(tmp_path / "mine")
    hush(tmp_path / "data")
    assert os.environ["PREFECT_HOME"] == str(tmp_path / "mine")


def test_where_a_profile_names_the_server_the_home_stays_the_profiles(tmp_path: Path, prefect_home: Path) -> None:
    (prefect_home / "profiles.toml").write_text(PROFILES)
    hush(tmp_path / "data")
    assert "PREFECT_HOME" not in os.environ


def test_a_run_without_prefect_makes_no_folder_for_it(tmp_path: Path) -> None:
    hush(tmp_path / "data", uses_prefect=False)
    assert not (tmp_path / "data").exists()
