"""CONTRIBUTING's worked example is followed literally: its file, its row and its case, and the case holds."""

import json
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from lakes import ask, night
from readings import KINDS, plain, read

from tasks.readers import registry

ROOT = Path(__file__).resolve().parents[1]
SECTION = re.search(r"## Add a reader\n(.*?)\n## ", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.DOTALL)
LOG, CODE, ROW, EXPECTED, *_ = re.findall(r"```\w+\n(.*?)```", SECTION[1] if SECTION else "", re.DOTALL)


@pytest.fixture(autouse=True)
def _reed_is_an_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "code" / "reed.py"
    path.parent.mkdir()
    path.write_text(CODE, encoding="utf-8")
    spec = spec_from_file_location("tasks.readers.reed", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    row = eval(ROW.strip().rstrip(","), vars(module))
    monkeypatch.setattr(registry, "READERS", (*registry.READERS, row))


def test_the_case_holds(tmp_path: Path):
    (tmp_path / "input.jsonl").write_text(LOG, encoding="utf-8")
    _, reading = read(tmp_path / "input.jsonl")
    expected: dict[str, Any] = json.loads(EXPECTED)
    for kind in expected.keys() & set(KINDS):
        found = getattr(reading, kind)
        assert [
            {name: plain(getattr(row, name)) for name in want} for row, want in zip(found, expected[kind], strict=True)
        ] == (expected[kind])


def test_a_night_takes_the_new_agent_in(tmp_path: Path):
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "r-17.jsonl").write_text(LOG, encoding="utf-8")
    assert night(tmp_path / "archive", tmp_path / "data").requests == 1
    question = "select agent, prompt_tokens from requests inner join sessions using (session_id)"
    assert ask(tmp_path / "data", question) == [("reed", 120)]


def test_the_code_is_in_the_style_of_the_house(tmp_path: Path):
    path = tmp_path / "reed.py"
    path.write_text(CODE, encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml"), str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
