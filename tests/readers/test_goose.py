"""Goose: an old file and the database that it was imported into tell the same things; the file's head changes in place."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from builders import START, Answer, Story, Tool, Turn, Used
from readings import head_of, read
from writers.goose import write_database, write_lines

from tasks.readers.goose import Goose

STORY = Story(
    "20260302_090000",
    (
        Turn(
            "Warp.",
            (Answer("Warping.", Used(9, 80, 7, 30), "Count.", (Tool("run", {"n": 1}, "ok"), Tool("run", {"n": 1}, "ok"))),),
        ),
        Turn("Warp.", (Answer("Warping.", Used(5, 99, 0, 12)),)),
    ),
    start=START,
)


def test_a_file_and_the_database_it_was_imported_into_give_the_same_items(tmp_path: Path):
    _, lines = read(write_lines(STORY, tmp_path))
    _, database = read(write_database(STORY, tmp_path))
    found = [[(item.item_id, item.kind, item.text, item.at) for item in reading.items] for reading in (lines, database)]
    assert found[0] == found[1]


def test_sums_of_a_file_and_of_its_session_in_a_database_are_one_call(tmp_path: Path):
    log = write_lines(STORY, tmp_path)
    head, *rest = log.read_text(encoding="utf-8").split("\n")
    sums = {"accumulated_input_tokens": 200, "accumulated_output_tokens": 42}
    log.write_text("\n".join([json.dumps({**json.loads(head), **sums}), *rest]), encoding="utf-8")
    database = write_database(STORY, tmp_path)
    with closing(sqlite3.connect(database)) as con:
        con.execute("drop table usage_ledger")
        con.execute("update sessions set accumulated_input_tokens = 200, accumulated_output_tokens = 42")
        con.commit()
    ids = [[(call.request_id, call.output_tokens) for call in read(one)[1].requests] for one in (log, database)]
    assert ids == [[("goose:20260302_090000/total", 42)]] * 2


def test_a_head_that_was_rewritten_names_the_same_log(tmp_path: Path):
    log = write_lines(STORY, tmp_path)
    before = Goose().identify(head_of(log), log.as_posix())
    head, *rest = log.read_text(encoding="utf-8").split("\n")
    log.write_text("\n".join([json.dumps({**json.loads(head), "total_tokens": 9}), *rest]), encoding="utf-8")
    assert Goose().identify(head_of(log), log.as_posix()) == before == "20260302_090000"
    assert Goose.rewrites_first_record
