"""The account as a step of the night: written for what changed, the same whatever the nights were, and its checks hold."""

from decimal import Decimal
from pathlib import Path

import pytest
import specimen
from lakes import analyzed, ask, logical_rows, night
from logs import ClaudeLog

from tasks.check import check
from tasks.context.calibration import BOUNDS
from tasks.context.sizes import FACTOR
from tasks.domain.settings import Settings
from tasks.store import manifest, sql
from tasks.store.layout import Layout

ACCOUNT = ("reconciliation", "residency", "cache_misses", "calibrations")


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Nights over the specimen's archive; its folder."""
    specimen.archive(tmp_path / "archive")
    return tmp_path


def test_every_call_that_counts_its_prompt_has_an_account(lake: Path):
    night(lake / "archive", lake / "data")
    report = analyzed(lake / "data")
    assert report.is_committed
    assert ask(lake / "data", "select count(*) from requests where prompt_tokens > 0") == ask(
        lake / "data", "select count(*) from reconciliation"
    )
    assert check(Settings(data=lake / "data")).broken == {}


def test_with_nothing_new_there_is_no_commit(lake: Path):
    night(lake / "archive", lake / "data")
    first = analyzed(lake / "data")
    assert not night(lake / "archive", lake / "data").is_committed
    again = analyzed(lake / "data")
    assert (again.is_committed, again.commit, again.sessions) == (False, first.commit, first.sessions)


def test_files_that_did_not_change_are_still_known_after_an_account(lake: Path):
    """Else every night would look at every byte again."""
    night(lake / "archive", lake / "data")
    hints = Layout(lake / "data").hints.read_bytes()
    analyzed(lake / "data")
    night(lake / "archive", lake / "data")
    assert Layout(lake / "data").hints.read_bytes() == hints


def test_only_changed_sessions_are_written_again(lake: Path):
    night(lake / "archive", lake / "data")
    analyzed(lake / "data")
    ClaudeLog("late").prompt("Card.").answer("Carded.").write(lake / "archive")
    night(lake / "archive", lake / "data")
    assert analyzed(lake / "data").written == 1
    assert ask(lake / "data", "select count(*) from (from reconciliation group by all having count(*) > 1)") == [(0,)]


def test_many_nights_give_the_account_of_one(lake: Path):
    grown = ClaudeLog("grown").prompt("Card.").answer("Carded.")
    grown.write(lake / "archive")
    night(lake / "archive", lake / "many")
    analyzed(lake / "many")
    grown.call("Bash", {"command": "ls"}, "wool", (3, 50, 110, 7)).prompt("Again.").answer("Yes.").write(lake / "archive")
    night(lake / "archive", lake / "many")
    analyzed(lake / "many")
    night(lake / "archive", lake / "once")
    analyzed(lake / "once")
    assert logical_rows(lake / "many", ACCOUNT) == logical_rows(lake / "once", ACCOUNT)
    assert check(Settings(data=lake / "many")).broken == {}


def test_no_lake_is_nothing_to_account_for(tmp_path: Path):
    assert not analyzed(tmp_path / "data").is_committed
    assert manifest.latest(Layout(tmp_path / "data")).snapshot == 0


def test_bounds_of_the_check_are_those_of_the_code():
    text = sql.load("checks/fail__scales_out_of_bounds").text
    for of, ((low, high), (least, most)) in BOUNDS.items():
        assert f"('{of.value}', {low}, {high}, {least}, {most})" in text
    assert f"between {FACTOR[0]} and {FACTOR[1]}" in text


def test_a_read_of_5000_tokens_stays_for_the_60_calls_after_it(tmp_path: Path):
    """Through log, reader, lake and account. This provider counts 1.11 for a token of a result, and 18 around it."""
    log, prompt = ClaudeLog("carried").prompt("Count the threads."), 20_000
    log.call("Read", {"file_path": "/srv/looms/big.txt"}, " warp" * 5_000, (0, 0, prompt, 75))
    prompt += 5_550 + 18 + 75
    for _ in range(59):
        log.call("Bash", {"command": "wc"}, " warp" * 200, (0, 300, prompt - 300, 75))
        prompt += 222 + 18 + 75
    log.answer("Done.", tokens=(0, 300, prompt - 300, 5)).write(tmp_path / "archive")
    night(tmp_path / "archive", tmp_path / "data")
    analyzed(tmp_path / "data")
    question = (
        "select requests, tokens_calibrated, token_requests from residency join items using (item_id) where tokens = 5000"
    )
    ((stay, tokens, total),) = ask(tmp_path / "data", question)
    assert (stay, total) == (60, 60 * tokens)
    assert abs(tokens - 5_568) < 60
    worst = "select max(abs(residual_tokens)) from reconciliation where request_no > 1"
    assert ask(tmp_path / "data", worst)[0][0] < 150


def test_the_money_of_a_session_is_that_of_its_calls_and_its_short_answers_are_estimated(tmp_path: Path):
    """3 dollars a million fresh, 0.30 read, 3.75 written, 15 out. The last answer was logged before it was complete."""
    log = ClaudeLog("paid").prompt("Card.").call("Read", {"file_path": "/srv/wool.txt"}, " warp" * 900, (10, 2_000, 0, 40))
    log.answer(" warp" * 100, tokens=(10, 1_000, 2_000, 1))
    del log.records[-1]["message"]["stop_reason"]
    log.write(tmp_path / "archive")
    night(tmp_path / "archive", tmp_path / "data")
    analyzed(tmp_path / "data")
    calls = "select cost_usd, output_tokens_estimated, cost_usd_estimated from requests order by request_no"
    (first, no_tokens, no_cost), (last, tokens, cost) = ask(tmp_path / "data", calls)
    assert (first, no_tokens, no_cost) == (Decimal("0.00813"), None, None)  # 10 x 3 + 2,000 x 3.75 + 40 x 15
    assert last == Decimal("0.004395")  # 10 x 3 + 1,000 x 3.75 + 2,000 x 0.30 + 1 x 15
    assert 114 * FACTOR[0] <= tokens <= 114 * FACTOR[1] + 1  # 1.12 x 100 + 2, times the session's factor
    assert cost == last + (tokens - 1) * Decimal("0.000015")
    others = "select sum(cost_overhead_usd + cost_residual_usd + cost_output_usd) from reconciliation"
    ((items,),) = ask(tmp_path / "data", "select sum(cost_usd) from residency")
    assert items + ask(tmp_path / "data", others)[0][0] == first + last
    assert check(Settings(data=tmp_path / "data")).broken == {}
