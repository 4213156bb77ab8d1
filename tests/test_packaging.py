"""What a stranger installs is what was tested, and the repository says nothing about the machine it was written on."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pins
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCK = (ROOT / "requirements.lock").read_text("utf-8")

# Written in pieces, so that this file does not hold what it looks for.
REGISTRIES = ("pypi" + ".org", "python" + "hosted", "npm" + "js", "debian" + ".org", "--index" + "-url", "--find" + "-links")
MACHINE = ("/ro" + "ot/.", "/wo" + "rk/main", "/wo" + "rk/shared", "/tmp" + "/w/", "/opt" + "/wheels", "/opt" + "/pypi")


def tracked_texts() -> dict[str, str]:
    """Name and content of every text file that git tracks; a folder that is no checkout has none."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    texts = {}
    for name in filter(None, listing.split("\0")):
        content = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b"\0"
        if b"\0" not in content[:8000]:
            texts[name] = content.decode("utf-8", "replace")
    return texts


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names of the files in the wheel that `uv` and `pip` build from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        return archive.namelist()


def test_uv_is_held_to_exactly_the_pins_of_the_lock():
    assert PROJECT["tool"]["uv"]["constraint-dependencies"] == pins.locked(LOCK), "run `python tests/pins.py`"


def test_every_direct_dependency_is_locked_within_its_own_bounds():
    locked = {r.name: next(iter(r.specifier)).version for r in map(Requirement, pins.locked(LOCK))}
    wanted = map(Requirement, [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["test"]])
    assert [str(r) for r in wanted if not r.specifier.contains(locked.get(r.name, "0"), prereleases=True)] == []


def test_every_pin_has_hashes():
    blocks = re.split(r"(?m)^(?=[A-Za-z0-9])", LOCK)[1:]
    assert [block.split()[0] for block in blocks if "--hash=sha256:" not in block] == []


def test_the_installed_command_brings_no_test_tools():
    assert PROJECT["tool"]["uv"]["default-groups"] == []


@pytest.mark.parametrize("words", [REGISTRIES, MACHINE], ids=["registries", "machine"])
def test_no_tracked_file_names_a_registry_or_a_place_on_the_machine_it_was_written_on(words: tuple[str, ...]):
    assert [f"{name}: {word}" for name, text in tracked_texts().items() for word in words if word in text] == []


@pytest.mark.parametrize("folder", ["sql", "tasks", "flows"])
def test_the_wheel_carries_every_data_file_of_a_package(wheel: list[str], folder: str):
    there = {p.relative_to(ROOT).as_posix() for p in (ROOT / folder).rglob("*") if p.is_file() and "__pycache__" not in p.parts}
    assert sorted(there - set(wheel)) == []
    assert f"{folder}/py.typed" in wheel


def test_the_wheel_carries_the_samples(wheel: list[str]):
    samples = [p for p in (ROOT / "data" / "samples").rglob("*") if p.is_file()]
    assert samples
    assert sorted(p.name for p in samples) == sorted(Path(name).name for name in wheel if name.startswith("midwatch_samples/"))


def test_the_newest_heading_of_the_changelog_names_the_version():
    heading = re.search(r"(?m)^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert heading is not None
    assert PROJECT["project"]["version"] in heading.group(1)
