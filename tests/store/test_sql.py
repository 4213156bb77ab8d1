import datetime as dt

import pytest
from tables import lake

from tasks.domain.errors import UsageError
from tasks.store import sql


def test_bare_name_is_a_question_of_analysis() -> None:
    assert sql.load("tokens_by_kind") == sql.load("analysis/tokens_by_kind")


def test_header_gives_question_reads_params_and_grain() -> None:
    query = sql.load("tokens_by_tool")
    assert query.question.startswith("Where the content tokens of tools went")
    assert query.reads == ("items", "archive")
    assert query.params == (sql.Param("days", "integer", "null"), sql.Param("top", "integer", "50"))
    assert query.grain == "tool_name x tool_category"


def test_unknown_query_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"no query 'tokens_by_mood'.*tokens_by_kind"):
        sql.load("tokens_by_mood")


def test_path_out_of_the_room_is_no_query() -> None:
    with pytest.raises(UsageError):
        sql.load("../sql/views/items")


def test_unknown_parameter_shows_what_the_query_takes() -> None:
    with pytest.raises(UsageError, match=r"no parameter 'weeks'.*days \(integer, default null\)"):
        sql.bind(sql.load("tokens_by_kind"), {"weeks": 1})


def test_parameter_without_default_must_be_given() -> None:
    with pytest.raises(UsageError, match="'session' is missing"):
        sql.bind(sql.load("context_growth"), {})


def test_text_that_is_no_number_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="days"):
        sql.bind(sql.load("tokens_by_kind"), {"days": "a week"})


@pytest.mark.parametrize("days", ["2147483648", "-2147483649", "9" * 30])
def test_a_number_too_large_for_an_integer_is_a_usage_error(days: str) -> None:
    with pytest.raises(UsageError, match="is no integer, which days must be"):
        sql.bind(sql.load("tokens_by_kind"), {"days": days})


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("integer", "7", 7),
        ("double", "0.5", 0.5),
        ("boolean", "Yes", True),
        ("boolean", "0", False),
        ("date", "2026-02-03", dt.date(2026, 2, 3)),
        ("text", "7", "7"),
        ("text", "null", None),
    ],
)
def test_text_from_a_command_line_becomes_the_type_of_the_header(kind: str, text: str, value: object) -> None:
    query = sql.Query("analysis/x", "", "", (), (sql.Param("p", kind, None),), "")
    assert sql.bind(query, {"p": text}) == {"p": value}


def test_value_is_data_and_never_sql() -> None:
    con = lake({"requests": [{"request_id": "r", "session_id": "' or true --", "request_no": 1}]})
    query = sql.load("context_growth")
    assert len(sql.run(con, query, {"session": "' or true --"}).rows) == 1
    assert sql.run(con, query, {"session": "x' or true --"}).rows == []
