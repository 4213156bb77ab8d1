"""Every question, check and view has case folders: rows per view, params.json, and the rows that must come out.

tests/sql/<query>/<case>/{<view>.jsonl ..., params.json, expected.jsonl}; a view without a file is empty.
"""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tables import lake, plain

from tasks.store import sql
from tasks.store.schemas import TABLES

ROOMS = ("views", "analysis", "macros", "checks", "exports", "handoffs", "accounts", "compaction", "evaluation")
QUERIES = {stem: f"{room}/{stem}" for room in ROOMS for stem in sql.names(room)}
ANYTHING = {"integer": 1, "double": 0.5, "date": "2026-03-01", "boolean": True}
FOLDER = Path(__file__).parent / "sql"
CASES = sorted(case for query in FOLDER.iterdir() for case in query.iterdir())
MACRO_CASES = [case for case in CASES if case.parent.name in sql.names("macros")]


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_query_answers_its_case(case: Path) -> None:
    given = {path.stem: _rows(path) for path in case.glob("*.jsonl") if path.stem != "expected"}
    params = json.loads((case / "params.json").read_text(encoding="utf-8")) if (case / "params.json").exists() else {}
    answer = sql.run(lake(given), sql.load(QUERIES[case.parent.name]), params)
    assert [{k: plain(v) for k, v in row.items()} for row in answer.dicts()] == _rows(case / "expected.jsonl")


@pytest.mark.parametrize("case", MACRO_CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_macro_answers_its_case_in_a_select(case: Path) -> None:
    given = {path.stem: _rows(path) for path in case.glob("*.jsonl") if path.stem != "expected"}
    params = json.loads((case / "params.json").read_text(encoding="utf-8"))
    con, query = lake(given), sql.load(QUERIES[case.parent.name])
    con.execute(sql.macro(query))
    answer = con.execute(f"from {case.parent.name}({', '.join(f'${p.name}' for p in query.params)})", sql.bind(query, params))
    names = [column[0] for column in answer.description or ()]
    found = [dict(zip(names, map(plain, row), strict=True)) for row in answer.fetchall()]
    assert found == _rows(case / "expected.jsonl")


@pytest.mark.parametrize("name", sql.names("macros"))
def test_no_parameter_of_a_macro_is_a_column_of_a_view(name: str) -> None:
    """Inside a macro its parameter would stand in the place of the column."""
    columns = {column for table in TABLES.values() for column, _ in table.columns} | {
        "first_day",
        "newest_day",
        "state",
        "commit",
    }
    assert {param.name for param in sql.load(f"macros/{name}").params} & columns == set()


@pytest.mark.parametrize("name", QUERIES.values())
def test_query_has_a_case_folder(name: str) -> None:
    stem = name.split("/")[1]
    assert any(case.parent.name == stem for case in CASES), (
        f"sql/{name}.sql has no case: make a folder tests/sql/{stem}/<the fact as a sentence>/ with a <view>.jsonl for each "
        "view that has rows, params.json if the case sets any, and expected.jsonl"
    )


def test_no_case_folder_is_left_of_a_query_that_is_gone() -> None:
    gone = sorted({case.parent.name for case in CASES} - QUERIES.keys())
    assert gone == [], f"no file in sql/ has these names: {gone}; rename or remove their folders in tests/sql"


def test_names_are_told_apart_without_their_folder() -> None:
    """A case folder, `midwatch query NAME` and a macro know a query by its stem alone."""
    stems = [stem for room in ROOMS for stem in sql.names(room)]
    assert len(stems) == len(set(stems))


@pytest.mark.parametrize("name", QUERIES.values())
def test_header_says_question_views_and_grain(name: str) -> None:
    query = sql.load(name)
    assert query.question.endswith((".", "?"))
    assert query.grain
    known = {f"lake.{table}" for table in TABLES} if name.startswith("views/") else set(sql.names("views"))
    assert query.reads
    assert set(query.reads) <= known


@pytest.mark.parametrize("name", QUERIES.values())
def test_query_reads_exactly_what_its_header_says(name: str) -> None:
    query, con = sql.load(name), lake({})
    given = {param.name: ANYTHING.get(param.type, "x") for param in query.params if param.default is None}
    kind, names = ("table", {f"lake.{t}" for t in TABLES}) if name.startswith("views/") else ("view", set(sql.names("views")))
    for relation in names - set(query.reads):
        con.execute(f"drop {kind} {relation}")
    sql.run(con, query, given)
    for relation in query.reads:
        con.execute(f"alter {kind} {relation} rename to hidden")
        with pytest.raises(duckdb.CatalogException, match=relation.removeprefix("lake.")):
            sql.run(con, query, given)
        con.execute(f"alter {kind} {'lake.' if kind == 'table' else ''}hidden rename to {relation.removeprefix('lake.')}")


@pytest.mark.parametrize("name", [n for n in QUERIES.values() if n.startswith("checks/")])
def test_check_finds_nothing_in_an_empty_lake(name: str) -> None:
    assert sql.run(lake({}), sql.load(name)).rows == []
