"""A night asks every check of the snapshot that it made."""

import json
from pathlib import Path

from lakes import analyzed, night
from logs import ClaudeLog, CodexLog

from tasks.check import check
from tasks.domain.settings import Settings
from tasks.store import sql


def test_a_good_lake_breaks_no_check(tmp_path: Path):
    ClaudeLog("loom").prompt("Warp.").answer("Warped.").write(tmp_path / "archive")
    night(tmp_path / "archive", tmp_path / "data")
    analyzed(tmp_path / "data")
    found = check(Settings(data=tmp_path / "data"))
    assert (found.broken, found.warned, found.checks) == ({}, {}, len(sql.names("checks")))


def test_a_record_of_no_known_type_that_carries_tokens_is_told(tmp_path: Path):
    log = CodexLog("loom").prompt("Warp.").answer("Warped.")
    path = log.write(tmp_path / "archive")
    record = {"type": "shuttle_report", "payload": {"usage": {"input_tokens": 900}}, "timestamp": "2026-03-02T09:30:00Z"}
    path.write_bytes(path.read_bytes() + json.dumps(record).encode() + b"\n")
    night(tmp_path / "archive", tmp_path / "data")
    analyzed(tmp_path / "data")
    found = check(Settings(data=tmp_path / "data"))
    assert (found.broken, found.warned) == ({}, {"warn__unknown_shape_carries_tokens": 1})


def test_calls_that_nobody_accounted_for_break_one(tmp_path: Path):
    ClaudeLog("loom").prompt("Warp.").answer("Warped.").write(tmp_path / "archive")
    night(tmp_path / "archive", tmp_path / "data")
    assert check(Settings(data=tmp_path / "data")).broken == {"fail__account_does_not_add_up": 1}
