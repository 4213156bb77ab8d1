"""Hermes: a session's document, its lines and its rows in the database tell the same things under the same names."""

from pathlib import Path

from builders import Answer, Story, Tool, Turn, Used
from readings import read
from writers.hermes import write_database, write_document, write_lines

TOOL = Tool("run", {"n": 1}, "ok")
STORY = Story(
    "20260302_a",
    (
        Turn(
            "Warp.",
            (Answer("Warping.", Used(), "Count.", (TOOL, TOOL)), Answer("Done.", Used())),
        ),
    )
    * 2,
)


def test_all_three_forms_give_the_same_items(tmp_path: Path):
    said = [
        [(item.item_id, item.kind, item.text, item.call_id) for item in read(write(STORY, tmp_path))[1].items]
        for write in (write_document, write_lines, write_database)
    ]
    assert said[0] == said[1] == said[2]
    assert len({name for name, *_ in said[0]}) == len(said[0]) == 16
