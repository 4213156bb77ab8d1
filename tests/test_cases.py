"""Troubles that archives of agents' logs are known for, one folder of `cases` each, run through the real ingest.

    cases/<trouble>/night1/...     the archive on the first night; night2/... replaces it
    cases/<trouble>/expect.json    why; then per night its exit and answers to `questions.py`; then what handoffs say

Whatever the trouble: the archive is never touched, a second run commits nothing, no check finds anything, tokens are what the
encoding gives, and a few files give the same lake one a night in every order.
"""

import itertools
import json
import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from lakes import analyzed, logical_rows, night
from questions import answers

from tasks.handoff import document
from tasks.handoffs.model import Handoff
from tasks.handoffs.render import markdown
from tasks.store import catalog, sql
from tasks.store.layout import Layout
from tasks.tokens.counter import DEFAULT_ENCODING, load
from tasks.tokens.vocabulary import bundled_folder

FOLDER = Path(__file__).parent / "cases"
CASES = sorted(case.name for case in FOLDER.iterdir())
DERIVED = (
    "sessions", "requests", "items", "placements", "compactions",
    "reconciliation", "residency", "cache_misses", "calibrations",
)  # fmt: skip
COUNTED_OTHERWISE = ["tokens_estimated", "secret_redacted"]
CHECKS = [name for name in sql.names("checks") if name.startswith("fail__")]


@cache
def expected(case: str) -> dict[str, Any]:
    return json.loads((FOLDER / case / "expect.json").read_text(encoding="utf-8"))


def nights(case: str) -> list[Path]:
    return sorted(path for path in (FOLDER / case).iterdir() if path.is_dir())


def files(case: str) -> list[str]:
    """Of a case of one night."""
    (only,) = nights(case)
    return sorted(path.relative_to(only).as_posix() for path in only.rglob("*") if path.is_file())


def replace_archive(archive: Path, by: Path) -> None:
    """Another night's archive, its files with the times that those of the same name had the night before."""
    times = {path.relative_to(archive): path.stat().st_mtime_ns for path in archive.rglob("*") if path.is_file()}
    shutil.rmtree(archive, ignore_errors=True)
    shutil.copytree(by, archive)
    for path, time in times.items():
        if (archive / path).exists():
            os.utime(archive / path, ns=(time, time))
    if by.parent.name == "hostile_files":
        set_hostile_places(archive / "projects" / "-srv-orchard")


def set_hostile_places(folder: Path) -> None:
    """What no repository can hold: links that loop, lead nowhere or out, a pipe, and what its owner may not read."""
    (folder / "loop").mkdir()
    (folder / "folder.jsonl").mkdir()
    links = {"loop/back": "..", "self.jsonl": "self.jsonl", "dangling.jsonl": "nowhere.jsonl", "outside.jsonl": __file__}
    for name, target in links.items():
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "pipe.jsonl")
    if os.geteuid() != 0:  # root can read what is locked
        (folder / "locked.jsonl").touch(0)
        (folder / "lockeddir").mkdir(0)


def stamps(archive: Path) -> dict[str, tuple[int, bytes]]:
    """Time and bytes of every file that can be read."""
    found = [path for path in archive.rglob("*") if path.is_file() and not path.is_symlink() and os.access(path, os.R_OK)]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in found}


def wanted(case: str, name: str) -> tuple[str, dict[str, Any]]:
    """Exit and answers of one night."""
    stated = dict(expected(case)[name])
    if "unreadable" in stated and os.geteuid() == 0:
        stated["unreadable"] = [path for path in stated["unreadable"] if not path.startswith("locked")]
    return stated.pop("exit"), stated


@pytest.mark.parametrize("case", CASES)
def test_case(case: str, archive: Path, data: Path) -> None:
    told = expected(case)
    for folder in nights(case):
        replace_archive(archive, folder)
        before = stamps(archive)
        report = night(archive, data)
        exit_class, stated = wanted(case, folder.name)
        assert ("partial" if report.is_partial else "done") == exit_class
        assert stamps(archive) == before
        analyzed(data)
        if folder == nights(case)[-1]:
            assert_nothing_new(archive, data)
        with catalog.connect(Layout(data)) as con:
            assert answers(con, stated) == stated, told["why"]
            if folder == nights(case)[-1]:
                assert_sound(con)
                assert handoffs(con, told.get("handoffs", {})) == told.get("handoffs", {})


def assert_nothing_new(archive: Path, data: Path) -> None:
    """A run over an archive that is known, and an account that stands."""
    analyzed(data)
    before = stamps(archive)
    again = night(archive, data)
    assert (again.is_committed, again.new_rejects, again.changed_sessions) == (False, 0, [])
    assert not analyzed(data).is_committed
    assert stamps(archive) == before


def assert_sound(con: duckdb.DuckDBPyConnection) -> None:
    """What holds of every lake: no check finds anything, and tokens are what the encoding gives for plain text."""
    assert [name for name in CHECKS if sql.run(con, sql.load(f"checks/{name}")).rows] == []
    encode, _ = load(DEFAULT_ENCODING, bundled_folder())
    counted = con.execute("select text, tokens from items where not list_has_any(flags, $1)", [COUNTED_OTHERWISE]).fetchall()
    assert [(text, tokens) for text, tokens in counted if tokens != len(encode(text))] == []


def handoffs(con: duckdb.DuckDBPyConnection, stated: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What the documents say of all that is stated about them."""
    return {native_id: _said(document(con, f"claude-code:{native_id}"), facts) for native_id, facts in stated.items()}


def _said(made: Handoff, stated: dict[str, Any]) -> dict[str, Any]:
    text = markdown(made)
    says = {
        "goal": made.goal and made.goal.text,
        "last_request": made.last_request and made.last_request.text,
        "constraints": [rule.text for rule in made.constraints],
        "lineage": [name.removeprefix("claude-code:") for name in made.lineage],
        "prompts": made.prompts,
        "logs": len(made.logs),
        "plan": len(made.plan),
        "headings": {line: text.splitlines().count(line) for line in stated.get("headings", {})},
        "contains": [words for words in stated.get("contains", []) if words in text],
        "lacks": [words for words in stated.get("lacks", []) if words not in text],
    }
    return {name: says[name] for name in stated}


def orders() -> Iterator[Any]:
    """All orders of cases with two or three files; for every run, the last first where one tells of another."""
    for case in [case for case in CASES if len(nights(case)) == 1 and len(files(case)) in (2, 3)]:
        has_lineage = any(relation for _, _, relation in wanted(case, "night1")[1].get("lineage", []))
        for number, order in enumerate(itertools.permutations(reversed(files(case)))):
            yield pytest.param(case, order, id=f"{case}-{number}", marks=[pytest.mark.slow] * (number > 0 or not has_lineage))


@pytest.mark.parametrize(("case", "order"), list(orders()))
def test_one_file_a_night_in_every_order_is_the_same_lake(
    case: str, order: tuple[str, ...], archive: Path, tmp_path: Path
) -> None:
    (folder,) = nights(case)
    night(folder, tmp_path / "once")
    analyzed(tmp_path / "once")
    for path in order:
        (archive / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(folder / path, archive / path)
        night(archive, tmp_path / "data")
        analyzed(tmp_path / "data")
    assert logical_rows(tmp_path / "data", DERIVED) == logical_rows(tmp_path / "once", DERIVED)
