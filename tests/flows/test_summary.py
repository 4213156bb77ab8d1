"""What the closing summary says of a night."""

from pathlib import Path
from typing import Any

import pytest

from flows.steps import NightlyReport
from flows.summary import amount, broken, exit_code, missing, of_ingest, of_night, size
from tasks.check import CheckReport
from tasks.handoff import HandoffReport
from tasks.ingest import IngestReport, Problem


def night(**more: Any) -> IngestReport:
    facts: dict[str, Any] = {
        "sessions": 3, "requests": 40, "items": 1200, "rejects": 0, "pending_bytes": 0, "bytes_seen": 112_300_000, "commit": 7,
        "is_committed": True, "states": {"new": 2, "unchanged": 5, "copy": 1},
        "tokens": {"input_uncached": 91_060, "cache_write": 29_096_517, "cache_read": 1_102_350_666, "output": 12_777_453},
        "books": {"seen": 112_300_000, "in_rows": 112_299_000, "rejected": 0, "blank": 1_000, "pending": 0}, "seconds": 3.21,
    }  # fmt: skip
    return IngestReport(**{**facts, **more})


def test_a_good_night_in_six_lines() -> None:
    assert of_ingest(night(), Path("/data")).splitlines() == [
        "  logs      2 new · 5 unchanged · 1 copies",
        "  lake      3 sessions · 40 calls · 1,200 items, in /data",
        "  tokens    91,060 fresh input · 29.1 M cache write · 1.1 G cache read · 12.8 M output",
        "  books     112.3 MB seen = 112.3 MB in rows + 0 B rejected + 1.0 kB blank + 0 B pending",
        "  snapshot  7",
        "  exit      0: done. 3.2 s. Nothing left this machine.",
    ]


def test_a_night_with_nothing_new_says_so() -> None:
    assert "nothing new: no manifest made, 7 stands" in of_ingest(night(is_committed=False), Path("/data"))


def test_what_could_not_be_read_is_named_and_the_exit_code_says_three() -> None:
    problems = [Problem(f"/logs/{n}.jsonl", "unreadable", "permission denied") for n in range(7)]
    partial = night(rejects=3, problems=problems)
    text = of_ingest(partial, Path("/data"))
    assert exit_code(partial) == 3
    assert "3 spans that are no records: midwatch query rejects_by_reason" in text
    assert "/logs/0.jsonl: unreadable, permission denied" in text
    assert "and 2 more: midwatch sources --problems" in text
    assert "3: done, but not everything could be" in text


def test_exit_code_three_has_its_sentence_and_no_other_has_one() -> None:
    partial = night(new_rejects=3, problems=[Problem("/logs/a.jsonl", "unreadable", "permission denied")])
    assert "3 spans of logs that are no records, 1 logs that could not be read" in missing(partial)
    for whole in (night(), night(rejects=3)):
        assert (exit_code(whole), missing(whole)) == (0, "")


def test_pending_bytes_say_what_they_wait_for() -> None:
    books = {"seen": 2_000, "in_rows": 1_000, "rejected": 0, "blank": 0, "pending": 1_000}
    assert "pending   1.0 kB in last lines without an end" in of_ingest(night(books=books), Path("/data"))


@pytest.mark.parametrize(
    ("tokens", "words"),
    [(0, "0"), (999_999, "999,999"), (29_096_517, "29.1 M"), (999_600_000, "999.6 M"), (1_102_350_666, "1.1 G")],
)
def test_token_counts_fit_a_line(tokens: int, words: str) -> None:
    assert amount(tokens) == words


@pytest.mark.parametrize(("count", "words"), [(0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (112_300_000, "112.3 MB")])
def test_sizes_fit_a_line(count: int, words: str) -> None:
    assert size(count) == words


def test_checks_that_find_something_are_named_and_a_broken_one_is_exit_code_one() -> None:
    checked = CheckReport({"fail__items_without_session": 2}, {"warn__unknown_shape_carries_tokens": 1}, 14)
    text = of_night(NightlyReport(night(), HandoffReport(), Path("/page"), check=checked), Path("/data"))
    assert "checks    broken: 2 rows of midwatch query checks/fail__items_without_session" in text
    assert "warned: 1 rows of midwatch query checks/warn__unknown_shape_carries_tokens" in text
    assert "exit      1: done, but checks found what must not be" in text
    assert exit_code(night(), checked=checked) == 1
    assert "fail__items_without_session" in broken(checked)


def test_a_warning_alone_changes_no_exit_code() -> None:
    checked = CheckReport({}, {"warn__unpriced_models": 1}, 14)
    assert (exit_code(night(), checked=checked), broken(checked)) == (0, "")
    good = of_night(NightlyReport(night(), HandoffReport(), Path("/page"), check=CheckReport(checks=14)), Path("/data"))
    assert "checks    all 14 hold" in good
