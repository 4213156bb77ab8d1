"""OpenClaw: a session in a file and in the agent's database is the same session."""

from pathlib import Path

from builders import Answer, Story, Tool, Turn, Used
from readings import read
from writers.pi import openclaw, openclaw_database

STORY = Story(
    "3c1f",
    (
        Turn("Water the beds.", (Answer("Watering.", Used(9, 80, 7, 30, 4), "Dry.", (Tool("exec", {"n": 1}, "ok" * 2000),)),)),
        Turn("And the pots.", (Answer("Done.", Used(5, 99, 0, 12)),)),
    ),
)


def test_lines_in_a_database_have_the_ids_that_they_have_in_a_file(tmp_path: Path):
    _, from_file = read(openclaw(STORY, tmp_path))
    _, from_rows = read(openclaw_database(STORY, tmp_path))
    for kind in ("items", "requests", "sessions"):
        told, again = (
            [{name: getattr(row, name) for name in row.__slots__ if name not in PLACES} for row in getattr(reading, kind)]
            for reading in (from_file, from_rows)
        )
        assert told == again
    lines = {record.sha256 for record in from_file.records}
    assert lines <= {record.sha256 for record in from_rows.records}, "a row's line is hashed as in the file"


PLACES = ("line_no", "byte_offset", "byte_length", "place")
