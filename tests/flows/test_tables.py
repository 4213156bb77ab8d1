"""Rows in every format; text of a log stays text in each of them."""

import csv
import io
import json

import pytest

from flows.console import harmless
from flows.tables import FORMATS, entries, render

COLUMNS = ("name", "tokens", "share")
ROWS = [["weave", 1200, 0.5], [None, None, None]]


def test_a_table_aligns_numbers_right_and_groups_thousands() -> None:
    assert render(COLUMNS, ROWS, "table") == (
        "name   tokens  share\n"
        "─────  ──────  ─────\n"
        "weave   1,200    0.5\n"
        "\n"
    )  # fmt: skip


def test_a_table_counts_wide_letters_as_two_columns() -> None:
    assert render(("a", "b"), [["織機", "x"], ["loom!", "y"]], "table").splitlines()[2:] == ["織機   x", "loom!  y"]


def test_a_table_shortens_long_text_and_the_other_formats_do_not() -> None:
    text = "loom " * 100
    assert render(("a",), [[text]], "table", 200).splitlines()[2].endswith("…")
    assert text.strip() in render(("a",), [[text]], "table")
    assert json.loads(render(("a",), [[text]], "json")) == [{"a": text}]


def test_a_table_gives_way_to_a_narrow_terminal_and_the_other_formats_do_not() -> None:
    rows = [["claude-code:7f3a9c", 1200, "a warp of " * 9], ["codex:1", 7, "weft"]]
    shown = render(("session_id", "tokens", "words"), rows, "table", 50).splitlines()
    assert [len(line) for line in shown[1:3]] == [50, 50]
    assert shown[2].startswith("claude-code:7f3a9c   1,200  a warp of")
    assert json.loads(render(("session_id", "tokens", "words"), rows, "json", 50))[0]["words"] == rows[0][2]


def test_a_table_keeps_numbers_whole_however_narrow_the_terminal() -> None:
    shown = render(("words", "tokens"), [["a warp and a weft", 1_234_567]], "table", 5).splitlines()
    assert shown[2] == "a warp and …  1,234,567"


def test_a_table_shows_times_to_the_second_and_the_other_formats_keep_them() -> None:
    at = "2026-03-01T09:00:00.250000"
    assert render(("at",), [[at]], "table").splitlines()[2] == "2026-03-01 09:00:00"
    assert json.loads(render(("at",), [[at]], "json")) == [{"at": at}]


@pytest.mark.parametrize("form", FORMATS)
def test_no_rows_still_name_the_columns_where_the_format_can(form: str) -> None:
    expected = {"json": "[]\n", "jsonl": ""}
    assert render(COLUMNS, [], form).startswith(expected.get(form, ("name", "| name")))


def test_json_and_json_lines_hold_the_same_rows() -> None:
    whole = json.loads(render(COLUMNS, ROWS, "json"))
    assert whole == [json.loads(line) for line in render(COLUMNS, ROWS, "jsonl").splitlines()]
    assert whole[0] == {"name": "weave", "tokens": 1200, "share": 0.5}


def test_csv_reads_back() -> None:
    text = render(("a", "b"), [['say "loom", twice\n', [1, 2]]], "csv")
    assert list(csv.reader(io.StringIO(text))) == [["a", "b"], ['say "loom", twice\n', "[1, 2]"]]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_csv_disarms_text_that_a_spreadsheet_would_run(text: str) -> None:
    assert next(csv.reader(io.StringIO(render(("a",), [[text]], "csv"), newline="").readlines()[1:]))[0].startswith("'")


def test_csv_leaves_negative_numbers_alone() -> None:
    assert render(("a",), [[-1]], "csv") == "a\n-1\n"


def test_markdown_makes_no_picture_link_or_html_of_a_text() -> None:
    line = render(("a",), [["![x](http://loom.example/?q) <img src=x> a|b\nc"]], "markdown").splitlines()[2]
    assert line == "| !\\[x\\](http://loom.example/?q) &lt;img src=x> a\\|b c |"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]8;;http://loom.example\x07", "\\x1b]8;;http://loom.example\\x07"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("lo\u200bom", "lo\\u200bom"),
        ("a\r\nb\tc", "a\\x0d b c"),
        ("\x9b31m", "\\x9b31m"),
        ("\ud800", "\\ud800"),
        ("Webstühle 織機 نول 🧵", "Webstühle 織機 نول 🧵"),
    ],
)
def test_a_terminal_never_gets_controls_from_a_log(text: str, shown: str) -> None:
    assert harmless(text) == shown


def test_entries_wrap_their_texts_below_the_name_and_leave_out_empty_ones() -> None:
    assert entries([("warp", "threads that are held", "tight"), ("weft", "", "the others")], 24) == (
        "warp\n    threads that are\n    held\n    tight\nweft\n    the others\n"
    )
