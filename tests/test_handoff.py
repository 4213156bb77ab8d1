"""Handoffs are built for what somebody may resume, again only when their input changed, and named by nothing hostile."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from tables import lake, on_disk

from tasks import handoff
from tasks.domain.errors import UsageError
from tasks.domain.ports import InProcess, Silent
from tasks.domain.settings import Settings
from tasks.handoff import HandoffReport, document
from tasks.handoffs.model import Handoff
from tasks.store.layout import Layout

NEWEST = "2026-03-09T10:00:00"


def rows(*sessions: dict[str, Any], texts: dict[str, list[str]]) -> dict[str, list[dict[str, Any]]]:
    """Sessions and what was typed in each, one log line per text."""
    said = [(session, number, text) for session, typed in texts.items() for number, text in enumerate(typed, 1)]
    base = {"agent": "claude-code", "native_id": "1", "ending": "clean", "ended_at": NEWEST}
    return {
        "sessions": [{**base, **session} for session in sessions],
        "items": [
            {"item_id": f"{s}/{n}", "session_id": s, "seq": n, "turn": n, "kind": "user_text", "text": text,
             "text_sha256": text, "source_id": s, "generation": 0, "line_no": n}
            for s, n, text in said
        ],
        "placements": [
            {"session_id": s, "position": n, "item_id": f"{s}/{n}", "turn": n, "on_path": True, "inherited": False}
            for s, n, _ in said
        ],
        "sources": [{"source_id": s, "generation": 0, "path": f"{s}.jsonl", "bytes": 100, "state": "new"} for s in texts],
    }  # fmt: skip


def build(data: Path) -> HandoffReport:
    return handoff.build_all(Settings(data=data), InProcess(), Silent())


def built(data: Path) -> dict[str, Handoff]:
    files = [path for path in Layout(data).handoffs.glob("*.json") if path.name != "index.json"]
    return {made.session_id: made for made in (Handoff.model_validate_json(path.read_bytes()) for path in files)}


def test_goal_comes_from_the_session_that_is_continued() -> None:
    given = rows(
        {"session_id": "a:1"},
        {"session_id": "a:2", "parent_session_id": "a:1", "relation": "continuation"},
        texts={"a:1": ["Design a raku kiln."], "a:2": ["Add the burner."]},
    )
    made = document(lake(given), "a:2")
    assert made.lineage == ("a:1", "a:2")
    assert made.goal and made.goal.text == "Design a raku kiln."
    assert made.last_request and made.last_request.text == "Add the burner."
    assert [log.path for log in made.logs] == ["a:1.jsonl", "a:2.jsonl"]
    assert 0 < made.tokens <= made.budget


def test_copied_history_is_not_told_twice() -> None:
    given = rows(
        {"session_id": "a:1"},
        {"session_id": "a:2", "parent_session_id": "a:1", "relation": "fork"},
        texts={"a:1": ["Design a raku kiln.", "Said after the fork."], "a:2": ["Add the burner."]},
    )
    given["placements"] += [
        {"session_id": "a:2", "position": 0, "item_id": "a:1/1", "turn": 1, "on_path": True, "inherited": True}
    ]
    made = document(lake(given), "a:2")
    assert made.prompts == 2
    assert made.goal and made.goal.text == "Design a raku kiln."
    assert made.requests == ()


def test_unknown_session_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no session 'a:9'"):
        document(lake({}), "a:9")


def test_open_and_crashed_sessions_get_one_and_nobody_else(tmp_path: Path) -> None:
    old = {"ended_at": "2026-03-01T10:00:00"}
    sessions = [
        {"session_id": "a:open"},
        {"session_id": "a:crashed", "ending": "mid_turn", **old},
        {"session_id": "a:finished", **old},
        {"session_id": "a:sub", "parent_session_id": "a:open", "relation": "subagent"},
        {"session_id": "a:continued"},
        {"session_id": "a:later", "parent_session_id": "a:continued", "relation": "continuation"},
    ]
    on_disk(Layout(tmp_path), rows(*sessions, texts={s["session_id"]: ["Go."] for s in sessions}))
    report = build(tmp_path)
    assert built(tmp_path).keys() == {"a:open", "a:crashed", "a:later"}
    assert (report.built, report.kept, report.removed, report.over_budget) == (3, 0, 0, [])


@pytest.mark.parametrize(("status", "count"), [("pending", 1), ("completed", 0)])
def test_finished_session_with_open_steps_gets_one(tmp_path: Path, status: str, count: int) -> None:
    given = rows(
        {"session_id": "a:1", "ended_at": "2026-03-01T10:00:00"},
        {"session_id": "a:2", "relation": "subagent"},
        texts={"a:1": ["Go.", ""]},
    )
    plan = {"todos": [{"content": "Fire", "status": status}]}
    given["items"][1] |= {"kind": "tool_call", "text": json.dumps(plan), "tool_name": "TodoWrite", "tool_category": "plan"}
    on_disk(Layout(tmp_path), given)
    assert build(tmp_path).built == count
    assert build(tmp_path).built == 0


def test_unchanged_lake_builds_nothing_and_a_new_prompt_one(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    sessions = [{"session_id": "a:1"}, {"session_id": "a:2"}]
    on_disk(layout, rows(*sessions, texts={"a:1": ["Go."], "a:2": ["Stay."]}))
    assert build(tmp_path).built == 2
    before = {path: path.stat().st_mtime_ns for path in layout.handoffs.iterdir()}
    assert build(tmp_path) == HandoffReport(kept=2, seconds=pytest.approx(0, abs=0.3))
    assert {path: path.stat().st_mtime_ns for path in layout.handoffs.iterdir()} == before
    on_disk(layout, rows(*sessions, texts={"a:1": ["Go."], "a:2": ["Stay.", "No, go."]}))
    report = build(tmp_path)
    assert (report.built, report.kept) == (1, 1)
    made = built(tmp_path)["a:2"]
    assert made.last_request and made.last_request.text == "No, go."


def test_change_in_the_parent_is_a_change(tmp_path: Path) -> None:
    child = {"session_id": "a:2", "parent_session_id": "a:1", "relation": "continuation"}
    on_disk(Layout(tmp_path), rows({"session_id": "a:1"}, child, texts={"a:1": ["Go."], "a:2": ["Stay."]}))
    build(tmp_path)
    on_disk(Layout(tmp_path), rows({"session_id": "a:1"}, child, texts={"a:1": ["Come."], "a:2": ["Stay."]}))
    assert build(tmp_path).built == 1
    goal = built(tmp_path)["a:2"].goal
    assert goal and goal.text == "Come."


def test_document_of_a_session_that_is_finished_now_goes_away(tmp_path: Path) -> None:
    on_disk(Layout(tmp_path), rows({"session_id": "a:1"}, texts={"a:1": ["Go."]}))
    build(tmp_path)
    on_disk(
        Layout(tmp_path),
        rows({"session_id": "a:1"}, {"session_id": "a:2", "ended_at": "2026-04-01T10:00:00"}, texts={"a:1": ["Go."]}),
    )
    assert build(tmp_path).removed == 1
    assert built(tmp_path).keys() == {"a:2"}


def test_lost_document_is_built_again(tmp_path: Path) -> None:
    on_disk(Layout(tmp_path), rows({"session_id": "a:1"}, texts={"a:1": ["Go."]}))
    build(tmp_path)
    next(Layout(tmp_path).handoffs.glob("*.md")).unlink()
    assert build(tmp_path).built == 1


@pytest.mark.parametrize("index", [b"", b"[]", b"{}", b'{"sessions": {"a:1": 5}}', b"\xff"])
def test_damaged_index_costs_one_night_of_building(tmp_path: Path, index: bytes) -> None:
    on_disk(Layout(tmp_path), rows({"session_id": "a:1"}, texts={"a:1": ["Go."]}))
    build(tmp_path)
    (Layout(tmp_path).handoffs / "index.json").write_bytes(index)
    assert build(tmp_path).built == 1


def test_files_are_private_and_named_by_no_raw_id(tmp_path: Path) -> None:
    names = [
        "claude-code:../../../etc/passwd",
        "claude-code:A",
        "claude-code:a",
        "claude-code:é",
        "claude-code:e\u0301",
        "x" * 500,
    ]
    on_disk(Layout(tmp_path), rows(*({"session_id": name} for name in names), texts={name: ["Go."] for name in names}))
    build(tmp_path)
    folder = Layout(tmp_path).handoffs
    documents = list(folder.glob("*.md"))
    assert len({path.name.casefold() for path in documents}) == len(names)
    assert built(tmp_path).keys() == set(names)
    assert all(path.resolve().parent == folder.resolve() for path in documents)
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in folder.iterdir())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_empty_lake_has_no_handoffs(tmp_path: Path) -> None:
    assert build(tmp_path).built == 0
