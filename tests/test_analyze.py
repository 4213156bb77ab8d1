"""The account as a step of the night: written for what changed, the same whatever the nights were, and its checks hold."""

from pathlib import Path

import pytest
import specimen
from lakes import analyzed, ask, logical_rows, night
from logs import ClaudeLog

from tasks import analyze, trace
from tasks.check import check
from tasks.context.calibration import BOUNDS
from tasks.context.sizes import FACTOR
from tasks.context.window import Session, Standing
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


def _uses(data: Path) -> list[tuple[object, ...]]:
    return ask(data, "select session_id, item_id, later_uses, last_used_request_no from residency order by all")


def _write_used(archive: Path) -> None:
    """Call 3 says a name that the result of call 1 showed; nobody names what call 2 listed."""
    log = ClaudeLog("used").prompt("Where is the warp counted?")
    log.call("Grep", {"pattern": "def"}, "src/warp.py: def warpCount", (0, 0, 100, 9))
    log.call("Bash", {"command": "ls"}, "weftCount.txt", (0, 50, 100, 9))
    log.answer("In warpCount.", tokens=(0, 50, 150, 9)).answer("Yes.", tokens=(0, 9, 200, 9)).write(archive)


def test_stays_say_whether_the_session_came_back_to_what_they_showed(tmp_path: Path):
    _write_used(tmp_path / "archive")
    night(tmp_path / "archive", tmp_path / "data")
    analyzed(tmp_path / "data")
    question = """
        select tool_name, later_uses, last_used_request_no from residency join items using (item_id)
        where kind = 'tool_result' order by first_request_no
    """
    assert ask(tmp_path / "data", question) == [("Grep", 1, 3), ("Bash", 0, None)]


def test_uses_of_a_session_that_did_not_change_are_not_looked_for_again(lake: Path, monkeypatch: pytest.MonkeyPatch):
    """Scales move with every night of a pool; what was used does not, and texts are long."""
    _write_used(lake / "archive")
    night(lake / "archive", lake / "data")
    analyzed(lake / "data")
    before = _uses(lake / "data")
    monkeypatch.setattr(analyze, "_scales_of", lambda *_: {("moved",)})
    asked: list[str] = []
    monkeypatch.setattr(trace, "uses", lambda session, texts: asked.append(session.session_id) or {})
    ClaudeLog("late").prompt("Card.").answer("Carded.").write(lake / "archive")
    night(lake / "archive", lake / "data")
    assert analyzed(lake / "data").written > 1
    assert len(asked) == 1
    assert [row for row in _uses(lake / "data") if row[0] != asked[0]] == before
    assert any(row[2] for row in before)


def test_texts_are_held_for_some_sessions_at_a_time():
    one, two, three = (
        Session(f"s{size}", "reed", None, (), (Standing("i", 0, 1, 0, "user_text", 1, size),)) for size in (3, 4, 9)
    )
    assert list(trace.batches([one, two, three], 7)) == [[one, two], [three]]
    assert list(trace.batches([three, one], 7)) == [[three], [one]]
    assert list(trace.batches([])) == []


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
