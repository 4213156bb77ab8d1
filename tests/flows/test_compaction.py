"""The commands `compact`, `policies` and `restore` over a small lake of invented logs."""

import json
from pathlib import Path

import pytest
from logs import ClaudeLog
from typer.testing import CliRunner

from flows.cli import app
from tasks.compaction.registry import POLICIES

LONG = "The warp is threaded through the heddles. " * 60


@pytest.fixture(scope="module")
def log() -> ClaudeLog:
    log = ClaudeLog("hanging").prompt("Weave the \x1b[31mborder")
    for number in range(13):
        log.call("Read", {"file_path": f"/srv/looms/{number}.txt"}, f"{number} {LONG}", tokens=(0, 0, 1_000 * (number + 1), 9))
    return log.answer("Woven.", tokens=(0, 0, 15_000, 5))


@pytest.fixture(scope="module")
def data(log: ClaudeLog, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("compaction")
    log.write(folder / "archive")
    run("ingest", "--archive", str(folder / "archive"), "--data", str(folder / "data"), "--quiet", "--workers", "1")
    return str(folder / "data")


def run(*arguments: str, code: int = 0, given: bytes | None = None):
    ran = CliRunner().invoke(app, arguments, catch_exceptions=False, input=given)
    assert ran.exit_code == code, ran.stderr
    return ran


def test_compact_shows_an_outline_and_says_beside_it_what_was_freed(data: str, log: ClaudeLog):
    ran = run("compact", log.session_id, "--policy", "tier1", "--at-tokens", "13000", "--data", data)
    lines = ran.stdout.splitlines()
    assert len(lines) == 1 + 2 * 12
    assert "\\x1b[31mborder" in lines[0]
    assert (
        "tool_result Read /srv/looms/0.txt  [placeholder]  [TRUNCATED: 2522 bytes, 200 chars] /srv/looms/0.txt 0 The"
        in lines[2]
    )
    assert "at call 13, a prompt of 13,000 tokens: tier1 makes" in ran.stderr
    assert "claimed are 30 to 50 %" in ran.stderr
    assert run("compact", log.session_id, "--policy", "tier1", "--at-tokens", "13000", "--data", data, "--quiet").stderr == ""


def test_compact_gives_the_text_to_read(data: str, log: ClaudeLog):
    shown = run("compact", log.session_id, "--policy", "tier1", "--markdown", "--data", data).stdout
    assert shown.startswith("## 0. user_text\n\n```text\nWeave the \\e[31mborder\n```\n\n## 1. tool_call · Read\n")
    assert "## 2. tool_result · Read · placeholder\n\n```text\n[TRUNCATED: 2522 bytes, 200 chars]\n" in shown


def test_restore_reads_back_what_compact_printed(data: str, log: ClaudeLog, tmp_path: Path):
    small = run("compact", log.session_id, "--policy", "tier1", "--json", "--data", data).stdout
    file = tmp_path / "small.json"
    file.write_text(small)
    ran = run("restore", str(file), "--data", data)
    texts = [one["text"] for one in json.loads(ran.stdout)["messages"] if one["kind"] == "tool_result"]
    assert texts == [f"{number} {LONG}" for number in range(13)]
    assert ran.stderr == "midwatch: 3 restored\n"
    assert run("restore", "-", "--data", data, given=small.encode()).stdout == ran.stdout


def test_restore_says_what_has_no_room_and_what_has_no_original(data: str, log: ClaudeLog):
    small = json.loads(run("compact", log.session_id, "--policy", "tier1", "--json", "--data", data).stdout)
    window = str(small["tokens_after"] + 1)
    ran = run("restore", "-", "--window", window, "--data", data, given=json.dumps(small).encode())
    assert ran.stderr == f"midwatch: 0 restored; 3 more do not fit into {int(window):,} tokens\n"
    small["messages"][2]["item_id"] = "gone:1"
    ran = run("restore", "-", "--data", data, "--quiet", code=3, given=json.dumps(small).encode())
    assert "incomplete: the lake has no original of 1, which stay as they are: gone:1" in ran.stderr


def test_restore_raw_gives_the_log_byte_for_byte(data: str, log: ClaudeLog):
    ran = run("restore", log.session_id[:9], "--raw", "--data", data)
    assert ran.stdout_bytes == b"".join(log.lines())
    assert ran.stderr.startswith(f"midwatch: claude-code:{log.session_id}: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compact", "zzz", "--policy", "tier1"), "no session 'zzz'"),
        (("compact", "claude-code:", "--policy", "tier3"), "no policy 'tier3'; give one of "),
        (("compact", "claude-code:", "--policy", "tier1", "--at-tokens", "900000"), "the largest has 15,000"),
        (("compact", "claude-code:", "--policy", "tier1", "--json", "--markdown"), "--json or --markdown, not both"),
        (("restore", "zzz", "--raw"), "no session 'zzz'"),
        (("restore", "claude-code:", "--raw", "--window", "5"), "--window has no place there"),
        (("restore", "absent.json"), "absent.json: No such file"),
        (("restore", "."), "Is a directory"),
    ],
)
def test_what_cannot_be_done_exits_2_with_what_to_do(data: str, arguments: tuple[str, ...], message: str):
    assert message in run(*arguments, "--data", data, code=2).stderr


def test_restore_of_no_compacted_context_exits_2(data: str):
    assert "no compacted context" in run("restore", "-", "--data", data, code=2, given=b'{"a": 1}').stderr


def test_policies_are_listed_with_what_the_users_file_says_of_them(tmp_path: Path):
    config = tmp_path / "midwatch.toml"
    config.write_text("[compaction]\ncompact_threshold = 90000\nprune_protected_turns = 4\n")
    listed = json.loads(run("policies", "--config", str(config), "--json").stdout)
    assert [one["policy"] for one in listed] == list(POLICIES)
    told = {one["policy"]: one["configured"] for one in listed}
    assert (told["prune"], told["compact"]) == ("on: protects 4 turns", "on: above 90,000 tokens, retains 2 turns")
    assert {one["policy"] for one in listed if one["kind"] == "control"} == {
        name for name, policy in POLICIES.items() if policy.is_control
    }
    assert "off: no [compaction]" in run("policies").stdout


def test_compact_goes_by_the_users_file(data: str, log: ClaudeLog, tmp_path: Path):
    config = tmp_path / "midwatch.toml"
    config.write_text("[compaction]\nprune_protected_turns = 0\n")
    shown = run("compact", log.session_id, "--policy", "prune", "--config", str(config), "--data", data).stdout
    assert shown.count("[placeholder]  [pruned]") == 13
