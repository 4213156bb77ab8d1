"""Families of resumes and forks with members missing: every call and item once, every item placed, in any order of nights."""

import itertools
from pathlib import Path

import pytest
from lakes import ask, logical_rows, night
from logs import ClaudeLog, CodexLog

DERIVED = ("sessions", "requests", "items", "placements", "compactions")


def _codex() -> dict[str, CodexLog]:
    """a, its fork b, b's forks c and d, c's fork e. Calls of their own: a 2, the others 1 each."""
    a = CodexLog("a").prompt("Spin one.").answer("Spun one.").prompt("Spin two.").answer("Spun two.", (120, 60, 9))
    b = a.forked("b").prompt("Card.").answer("Carded.", (130, 60, 9))
    c = b.forked("c").prompt("Comb.").answer("Combed.", (140, 60, 9))
    d = b.forked("d").prompt("Full.").answer("Fulled.", (150, 60, 9))
    e = c.forked("e").prompt("Nap.").answer("Napped.", (160, 60, 9))
    return {"a": a, "b": b, "c": c, "d": d, "e": e}


def _claude() -> dict[str, ClaudeLog]:
    """The same family: resumes, and forks in the middle of their parent."""
    a = ClaudeLog("a").prompt("Spin one.").answer("Spun one.").prompt("Spin two.").answer("Spun two.")
    b = a.resumed("b").prompt("Card.").answer("Carded.")
    c = b.resumed("c").prompt("Comb.").answer("Combed.")
    d = b.resumed("d").prompt("Full.").answer("Fulled.")
    e = c.resumed("e").prompt("Nap.").answer("Napped.")
    return {"a": a, "b": b, "c": c, "d": d, "e": e}


HISTORY = {"a": "a", "b": "ab", "c": "abc", "d": "abd", "e": "abce"}
OWN = {"a": 2, "b": 1, "c": 1, "d": 1, "e": 1}
FAMILIES = {"codex": _codex, "claude": _claude}
SOME = ["abcde", "ac", "cd", "acd", "be", "ade"]
ALL = ["".join(found) for n in range(1, 6) for found in itertools.combinations("abcde", n)]


@pytest.mark.parametrize("agent", FAMILIES)
@pytest.mark.parametrize("present", SOME)
def test_a_family_with_members_missing_is_counted_once(agent: str, present: str, tmp_path: Path) -> None:
    _counted_once(agent, present, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("agent", FAMILIES)
@pytest.mark.parametrize("present", ALL)
def test_every_part_of_a_family_is_counted_once(agent: str, present: str, tmp_path: Path) -> None:
    _counted_once(agent, present, tmp_path)


def _counted_once(agent: str, present: str, tmp_path: Path) -> None:
    family = FAMILIES[agent]()
    for name in present:
        family[name].write(tmp_path / "archive")
    night(tmp_path / "archive", tmp_path / "once")
    for name in reversed(present):
        family[name].write(tmp_path / "grows")
        night(tmp_path / "grows", tmp_path / "nights")

    told = set().union(*(HISTORY[name] for name in present))
    turns = sum(OWN[name] for name in told)
    (found,) = ask(
        tmp_path / "once",
        "select (select count(*) from requests), (select count(*) from items where kind = 'user_text'),"
        " (select count(*) from items), (select count(*) from lake.placements)",
    )
    places = sum(2 * OWN[member] for name in present for member in HISTORY[name])
    assert found == (turns, turns, 2 * turns, places)
    assert logical_rows(tmp_path / "nights", DERIVED) == logical_rows(tmp_path / "once", DERIVED)
