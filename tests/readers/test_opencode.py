"""OpenCode: the same session through any form has the same ids, and left-over trees, forks and sub-agents are counted once."""

import json
import os
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from builders import START, Answer, Story, Tool, Turn, Used
from readings import head_of, plain, read
from tables import on_disk
from writers.opencode import WRITERS, write_database, write_next

from tasks.domain.seen import Reading
from tasks.readers.opencode import OpenCode
from tasks.resolve import resolve
from tasks.store import manifest
from tasks.store.layout import Layout
from tasks.store.schemas import TABLES

CASE = Path(os.environ.get("MIDWATCH_SHARED", Path(__file__).parents[2].parent / "shared"), "cases/37-opencode-json-and-sqlite")
LOGS = ("opencode/opencode.db", "opencode/storage")
BUCKETS = ("input_uncached_tokens", "output_tokens", "reasoning_tokens", "cache_read_tokens", "cache_write_tokens")
Rows = dict[str, list[dict[str, Any]]]

STORY = Story(
    "ses_weft",
    (
        Turn("Warp the loom.", (Answer("I warp it.", Used(9, 80, 7, 30, 4), "Count first.", (Tool("bash", {"n": 1}, "ok"),)),)),
        Turn("Weave on.", (Answer("Woven.", Used(5, 99, 0, 12)),)),
    ),
    start=START,
)


def told(readings: Iterable[Reading]) -> Rows:
    """Rows of the lake as the readings tell them, a source for each."""
    rows: Rows = defaultdict(list)
    for number, reading in enumerate(readings):
        for table in ("sessions", "requests", "items", "compactions"):
            columns = {name for name, _ in TABLES[f"seen_{table}"].columns}
            for ordinal, row in enumerate(getattr(reading, table)):
                values = {one.name: plain(getattr(row, one.name)) for one in fields(row) if one.name in columns}
                values |= {"source_id": f"log {number}", "generation": 0}
                if table == "sessions":
                    values["first_at"] = next((plain(i.at) for i in reading.items if i.session_id == row.session_id), None)
                else:
                    values["ordinal"] = ordinal
                if table == "items":
                    values |= {"chars": len(row.text), "tokens": 1}
                rows[f"seen_{table}"].append(values)
    return rows


def resolved(folder: Path, readings: Iterable[Reading]) -> Rows:
    """The session tables that a night makes of these logs."""
    layout = Layout(folder)
    on_disk(layout, told(readings))
    rows: Rows = defaultdict(list)
    for part in resolve(layout, manifest.latest(layout), None, timezone="UTC", commit=2, threads=1).parts:
        rows[part.table] += pq.read_table(manifest.path_of(layout, part)).to_pylist()
    return rows


def fork(original: dict[str, Any], name: str, *, messages: int, second: int, own: str = "") -> dict[str, Any]:
    """An export of a fork: the first messages of another session under new ids, with their times, and some of its own."""
    made = json.loads(json.dumps(original))
    born = original["messages"][0]["info"]["time"]["created"] + second * 1000
    made["info"] |= {"id": name, "title": f"{name} (fork #1)", "time": {"created": born}}
    made["messages"] = made["messages"][:messages]
    for number, part in enumerate((("user", {}), ("assistant", {"tokens": {"input": second, "output": 7}})) if own else ()):
        info = {"role": part[0], "time": {"created": born + number * 1000}, **part[1]}
        made["messages"].append({"info": info, "parts": [{"type": "text", "text": own}]})
    for number, message in enumerate(made["messages"]):
        message["info"] |= {"id": f"msg_{name}_{number}", "sessionID": name}
        for place, one in enumerate(message["parts"]):
            one |= {"id": f"prt_{name}_{number}_{place:02}", "messageID": message["info"]["id"], "sessionID": name}
    return made


def family(folder: Path) -> dict[str, Path]:
    """a of two turns; its fork b behind the first turn, whose fork c; and d, a fork of a that stopped there."""
    a = json.loads(WRITERS[1].write(STORY, folder).read_text(encoding="utf-8"))
    b = fork(a, "ses_b", messages=2, second=500, own="Card.")
    told = {
        "a": a,
        "b": b,
        "c": fork(b, "ses_c", messages=4, second=900, own="Comb."),
        "d": fork(a, "ses_d", messages=2, second=950),
    }
    for name, document in told.items():
        (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    return {name: folder / f"{name}.json" for name in told}


def case(folder: Path, logs: Iterable[str]) -> list[Reading]:
    if not CASE.is_dir():
        pytest.skip("the shared cases are not here")
    shutil.copytree(CASE / "input", folder / "input", copy_function=shutil.copyfile)
    for path in (folder / "input").rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return [read(folder / "input" / log)[1] for log in logs]


@pytest.fixture(params=[LOGS, LOGS[::-1]], ids=["database first", "tree first"])
def rows(request: pytest.FixtureRequest, tmp_path: Path) -> Rows:
    """Case 37: a database and a tree that is left over beside it; in the lake their order is that of their names."""
    return resolved(tmp_path / "lake", case(tmp_path, request.param))


def test_every_form_gives_a_session_the_same_ids_and_words(tmp_path: Path):
    found = []
    for number, writer in enumerate(WRITERS):
        folder = tmp_path / str(number)
        folder.mkdir()
        _, reading = read(writer.write(STORY, folder))
        found.append(
            (
                [(item.item_id, item.kind, item.text, item.at, item.request_id, item.content_key) for item in reading.items],
                [(call.request_id, call.at, call.call_key, call.output_tokens) for call in reading.requests],
                [(one.session_id, one.title, one.cwd, one.started_at, one.ended_at, one.ending) for one in reading.sessions],
            )
        )
    assert found[0] == found[1] == found[2]


def test_every_form_tells_the_same_order_of_calls_and_items(tmp_path: Path):
    found = []
    for number, writer in enumerate(WRITERS):
        (tmp_path / str(number)).mkdir()
        _, reading = read(writer.write(STORY, tmp_path / str(number)))
        rows = resolved(tmp_path / f"lake {number}", [reading])
        places = sorted(rows["placements"], key=lambda row: row["position"])
        found.append([(row["item_id"], row["turn"], row["request_no"]) for row in places])
    assert found[0] == found[1] == found[2]
    assert [(turn, request_no) for _, turn, request_no in found[0]] == [(1, 1), (1, 1), (1, 1), (1, 1), (1, 2), (2, 2), (2, 2)]


@pytest.mark.parametrize("present", ["a", "d", "ab", "ac", "ad", "bc", "bd", "cd", "bcd", "abcd"])
def test_a_family_of_forks_with_members_missing_is_counted_once(present: str, tmp_path: Path):
    logs = family(tmp_path)
    rows = resolved(tmp_path / "lake", [read(logs[name])[1] for name in present])
    turns = set().union(*({"a": "12", "b": "13", "c": "134", "d": "1"}[name] for name in present))
    assert len(rows["requests"]) == len(turns)
    assert sum(row["kind"] == "user_text" for row in rows["items"]) == len(turns)
    assert all(row["at"] is not None for row in (*rows["items"], *rows["requests"]))
    parents = {
        row["session_id"]: row["parent_session_id"] for row in rows["sessions"] if row["session_id"] != "opencode:ses_weft"
    }
    if "a" in present:
        assert parents.get("opencode:ses_d", "opencode:ses_weft") == "opencode:ses_weft"
    assert {row["relation"] for row in rows["sessions"] if row["session_id"] in parents} <= {"fork"}


@pytest.mark.parametrize(
    ("path", "root"),
    [
        ("/srv/opencode/storage/session/p/ses_1.json", "/srv/opencode/storage"),
        ("/srv/opencode/storage/message/ses_1/msg_1.json", "/srv/opencode/storage"),
        ("/srv/opencode/storage/part/msg_1/prt_1.json", "/srv/opencode/storage"),
        ("/srv/old/part/prt_1.json", "/srv/old"),
        ("/srv/logs/session/2026/meta.json", None),
        ("/srv/opencode/storage/session/p/ses_1.jsonl", None),
        ("/srv/opencode/storage/session_diff/ses_1.json", None),
        ("/srv/opencode/storage/migration", None),
        ("/srv/session/notes/readme.md", None),
    ],
)
def test_folder_of_a_tree_is_the_one_above_sessions_messages_and_parts(path: str, root: str | None):
    match = OpenCode.folder.match(path)
    assert (match["root"] if match else None) == root


def test_tree_and_database_and_export_are_logs_of_their_own(tmp_path: Path):
    """Their ids differ though they tell of the same session: none of them is a copy of another."""
    names = set()
    for number, writer in enumerate(WRITERS):
        (tmp_path / str(number)).mkdir()
        log = writer.write(STORY, tmp_path / str(number))
        reader, _ = read(log)
        names.add(reader.identify(head_of(log), log.as_posix()))
    assert len(names) == len(WRITERS)


@pytest.mark.parametrize("parent", [write_next, write_database], ids=["version 2", "copied from version 1"])
def test_a_fork_of_version_2_is_paid_once(parent: Callable[[Story, Path], Path], tmp_path: Path):
    """It copies rows as they are under new ids and names its parent."""
    (tmp_path / "copied").mkdir()
    log = parent(STORY, tmp_path)
    with closing(sqlite3.connect(log)) as con:
        if parent is write_database:
            con.execute("attach ? as made", (str(write_next(STORY, tmp_path / "copied")),))
            for table in ("session_v2", "session_message"):
                con.execute(f"create table {table} as select * from made.{table}")
        con.execute(
            "insert into session_v2 select 'ses_fork', project_id, null, id, directory, title, version, time_created + 90000"
            " from session_v2"
        )
        con.execute(
            "insert into session_message select 'msg_fork_' || seq, 'ses_fork', type, seq, time_created, 0, data"
            " from session_message"
        )
        own = json.dumps({"text": "Comb it.", "time": {"created": 1772535600000}})
        con.execute("insert into session_message values ('msg_own', 'ses_fork', 'user', 99, 1772535600000, 0, ?)", (own,))
        con.commit()
    rows = resolved(tmp_path / "lake", [read(log)[1]])
    assert sorted(row["session_id"] for row in rows["requests"]) == ["opencode:ses_weft"] * 2
    assert [row["item_id"] for row in rows["items"] if row["session_id"] == "opencode:ses_fork"] == [
        "opencode:ses_fork/msg_own.0:0"
    ]


def test_case_37_has_three_sessions_and_four_calls(rows: Rows):
    assert sorted(row["session_id"] for row in rows["sessions"]) == [
        f"opencode:ses_{name}" for name in ("child", "demo1", "fork")
    ]
    calls = {row["request_id"]: row["session_id"].removeprefix("opencode:ses_") for row in rows["requests"]}
    assert {name.rsplit("_", 1)[1]: home for name, home in calls.items()} == {
        "a1": "demo1",
        "a2": "demo1",
        "a3": "fork",
        "c1": "child",
    }


def test_case_37_has_the_stated_numbers(rows: Rows):
    stated = json.loads((CASE / "expect.json").read_text(encoding="utf-8"))
    sums = {name: sum(row[name] for row in rows["requests"]) for name in BUCKETS}
    assert sums["input_uncached_tokens"] == stated["input"]
    assert sums["output_tokens"] == stated["output"] + stated["reasoning"]
    assert sums["reasoning_tokens"] == stated["reasoning"]
    assert (sums["cache_read_tokens"], sums["cache_write_tokens"]) == (stated["cache_read"], stated["cache_write"])
    assert sum(sums.values()) - sums["reasoning_tokens"] == stated["total"]
    assert (len(rows["sessions"]), len(rows["requests"])) == (stated["sessions"], stated["api_calls"])


def test_case_37_counts_nothing_of_the_tree_that_the_database_has(tmp_path: Path):
    both, alone = (
        resolved(tmp_path / "both", case(tmp_path / "a", LOGS)),
        resolved(tmp_path / "one", case(tmp_path / "b", LOGS[:1])),
    )
    for table in ("requests", "items", "placements", "sessions"):
        ids = [{name: row[name] for name in row if name.endswith("_id") and name != "source_id"} for row in both[table]]
        assert ids == [
            {name: row[name] for name in row if name.endswith("_id") and name != "source_id"} for row in alone[table]
        ]


def test_case_37_knows_the_tree_where_there_is_no_database(tmp_path: Path):
    rows = resolved(tmp_path / "lake", case(tmp_path, LOGS[1:]))
    assert [row["request_id"] for row in rows["requests"]] == ["opencode:ses_demo1/msg_a1"]


def test_case_37_finds_the_copies_of_the_fork_and_whose_it_is(rows: Rows):
    fork = next(row for row in rows["sessions"] if row["session_id"] == "opencode:ses_fork")
    assert (fork["parent_session_id"], fork["relation"], fork["flags"]) == ("opencode:ses_demo1", "fork", [])
    inherited = [row["item_id"] for row in rows["placements"] if row["session_id"] == "opencode:ses_fork" and row["inherited"]]
    assert sorted(inherited) == ["opencode:ses_demo1/prt_msg_a1:0", "opencode:ses_demo1/prt_msg_u1:0"]
    texts = sorted(row["text"] for row in rows["items"])
    assert texts == sorted(
        ["Set type.", "Type set.", "Lock the forme.", "Locked.", "Use a serif.", "Serif used.", "Helper says hi."]
    )


def test_case_37_child_is_a_subagent(rows: Rows):
    child = next(row for row in rows["sessions"] if row["session_id"] == "opencode:ses_child")
    assert (child["parent_session_id"], child["relation"]) == ("opencode:ses_demo1", "subagent")
