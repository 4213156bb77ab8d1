"""Which session somebody means; the question behind it has its cases in tests/sql/find_session."""

from typing import Any

import pytest

from flows.select import choose
from tasks.domain.errors import UsageError


def found(session: str, *, is_exact: bool = False) -> dict[str, Any]:
    return {"session_id": session, "title": "Warp and weft", "started_at": None, "is_exact": is_exact}


def test_the_only_one_is_meant() -> None:
    assert choose("ab", [found("x:abc")]) == "x:abc"


def test_an_exact_id_wins_over_longer_ones() -> None:
    assert choose("abc", [found("x:abc", is_exact=True), found("x:abcd")]) == "x:abc"


def test_a_session_wins_over_its_sub_agents() -> None:
    assert choose("ab", [found("x:abc"), found("x:abc/1"), found("x:abc/2")]) == "x:abc"


def test_several_are_listed() -> None:
    with pytest.raises(UsageError, match=r"(?s)may be any of 2 sessions:.*x:abc +Warp.*x:abd"):
        choose("ab", [found("x:abc"), found("x:abd")])


def test_many_are_cut_short() -> None:
    with pytest.raises(UsageError, match="and 5 more"):
        choose("ab", [found(f"x:ab{n:02}") for n in range(15)])


def test_none_says_how_to_find_one() -> None:
    with pytest.raises(UsageError, match="`midwatch sessions` lists them"):
        choose("zz", [])


def test_an_exact_id_of_two_agents_is_ambiguous() -> None:
    with pytest.raises(UsageError, match="any of 2"):
        choose("abc", [found("x:abc", is_exact=True), found("y:abc", is_exact=True)])
