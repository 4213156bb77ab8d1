"""The questions about costs split one bill: whatever they split it by, the parts are the whole."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import duckdb
import pytest
import specimen
from lakes import analyzed, night

from tasks.store import catalog, sql
from tasks.store.layout import Layout

SPLITS = ("cost_by_kind", "cost_by_project", "cost_by_session", "cost_by_model", "cost_by_day")
EVERYTHING = 1_000_000


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """An analyzed lake of the specimen's archive."""
    folder = tmp_path_factory.mktemp("lake")
    specimen.archive(folder / "archive")
    night(folder / "archive", folder / "data")
    analyzed(folder / "data")
    with catalog.connect(Layout(folder / "data")) as found:
        yield found


def told(con: duckdb.DuckDBPyConnection, name: str, **params: Any) -> list[dict[str, Any]]:
    query = sql.load(name)
    top = {"top": EVERYTHING} if any(param.name == "top" for param in query.params) else {}
    return sql.run(con, query, {**top, **params}).dicts()


def bill(con: duckdb.DuckDBPyConnection, session: str | None = None) -> tuple[int, Decimal | None]:
    """(prompt tokens, dollars) of all calls, or of one session's."""
    question = "select coalesce(sum(prompt_tokens), 0)::bigint, sum(cost_usd) from requests where $s is null or session_id = $s"
    found = con.execute(question, {"s": session}).fetchone()
    assert found
    return found


def summed(rows: list[dict[str, Any]]) -> tuple[int, Decimal | None]:
    tokens = sum(row.get("prompt_tokens", row.get("token_requests")) or 0 for row in rows)
    money = [row["cost_usd"] for row in rows if row["cost_usd"] is not None]
    return tokens, sum(money, Decimal()) if money else None


def has_money(con: duckdb.DuckDBPyConnection) -> bool:
    return con.execute("select count(cost_explained_usd) from reconciliation").fetchone() != (0,)


@pytest.mark.parametrize("name", SPLITS)
def test_the_parts_are_the_prompts_of_all_calls(con: duckdb.DuckDBPyConnection, name: str):
    assert summed(told(con, name))[0] == bill(con)[0] > 0


@pytest.mark.parametrize("name", SPLITS)
def test_the_parts_are_the_dollars_of_all_calls(con: duckdb.DuckDBPyConnection, name: str):
    if name == "cost_by_kind" and not has_money(con):
        pytest.skip("this account splits no dollars")
    assert summed(told(con, name))[1] == bill(con)[1] is not None


def test_the_parts_of_each_session_are_its_own_prompts(con: duckdb.DuckDBPyConnection):
    sessions = [row["session_id"] for row in told(con, "cost_by_session")]
    assert len(sessions) > 3
    for session in sessions:
        whole = bill(con, session)
        parts, of_macro = told(con, "cost_by_kind", session=session), told(con, "cost_of_session", session=session)
        assert summed(parts)[0] == summed(of_macro)[0] == whole[0], session
        if has_money(con):
            assert summed(parts)[1] == summed(of_macro)[1] == whole[1], session


def test_the_window_at_every_call_is_its_whole_prompt(con: duckdb.DuckDBPyConnection):
    calls = con.execute("select session_id, request_no, prompt_tokens from reconciliation order by all").fetchall()
    assert len(calls) > 3
    for session, number, prompt in calls:
        window = told(con, "context_of", session=session, at_request=number)
        assert sum(row["tokens"] for row in window) == prompt, (session, number)


def test_kinds_at_every_call_are_its_whole_prompt(con: duckdb.DuckDBPyConnection):
    for (session,) in con.execute("select distinct session_id from reconciliation order by 1").fetchall():
        by_call: dict[int, int] = {}
        for row in told(con, "context_by_kind", session=session):
            by_call[row["request_no"]] = by_call.get(row["request_no"], 0) + row["tokens"]
        asked = con.execute("select request_no, prompt_tokens from reconciliation where session_id = $1", [session]).fetchall()
        assert by_call == dict(asked), session
