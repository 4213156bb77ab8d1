"""The arrows of the house: which room may use which. The contracts are in pyproject.toml, one name each."""

import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[1]
CONTRACTS = {
    c["name"]: c for c in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
}
DOORS = {"store", "llm", "repo"}
FOR_EVERY_AGENT = {
    "branches", "contents", "documents", "draft", "folders", "forms", "losses", "names", "pictures", "protocol", "records",
    "registry", "taskevents", "taskfolder", "taskmessages", "taskwords", "texts", "usage", "values",
}  # fmt: skip


def agent_of(module: str) -> str | None:
    """The agent that a module of the readers' room is about: its file's name up to the first underscore."""
    stem = module.removeprefix("tasks.readers.")
    return None if stem in FOR_EVERY_AGENT else stem.split("_")[0]


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    return grimp.build_graph("tasks", cache_dir=None)


def test_every_contract_is_kept():
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"Contracts: {len(CONTRACTS)} kept, 0 broken." in run.stdout


def test_every_room_but_the_doors_is_held_to_be_pure():
    rooms = {p.parent.name for p in (ROOT / "tasks").glob("*/__init__.py")}
    assert sorted(CONTRACTS["pure rooms use no door"]["source_modules"]) == sorted(f"tasks.{room}" for room in rooms - DOORS)


def test_agents_do_not_know_each_other(imports: grimp.ImportGraph):
    readers = imports.find_descendants("tasks.readers")
    known = {(one, other) for one in readers for other in imports.find_modules_directly_imported_by(one) & readers}
    across = [(one, other) for one, other in known if agent_of(other) not in (None, agent_of(one))]
    assert sorted(pair for pair in across if pair[0] != "tasks.readers.registry") == []
