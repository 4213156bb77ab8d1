"""The evaluation as a step of the night: written for what changed, newest first, as far as there is time."""

import time
from pathlib import Path
from typing import Any

import pytest
from lakes import ask, logical_rows, night
from logs import ClaudeLog
from looms import LONG, loom

from tasks import evaluate, try_policies
from tasks.check import check
from tasks.compaction.registry import POLICIES
from tasks.compaction.tier1 import Tier1
from tasks.domain.errors import UsageError
from tasks.domain.ports import InProcess, Silent
from tasks.domain.settings import Settings
from tasks.load_policy import default_policies, policy_of
from tasks.store.schemas import EVALUATIONS
from tasks.try_policies import try_out


def evaluated(data: Path, minutes: float | None = None, **more: Any) -> evaluate.EvaluateReport:
    return evaluate.evaluate(Settings(data=data, workers=1, **more), InProcess(), Silent(), minutes)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A night over a large session and a small one."""
    loom("large").write(tmp_path / "archive")
    ClaudeLog("small").prompt("Card.").answer("Carded.").write(tmp_path / "archive")
    night(tmp_path / "archive", tmp_path / "data")
    return tmp_path


def test_large_sessions_are_evaluated_and_the_rows_hold_together(lake: Path):
    report = evaluated(lake / "data")
    assert (report.is_committed, report.sessions, report.left) == (True, 1, 0)
    found = ask(lake / "data", "select distinct policy from evaluations where beside is null order by 1")
    assert {name for (name,) in found} == {*default_policies(), "oldest", "random", "random_chunks", "oracle"}
    assert "fail__regret_beyond_uses" not in check(Settings(data=lake / "data")).broken
    # Both edits name a knot that an old read shows, and give a line of it; the third is the path of the file.
    (needed,) = ask(lake / "data", "select distinct uses, line_uses, constraints from evaluations where at_tokens = 20000")
    assert needed == (3, 2, 1)


def test_every_column_is_filled_by_somebody(lake: Path):
    """But the faults, which no policy of ours has; and the plan comes too late to be in the context of the first point."""
    evaluated(lake / "data")
    names = [name for name, _ in EVALUATIONS.columns]
    counts = ", ".join("count(*) filter (len(faults) > 0)" if name == "faults" else f'count("{name}")' for name in names)
    (filled,) = ask(lake / "data", f"select {counts} from lake.evaluations")
    assert {name for name, count in zip(names, filled, strict=True) if not count} == {"faults", "plan_fidelity"}


def test_with_nothing_new_there_is_no_commit(lake: Path):
    first = evaluated(lake / "data")
    again = evaluated(lake / "data")
    assert (again.is_committed, again.commit, again.sessions, again.current) == (False, first.commit, 0, 1)


def test_only_changed_sessions_are_evaluated_again(lake: Path):
    evaluated(lake / "data")
    loom("later").write(lake / "archive")
    night(lake / "archive", lake / "data")
    assert (evaluated(lake / "data").sessions, evaluated(lake / "data").current) == (1, 2)
    loom("large").call("Read", {"file_path": "x"}, "more").write(lake / "archive")
    night(lake / "archive", lake / "data")
    assert evaluated(lake / "data").sessions == 1
    assert ask(lake / "data", "select count(distinct session_id) from evaluations") == [(2,)]


def test_a_session_without_a_point_is_not_looked_at_every_night(lake: Path):
    loom("short", reads=3).prompt(LONG * 12).write(lake / "archive")
    night(lake / "archive", lake / "data")
    assert evaluated(lake / "data").sessions == 2
    assert evaluated(lake / "data").current == 2
    assert ask(lake / "data", "select count(distinct session_id) from evaluations") == [(1,)]


def test_a_policy_of_another_version_is_evaluated_anew(lake: Path, monkeypatch: pytest.MonkeyPatch):
    evaluated(lake / "data")
    monkeypatch.setattr(Tier1, "version", Tier1.version + 1)
    assert evaluated(lake / "data").sessions == 1
    found = ask(lake / "data", "select distinct policy_version from evaluations where policy = 'tier1'")
    assert found == [(Tier1.version,)]


def test_without_time_everything_is_left_and_said(lake: Path):
    report = evaluated(lake / "data", minutes=0)
    assert (report.is_committed, report.sessions, report.left) == (False, 0, 1)


def test_the_newest_session_comes_first(lake: Path, monkeypatch: pytest.MonkeyPatch):
    """The clock stands at the limit once one session is done."""
    loom("newer", start=ClaudeLog("x").start.replace(day=9)).write(lake / "archive")
    night(lake / "archive", lake / "data")
    tries, replay = [], try_policies.replay

    def slow(recorded: Any, asked: Any) -> list[dict[str, Any]]:
        tries.append(recorded.session_id)
        monkeypatch.setattr(time, "time", lambda: 10.0**12)
        return replay(recorded, asked)

    monkeypatch.setattr(try_policies, "replay", slow)
    report = evaluated(lake / "data", minutes=5)
    assert tries == [f"claude-code:{ClaudeLog('newer').session_id}"]
    assert (report.sessions, report.left) == (1, 1)


def test_any_order_of_nights_gives_the_same_rows(lake: Path, tmp_path: Path):
    evaluated(lake / "data")
    loom("later").write(lake / "archive")
    night(lake / "archive", lake / "data")
    evaluated(lake / "data")
    night(lake / "archive", tmp_path / "other")
    evaluated(tmp_path / "other")
    assert logical_rows(lake / "data", ("evaluations",)) == logical_rows(tmp_path / "other", ("evaluations",))


OWN = '''
from tasks.compaction.plan import Budget, Change, CompactionPlan, Context, Disposition
from tasks.compaction.policy import Policy


class Half(Policy):
    """Every second result goes."""

    name = "half"

    def plan(self, context: Context, budget: Budget) -> CompactionPlan:
        results = [at for at, item in enumerate(context.items) if item.kind == "tool_result"]
        return self.decided(changes=tuple(Change(at, Disposition.PLACEHOLDER, "[gone]", "half") for at in results[::2]))
'''


def test_a_policy_of_a_file_is_tried_and_nothing_is_kept(lake: Path):
    file = lake / "half.py"
    file.write_text(OWN)
    rows = try_out(Settings(data=lake / "data"), InProcess(), Silent(), policies=[str(file)])
    mine = [row for row in rows if row["policy"] == "half"]
    assert mine
    assert all(row["atom_regret"] == 1.0 for row in mine), "of two knots the first read shows one, and the second the other"
    assert ask(lake / "data", "select count(*) from evaluations") == [(0,)]


def test_what_goes_wrong_in_a_policy_of_a_file_is_told_as_its_own(lake: Path):
    file = lake / "half.py"
    file.write_text(OWN.replace("results[::2]", "nowhere"))
    with pytest.raises(UsageError, match=r"half.py: NameError: .*nowhere.*, at claude-code:"):
        try_out(Settings(data=lake / "data"), InProcess(), Silent(), policies=[str(file)])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "no such file"), ("x = 1", "0 policies"), (OWN + OWN.replace("Half", "Other"), "2 policies"),
        ("import nothing_like_it", "ModuleNotFoundError"),
    ],
)  # fmt: skip
def test_a_file_that_holds_no_policy_is_told(tmp_path: Path, text: str | None, said: str):
    file = tmp_path / "own.py"
    if text is not None:
        file.write_text(text)
    with pytest.raises(UsageError, match=said):
        policy_of(str(file))


def test_an_unknown_name_is_told_with_those_there_are():
    with pytest.raises(UsageError, match=f"give one of {next(iter(POLICIES))}"):
        policy_of("nobody")
