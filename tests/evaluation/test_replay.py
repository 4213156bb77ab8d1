"""A session replayed: exact losses of planted facts, nothing known too early, the same rows every time."""

from typing import Any

import pytest
from contexts import Talk
from replays import LARGE, Removes, recorded, wove

from tasks.compaction.plan import Budget, CompactionPlan, Context
from tasks.compaction.policy import Policy
from tasks.compaction.tier1 import Tier1
from tasks.evaluation.replay import Asked, Row, replay

READS = 19
FACTS = {
    "path": "yarns/madder/red.toml", "name": "warpTensionLimit", "snake": "warp_tension_limit", "env": "LOOM_KEEPER_KEY",
    "hash": "3f9ac71d02", "url": "https://looms.test/madder", "error": "WarpError: the shed is tangled", "line": "",
}  # fmt: skip
LINE = "    return madder + weld * woad"


def planted(depth: int, fact: str) -> Talk:
    """19 reads of 1,100 tokens, one of which shows a fact that is used thirty calls later, once."""
    talk = Talk().user("Weave the border.")
    for number in range(READS):
        told = f"\n{FACTS[fact] or LINE}\n" if number == depth else ""
        talk.call("Read", LARGE + told, file_path="x")
    wove(talk, 30)
    if fact == "line":
        talk.call("Edit", "ok", file_path="x", old_string=LINE, new_string="    return madder")
    else:
        talk.say(f"Now {FACTS[fact]} it is.")
    return wove(talk, 2)


def rows_of(talk: Talk, *policies: Policy, **asked: Any) -> list[Row]:
    return replay(recorded(talk), Asked(policies or (Nothing(),), **asked))


class Nothing(Policy):
    """Keeps all."""

    name = "nothing"

    def plan(self, context: Context, budget: Budget) -> CompactionPlan:
        return self.decided()


def regret(rows: list[Row], policy: str, budget: float, fact: str) -> float:
    column, needed = ("line_regret", "line_uses") if fact == "line" else ("atom_regret", "uses")
    (row,) = (row for row in rows if (row["policy"], row["budget"]) == (policy, budget))
    return float(row[column] / row[needed])


@pytest.mark.parametrize("fact", FACTS)
@pytest.mark.parametrize(("depth", "lost"), [(0, (1, 1, 1)), (9, (0, 1, 1)), (17, (0, 0, 0))], ids=("5%", "50%", "95%"))
def test_F5_oldest_first_loses_a_planted_fact_where_its_depth_is_evicted(depth: int, lost: tuple[int, ...], fact: str):
    """Each read frees 1,088: eight go at 40 % of 20,920, twelve at 60 %, sixteen at 80 %."""
    rows = rows_of(planted(depth, fact))
    assert [regret(rows, "oldest", share, fact) for share in (0.4, 0.6, 0.8)] == [float(one) for one in lost]
    assert [regret(rows, "oracle", share, fact) for share in (0.4, 0.6, 0.8)] == [0.0, 0.0, 0.0]
    assert 0 < regret(rows, "random", 0.6, fact) < 1


def test_keeping_all_loses_nothing_and_has_no_controls_beside_it():
    rows = rows_of(planted(3, "path"))
    (row,) = (row for row in rows if row["policy"] == "nothing")
    assert (row["acts"], row["atom_regret"], row["line_regret"], row["constraint_survival"]) == (False, 0.0, 0.0, None)
    assert not [row for row in rows if row["beside"] == "nothing"]


def test_controls_free_as_much_as_the_policy_beside_which_they_stand():
    rows = rows_of(planted(3, "path"), Removes(2, 4, leaves="[gone]"))
    (mine,) = (row for row in rows if row["policy"] == "removes")
    beside = [row for row in rows if row["beside"] == "removes"]
    assert mine["tokens_before"] - mine["tokens_after"] == 2 * 1_099
    assert [row["policy"] for row in beside] == ["oldest", "random", "random_chunks", "oracle"]
    assert {row["tokens_after"] for row in beside} == {mine["tokens_after"]}
    assert [row["seeds"] for row in beside] == [1, 20, 20, 1]


class Spy(Policy):
    """Remembers what it was shown."""

    name = "spy"

    def __init__(self) -> None:
        self.seen: list[Context] = []

    def plan(self, context: Context, budget: Budget) -> CompactionPlan:
        self.seen.append(context)
        return self.decided()


def test_M9_a_policy_sees_nothing_that_came_later_and_no_rule_of_tomorrow_is_in_todays_ledger():
    talk = planted(3, "path").user("You must never cut the warp.")
    spy = Spy()
    (row,) = (row for row in rows_of(wove(talk, 12), spy) if row["policy"] == "spy")
    assert row["constraints"] == 0
    assert {item.item_id for context in spy.seen for item in context.items} == {f"t:{at}" for at in range(1 + 2 * READS)}


def test_M17_the_same_session_gives_the_same_rows():
    assert rows_of(planted(9, "name"), Tier1()) == rows_of(planted(9, "name"), Tier1())


class Fickle(Policy):
    """Another plan every time."""

    name = "fickle"
    times = 0

    def plan(self, context: Context, budget: Budget) -> CompactionPlan:
        self.times += 1
        return self.decided(notes=(str(self.times),))


def test_M17_a_policy_that_decides_otherwise_the_second_time_is_told():
    (row,) = (row for row in rows_of(planted(3, "path"), Fickle()) if row["policy"] == "fickle")
    assert row["faults"] == ["not_deterministic"]


def test_M17_a_call_without_its_result_is_told():
    (row,) = (row for row in rows_of(planted(3, "path"), Removes(2)) if row["policy"] == "removes")
    assert row["faults"] == ["parted"]


def test_M2_what_no_cache_holds_is_all_behind_the_first_change():
    """Positions 1 and 2 are the first call, of one token, and its result; 20,920 less those of the prompt's three and it."""
    (row,) = (row for row in rows_of(planted(3, "path"), Removes(2, leaves="[gone]")) if row["policy"] == "removes")
    assert (row["tokens_before"], row["tokens_after"]) == (20_923, 20_923 - 1_099)
    assert row["invalidated_tokens"] == 20_923 - 3 - 1 - 1_099


def compacted() -> tuple[Talk, int]:
    talk = wove(Talk().user("You must never cut the warp.").call("Read", "warpLimitOne weftLimitTwo", file_path="x"), 12)
    at = len(talk.items)
    talk.summary("We read warpLimitOne. You must never cut the warp.").user("Go on.")
    return wove(talk.say("warpLimitOne and weftLimitTwo"), 12), at


def test_what_an_agents_own_compaction_lost_is_measured_by_its_summary():
    talk, at = compacted()
    rows = replay(recorded(talk, compacted_before=at), Asked((Nothing(),)))
    (row,) = (row for row in rows if row["policy"] == "logged")
    assert (row["uses"], row["atom_regret"], row["index_credit"]) == (2, 2.0, 1.0)
    assert (row["constraints"], row["constraint_survival"]) == (1, 1.0)
    assert {row["policy"] for row in rows if row["beside"] == "logged"} == {"oldest", "random", "random_chunks", "oracle"}


def test_a_size_that_was_asked_for_is_the_only_point():
    rows = rows_of(planted(3, "path"), at_tokens=1)
    assert {(row["trigger"], row["request_no"]) for row in rows} == {("asked", 1)}
