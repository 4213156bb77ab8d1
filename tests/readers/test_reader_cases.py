"""Each agent's reader, one folder of `cases/<agent>` per rule: what `expected.json` states must hold, row by row.

    cases/<agent>/<rule>/input.jsonl | input.json | input.md | input/     the log, a file or a folder
    cases/<agent>/<rule>/input.sql                                       statements that make the database that is the log
    cases/<agent>/<rule>/expected.json                                   rows of `Reading`, by kind; `agent`, `path`, `identity`

A list names every row of that kind in order, each with the columns that the rule is about; a kind that is not named is free.
"""

import json
from pathlib import Path

import pytest
from readings import KINDS, head_of, log_of, plain, read

FOLDER = Path(__file__).parent / "cases"
PATH = "projects/x/a.jsonl"
OWN_TEST = ("codex",)
CASES = sorted(
    f"{agent.name}/{case.name}" for agent in FOLDER.iterdir() if agent.name not in OWN_TEST for case in agent.iterdir()
)


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, tmp_path: Path):
    case = FOLDER / name
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    log = log_of(case, tmp_path)
    reader, reading = read(log, expected.get("path", PATH))
    assert reader.agent == expected.get("agent", name.split("/", maxsplit=1)[0].replace("_", "-"))
    identity = reader.identify(head_of(log), expected.get("path", PATH))
    assert identity == expected.get("identity", identity)
    for kind in KINDS:
        if kind in expected:
            rows, stated = getattr(reading, kind), expected[kind]
            found = [{name: plain(getattr(row, name)) for name in want} for row, want in zip(rows, stated, strict=False)]
            assert found == stated[: len(found)]
            assert len(rows) == len(stated), f"{kind}: {[plain(getattr(row, 'kind', None)) for row in rows]}"


@pytest.mark.parametrize("name", CASES)
def test_every_id_is_its_own_and_every_link_holds(name: str, tmp_path: Path):
    _, reading = read(log_of(FOLDER / name, tmp_path))
    sessions = {session.session_id for session in reading.sessions}
    items = [(item.session_id, item.item_id) for item in reading.items]
    for ids in (items, [(request.session_id, request.request_id) for request in reading.requests]):
        assert len(set(ids)) == len(ids)
    assert {row.session_id for row in (*reading.items, *reading.requests, *reading.compactions)} <= sessions
    assert {item.request_id for item in reading.items} - {None} <= {request.request_id for request in reading.requests}
