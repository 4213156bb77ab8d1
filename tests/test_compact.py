"""Archived sessions are compacted as they stood at one of their calls, and come back."""

import json
import shutil
from pathlib import Path

import pytest
from lakes import night
from logs import ClaudeLog

from tasks.compact import compact, counter
from tasks.compaction.document import CompactedContext
from tasks.domain.compaction import CompactionSettings
from tasks.domain.errors import UsageError
from tasks.restore import blocks, raw_log, restored_document
from tasks.store import catalog
from tasks.store.layout import Layout

LONG = "The warp is threaded through the heddles of the second shaft. " * 40
COUNT = counter("claude-code", None)


@pytest.fixture(scope="module")
def log() -> ClaudeLog:
    log = ClaudeLog("hanging").prompt("Weave the border.")
    for number in range(14):
        log.think(f"Thought {number}: I read on because the pattern is not whole.", tokens=(0, 0, 1_000 * (number + 1), 9))
        log.call("Read", {"file_path": f"/srv/looms/{number}.txt"}, f"{number} {LONG}", tokens=(0, 0, 1_000 * (number + 1), 9))
    return log.answer("Woven.", tokens=(0, 0, 15_000, 5)).prompt("And the hem?").answer("Hemmed.", tokens=(0, 0, 15_500, 5))


@pytest.fixture(scope="module")
def data(log: ClaudeLog, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compact")
    log.write(folder / "archive")
    night(folder / "archive", folder / "data")
    return folder / "data"


def test_a_policy_sees_the_first_context_that_is_so_large_and_nothing_later(data: Path, log: ClaudeLog):
    with catalog.connect(Layout(data)) as con:
        done = compact(con, f"claude-code:{log.session_id}", "tier1", at_tokens=12_500, settings=None)
    assert (done.moment.no, done.moment.tokens, done.moment.is_counted) == (25, 13_000, True)
    results = [item.text for item in done.context.items if item.kind == "tool_result"]
    assert results == [f"{number} {LONG}" for number in range(12)]
    assert [item.text.startswith("[TRUNCATED:") for item in done.outcome.view if item.kind == "tool_result"] == (
        [True] * 2 + [False] * 10
    )
    assert done.freed_share == done.outcome.freed / done.outcome.tokens_before > 0.1


def test_without_a_size_the_users_own_trigger_is_taken_else_the_end(data: Path, log: ClaudeLog):
    session_id = f"claude-code:{log.session_id}"
    with catalog.connect(Layout(data)) as con:
        told = compact(con, session_id, "compact", at_tokens=None, settings=CompactionSettings(compact_threshold=15_200))
        end = compact(con, session_id, "compact", at_tokens=None, settings=None)
    assert (told.moment.tokens, told.moment.is_counted) == (15_500, True)
    assert (end.moment.no, end.moment.is_counted) == (31, False)
    assert end.outcome.plan.notes == ("CompactionSkipped: no more than 2 turns, and that many are retained",)


def test_what_is_in_a_prompt_beside_the_items_counts_towards_the_trigger(data: Path, log: ClaudeLog):
    with catalog.connect(Layout(data)) as con:
        done = compact(con, f"claude-code:{log.session_id}", "tier2", at_tokens=15_000, settings=None)
    counted = sum(done.context.tokens(at) for at in range(len(done.context.items)))
    assert done.context.settings["trigger_tokens"] == 15_000 - (15_000 - counted)


def test_a_context_that_large_there_is_not(data: Path, log: ClaudeLog):
    with (
        catalog.connect(Layout(data)) as con,
        pytest.raises(UsageError, match="no context of 900,000 tokens; the largest has 15,500"),
    ):
        compact(con, f"claude-code:{log.session_id}", "tier1", at_tokens=900_000, settings=None)


def test_an_unknown_session_is_a_usage_error(data: Path):
    with catalog.connect(Layout(data)) as con, pytest.raises(UsageError, match="no session 'claude-code:none'"):
        compact(con, "claude-code:none", "tier1", at_tokens=1, settings=None)


@pytest.mark.parametrize("policy", ["tier1", "prune", "tier1_literal"])
def test_A66_what_is_compacted_comes_back_from_the_lake_as_it_was(data: Path, log: ClaudeLog, policy: str):
    with catalog.connect(Layout(data)) as con:
        settings = CompactionSettings(prune_protected_turns=1, trigger_tokens=15_200)
        done = compact(con, f"claude-code:{log.session_id}", policy, at_tokens=None, settings=settings)
        small = done.document().model_dump_json(exclude_none=True).encode()
        back = restored_document(con, small, COUNT, window=None)
    told = CompactedContext.model_validate_json(back.content)
    assert [(one.item_id, one.kind, one.text, one.turn, one.request_no) for one in told.messages] == [
        (item.item_id, item.kind, item.text, item.turn, item.request_no) for item in done.context.items
    ]
    assert (told.removed, told.tokens_after, back.missing, back.left) == ((), done.outcome.tokens_before, (), 0)


def test_A60_within_a_window_the_newest_come_back_and_the_rest_another_time(data: Path, log: ClaudeLog):
    with catalog.connect(Layout(data)) as con:
        done = compact(con, f"claude-code:{log.session_id}", "tier1", at_tokens=None, settings=None)
        small = done.document().model_dump_json().encode()
        window = done.outcome.tokens_after + 700
        half = restored_document(con, small, COUNT, window=window)
        whole = restored_document(con, half.content, COUNT, window=None)
    told = CompactedContext.model_validate_json(half.content)
    assert done.outcome.tokens_after < told.tokens_after <= window
    assert half.restored and half.left
    assert [one.text for one in CompactedContext.model_validate_json(whole.content).messages] == [
        item.text for item in done.context.items
    ]


def test_A63_what_the_lake_does_not_hold_stays_and_is_named(data: Path, log: ClaudeLog):
    with catalog.connect(Layout(data)) as con:
        done = compact(con, f"claude-code:{log.session_id}", "tier1", at_tokens=None, settings=None)
        told = done.document()
        lost = next(one for one in told.messages if "compacted:placeholder" in one.flags)
        messages = tuple(one.model_copy(update={"item_id": "gone:1"}) if one is lost else one for one in told.messages)
        back = restored_document(
            con, told.model_copy(update={"messages": messages}).model_dump_json().encode(), COUNT, window=None
        )
    assert back.missing == ("gone:1",)
    assert lost.text in {one.text for one in CompactedContext.model_validate_json(back.content).messages}


FULL = {
    "schema_version": 5,
    "session_id": "cc-session-20261106-7be41d",
    "created_at": "2026-11-06T10:00:00Z",
    "messages": [
        {"role": "user", "items": [{"type": "text", "text": "Weave."}], "id": 1},
        {"role": "assistant", "items": [{"type": "tool_call", "id": "call_1", "name": "read_file", "args": {}}], "id": 2},
        {"role": "tool", "tool_call_id": "call_1", "items": [{"type": "tool_result", "content": LONG}], "id": 3},
        {"role": "tool", "tool_call_id": "call_9", "items": [{"type": "tool_result", "content": "[TRUNCATED: 7"}], "id": 4},
    ],
}


def test_A62_A64_a_foreign_document_is_restored_from_any_version_that_was_kept(tmp_path: Path):
    file = tmp_path / "archive" / "cc-session-20261106-7be41d.json"
    file.parent.mkdir()
    file.write_text(json.dumps(FULL))
    night(tmp_path / "archive", tmp_path / "data")
    small = json.loads(json.dumps(FULL))
    small["messages"][2]["items"][0]["content"] = f"[TRUNCATED: {len(LONG)} bytes, 200 chars]"
    file.write_text(json.dumps(small))
    night(tmp_path / "archive", tmp_path / "data")
    with catalog.connect(Layout(tmp_path / "data")) as con:
        back = restored_document(con, file.read_bytes(), COUNT, window=128_000)
        tight = restored_document(con, file.read_bytes(), COUNT, window=100)
    assert json.loads(back.content) == FULL
    assert (back.restored, back.missing) == (1, ("call_9",))
    assert (tight.restored, tight.left, json.loads(tight.content)) == (0, 1, small)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is not JSON"),
        (b"[]", "it is JSON, but no object"),
        (b"\xff", "it is not UTF-8"),
        (b'{"a": 1}', "give what `midwatch compact"),
        (b'{"format": "midwatch-compacted-context"}', "Field required"),
        (b'{"schema_version": 6, "messages": []}', "unknown schema version"),
    ],
)
def test_what_is_no_compacted_context_is_told(data: Path, content: bytes, message: str):
    with catalog.connect(Layout(data)) as con, pytest.raises(UsageError, match=message):
        restored_document(con, content, COUNT, window=None)


def test_the_raw_log_is_the_log_byte_for_byte(data: Path, log: ClaudeLog):
    layout = Layout(data)
    with catalog.connect(layout) as con:
        found = raw_log(con, layout, f"claude-code:{log.session_id}")
    assert b"".join(blocks(found)) == b"".join(log.lines())
    assert (found.others, found.form) == (0, "lines")


def test_a_session_without_a_kept_log_is_a_usage_error(data: Path):
    with catalog.connect(Layout(data)) as con, pytest.raises(UsageError, match="raw/ holds no log of it"):
        raw_log(con, Layout(data), "claude-code:none")


def test_nothing_in_the_lake_changes(data: Path, log: ClaudeLog, tmp_path: Path):
    copy = Path(shutil.copytree(data, tmp_path / "copy"))
    before = {
        path: path.read_bytes()
        for path in sorted((copy / "raw").rglob("*")) + sorted((copy / "lake").glob("*/*"))
        if path.is_file()
    }
    with catalog.connect(Layout(copy)) as con:
        done = compact(con, f"claude-code:{log.session_id}", "tier1", at_tokens=None, settings=None)
        restored_document(con, done.document().model_dump_json().encode(), COUNT, window=None)
    assert {path: path.read_bytes() for path in before} == before
