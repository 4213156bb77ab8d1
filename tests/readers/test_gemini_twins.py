"""A resumed session of Gemini CLI lies there twice, its sub-agents in a folder beside it: everything is said and paid once.

`test_an_archive...` states what `../shared/cases/36-gemini-json-and-jsonl` asks for, of an archive of ours and of that one.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from readings import read

from tasks.domain.kinds import ItemKind
from tasks.domain.seen import Reading, SeenItem, SeenRequest

SHARED = Path(os.environ.get("MIDWATCH_SHARED", Path(__file__).parents[3] / "shared"))
CASE = SHARED / "cases" / "36-gemini-json-and-jsonl"
MAIN, SECOND, SCOUT = "0b7c9f14-main", "6e21d8a3-second", "reed_scout-2k8w"


def header(session: str, kind: str = "main") -> dict[str, Any]:
    at = "2026-06-01T07:00:00.000Z"
    return {"sessionId": session, "projectHash": "d4" * 32, "startTime": at, "lastUpdated": at, "kind": kind}


def message(name: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": f"2026-06-01T07:{int(name[1:]):02d}:00.000Z", "type": kind, "content": content, **more}


def tokens(given: int, said: int, cached: int = 0, thoughts: int = 0, tool: int = 0) -> dict[str, Any]:
    total = given + said + thoughts + tool
    counts = {"input": given, "output": said, "cached": cached, "thoughts": thoughts, "tool": tool, "total": total}
    return {"tokens": counts, "model": "gemini-3-pro"}


CALL = {
    "id": "list-1", "name": "list_directory", "args": {"dir_path": "loom"}, "status": "success",
    "result": [{"functionResponse": {"id": "list-1", "name": "list_directory", "response": {"output": "reed.txt"}}}],
}  # fmt: skip
BEGIN = [message("u1", "user", "Warp the loom."), message("g2", "gemini", "Warped.", toolCalls=[CALL], **tokens(70, 7, 30, 2))]
RESUMED = [
    header(MAIN), *BEGIN, {"$set": {"sessionId": MAIN}},
    message("u3", "user", [{"text": "Weave a hand."}]), message("g4", "gemini", "", tokens=None),
    message("g4", "gemini", "Woven.", **tokens(90, 9, 70)),
    message("u5", "user", "In blue."), message("g6", "gemini", "Blue it is.", **tokens(110, 4, tool=5)), {"$rewindTo": "u5"},
    message("u7", "user", "In green."), message("g8", "gemini", "Green it is.", **tokens(100, 4, 90)),
]  # fmt: skip
CONTEXT = message("u1", "user", [{"text": "<session_context>\nThe mill is shut.\n</session_context>"}])
SET_ALONE = [
    header(SECOND),
    {"$set": {"messages": [CONTEXT, message("u2", "user", "Sweep."), message("g3", "gemini", "Swept.", **tokens(40, 3))]}},
]
SCOUTED = [
    header(SCOUT, "subagent"), message("u1", "user", "Find a reed."), message("g2", "gemini", "Found.", **tokens(20, 2))
]  # fmt: skip


def write(archive: Path) -> None:
    chats = archive / "tmp" / ("d4" * 32) / "chats"
    (chats / MAIN).mkdir(parents=True)
    twin = {**header(MAIN), "messages": BEGIN}
    (chats / "session-2026-06-01T07-00-0b7c9f14.json").write_text(json.dumps(twin, indent=2))
    for name, lines in (
        ("session-2026-06-01T07-00-0b7c9f14", RESUMED), ("session-2026-06-01T08-00-6e21d8a3", SET_ALONE),
        (f"{MAIN}/{SCOUT}", SCOUTED),
    ):  # fmt: skip
        (chats / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


class Archive:
    """All files of an archive, with what several say counted once."""

    def __init__(self, folder: Path) -> None:
        self.readings: list[Reading] = [read(log)[1] for log in sorted(folder.rglob("*.json*"))]
        self.sessions = {row.session_id: row for one in self.readings for row in one.sessions}
        self.calls = {row.request_id: row for one in self.readings for row in one.requests}
        self.items = {row.item_id: row for one in self.readings for row in one.items}

    def of(self, session: str) -> list[SeenItem]:
        return [item for item in self.items.values() if item.session_id == f"gemini-cli:{session}"]


OURS = {
    "sessions": 3, "api_calls": 6, "input_total": 430, "cached": 190, "output": 29, "thoughts": 2, "tool": 5, "total": 466,
}  # fmt: skip


@pytest.fixture(params=["ours", "shared"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Archive, dict[str, int], tuple[str, str]]:
    if request.param == "ours":
        write(tmp_path)
        return Archive(tmp_path), OURS, (MAIN, SECOND)
    if not CASE.is_dir():
        pytest.skip("the shared cases are not here")
    stated = json.loads((CASE / "expect.json").read_text())
    sessions = "e461cba7-04c1-5a74-82e5-f4c00fbe2409", "d291baab-d1ba-5b14-9004-f4795d4df8c7"
    return Archive(CASE / "input"), stated, sessions


def buckets(call: SeenRequest) -> Iterator[int]:
    yield from (call.input_uncached_tokens or 0, call.cache_read_tokens or 0, call.output_tokens or 0)


def test_an_archive_has_three_sessions_and_six_calls(archive: Any):
    found, stated, _ = archive
    assert (len(found.sessions), len(found.calls)) == (stated["sessions"], stated["api_calls"])


def test_an_archive_counts_no_twin_and_adds_no_cached_tokens_on_top(archive: Any):
    found, stated, _ = archive
    calls = found.calls.values()
    assert sum(call.cache_read_tokens for call in calls) == stated["cached"]
    assert sum(call.input_uncached_tokens + call.cache_read_tokens for call in calls) == stated["input_total"] + stated["tool"]


def test_an_archives_total_is_input_and_output_and_thoughts_and_tool(archive: Any):
    found, stated, _ = archive
    calls = found.calls.values()
    assert sum(call.reasoning_tokens or 0 for call in calls) == stated["thoughts"]
    assert sum(call.output_tokens for call in calls) == stated["output"] + stated["thoughts"]
    assert sum(sum(buckets(call)) for call in calls) == stated["total"]
    assert all("total_differs" not in call.flags for call in calls)


def test_an_archive_tells_a_message_once_with_its_last_words(archive: Any):
    found, _, (main, _) = archive
    said = [(item.native_id, item.text) for item in found.of(main) if item.kind is ItemKind.ASSISTANT_TEXT]
    assert len({name for name, _ in said}) == len(said)
    assert all(text for _, text in said)
    assert [text for _, text in said if text in ("Woven.", "Pulled.")] != []


def test_an_archives_rewound_messages_are_kept_off_the_path(archive: Any):
    found, _, (main, _) = archive
    off = [item for item in found.of(main) if not item.on_path]
    assert [item.kind for item in off] == [ItemKind.USER_TEXT, ItemKind.ASSISTANT_TEXT]
    assert off[1].request_id in found.calls


def test_an_archives_context_of_the_session_is_no_prompt(archive: Any):
    found, _, (main, second) = archive
    typed = [item for item in found.of(main) if item.kind is ItemKind.USER_TEXT]
    assert (sum(item.on_path for item in typed), len(typed)) == (3, 4)
    assert [item.kind for item in found.of(second)] == [ItemKind.INJECTED, ItemKind.USER_TEXT, ItemKind.ASSISTANT_TEXT]


def test_an_archives_messages_that_live_in_a_set_alone_are_there(archive: Any):
    found, _, (_, second) = archive
    assert [item.on_path for item in found.of(second)] == [True, True, True]
    assert any(call.session_id == f"gemini-cli:{second}" for call in found.calls.values())


def test_an_archives_sub_agent_belongs_to_the_session_in_whose_folder_it_lies(archive: Any):
    found, _, (main, _) = archive
    (scout,) = [row for row in found.sessions.values() if row.relation == "subagent"]
    assert scout.parent_session_id == f"gemini-cli:{main}"
    assert not any(item.kind is ItemKind.USER_TEXT for item in found.of(scout.native_id))


def test_a_document_and_its_copy_in_lines_give_the_same_ids(tmp_path: Path):
    write(tmp_path)
    document, lines = (read(log)[1] for log in sorted(tmp_path.rglob("session-2026-06-01T07*")))
    begun = {item.item_id: item.text for item in document.items}
    assert begun.items() <= {item.item_id: item.text for item in lines.items}.items()
    assert {row.request_id for row in document.requests} <= {row.request_id for row in lines.requests}
    assert len(begun) == 4


def test_messages_without_ids_have_the_same_names_in_both_layouts(tmp_path: Path):
    bare = [{name: value for name, value in one.items() if name != "id"} for one in BEGIN]
    (tmp_path / "a.json").write_text(json.dumps({**header(MAIN), "messages": bare}, indent=4))
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (header(MAIN), *bare)))
    document, lines = (read(log)[1] for log in sorted(tmp_path.iterdir()))
    assert [item.item_id for item in document.items] == [item.item_id for item in lines.items]
