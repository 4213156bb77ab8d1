"""What holds for the Claude Code reader on any records, and whom it claims."""

import io
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from readings import lines

from tasks.domain.errors import UsageError
from tasks.domain.records import Books, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import registry
from tasks.readers.claude_code import ClaudeCode
from tasks.readers.records import read_records

READER = ClaudeCode()


def read(*objects: dict[str, Any], path: str = "projects/x/a.jsonl") -> Reading:
    log = b"".join(orjson.dumps(each) + b"\n" for each in objects)
    records = [part for part in read_records(io.BytesIO(log), Books()) if isinstance(part, Record)]
    return READER.read(records, SourceHint(READER.agent, path))


SCALARS = st.none() | st.booleans() | st.integers(-5, 2**60) | st.floats(allow_nan=False) | st.text(max_size=6)
ANYTHING = st.recursive(SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=4), v, max_size=3))
IDS = st.sampled_from(["a", "b", "c", ""]) | ANYTHING
BLOCKS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["text", "thinking", "tool_use", "tool_result", "image", "document", "x"]) | ANYTHING,
        "text": ANYTHING,
        "thinking": ANYTHING,
        "id": IDS,
        "tool_use_id": IDS,
        "name": ANYTHING,
        "input": ANYTHING,
        "content": ANYTHING | st.lists(st.dictionaries(st.sampled_from(["type", "text"]), ANYTHING), max_size=2),
        "source": ANYTHING,
    },
)
USAGE = st.dictionaries(st.sampled_from(["input_tokens", "output_tokens", "cache_creation", "iterations"]), ANYTHING)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "id": IDS,
        "role": ANYTHING,
        "model": ANYTHING,
        "content": st.lists(BLOCKS | ANYTHING, max_size=3),
        "usage": USAGE,
    },
)
TYPES = ["user", "assistant", "system", "attachment", "progress", "summary", "last-prompt", "custom-title", "novelty"]
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(TYPES) | ANYTHING,
        "subtype": st.sampled_from(["compact_boundary", "microcompact_boundary", "api_error"]) | ANYTHING,
        "uuid": IDS,
        "parentUuid": IDS,
        "logicalParentUuid": IDS,
        "leafUuid": IDS,
        "sessionId": IDS,
        "agentId": IDS,
        "requestId": IDS,
        "isSidechain": st.booleans() | ANYTHING,
        "isMeta": ANYTHING,
        "isCompactSummary": ANYTHING,
        "timestamp": ANYTHING,
        "message": MESSAGES | ANYTHING,
        "attachment": BLOCKS | ANYTHING,
        "data": ANYTHING,
        "compactMetadata": ANYTHING,
        "forkedFrom": st.fixed_dictionaries({"sessionId": IDS, "messageUuid": IDS}) | ANYTHING,
        "content": ANYTHING,
        "summary": ANYTHING,
        "customTitle": ANYTHING,
        "toolUseResult": ANYTHING,
    },
)


@given(st.lists(RECORDS, max_size=8))
@settings(max_examples=150, deadline=None)
def test_any_records_are_read_without_error_and_rows_fit_together(objects: list[dict[str, Any]]):
    READER.claims(lines(objects))
    assert isinstance(READER.identify(lines(objects), "x/a.jsonl"), str)
    reading = read(*objects)
    assert len(reading.records) == len(objects)
    sessions = {session.session_id for session in reading.sessions}
    requests = {request.request_id for request in reading.requests}
    items = [item.item_id for item in reading.items]
    assert len(items) == len(set(items))
    assert {row.session_id for row in (*reading.items, *reading.requests, *reading.compactions)} <= sessions
    assert {item.request_id for item in reading.items} - {None} <= requests
    assert {compaction.summary_item_id for compaction in reading.compactions} - {None} <= set(items)


def _message(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, "message": {"role": kind, "content": content}, **more}


@pytest.mark.parametrize(
    "head",
    [
        [_message("user", "hi", uuid="a", parentUuid=None, sessionId="s")],
        [_message("assistant", [], cwd="/x")],
        [{"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}],
        [{"type": "summary", "summary": "Doors", "leafUuid": "a"}],
        [{"type": "queue-operation", "operation": "enqueue", "sessionId": "s"}],
        [{"type": "unheard-of"}, _message("user", "hi")],
    ],
)
def test_it_claims_its_own(head: list[dict[str, Any]]):
    assert READER.claims(lines(head))
    assert registry.find(lines(head)) is not None


@pytest.mark.parametrize(
    "head",
    [
        [],
        [{"role": "user", "message": {"content": "hi"}}],
        [
            {
                "type": "user",
                "uuid": "a",
                "parentUuid": None,
                "sessionId": "s",
                "message": {"role": "user", "parts": [{"text": "x"}]},
            }
        ],
        [_message("user", "hi", uuid="a", parentUuid=None, sessionId="session-0a0b0c0d-1111-4222-8333-444455556666")],
        [
            {"type": "session", "id": "s", "cwd": "/x"},
            {"type": "message", "id": "1", "message": {"role": "user", "content": "x"}},
        ],
        [{"type": "session_meta", "payload": {"id": "s"}}],
        [{"type": "system", "subtype": "init", "sessionId": "s"}],
        [{"type": "user", "content": [{"type": "text", "text": "x"}]}],
        [{"agentType": "explorer", "spawnDepth": 1}],
    ],
)
def test_it_leaves_look_alikes_to_others(head: list[dict[str, Any]]):
    assert not READER.claims(lines(head))


def test_ids_are_kept_exactly():
    for native_id in ("../../x", "Abc-1", "abc-1", "cafe\u0301", "caf\u00e9", "a'b*?"):
        reading = read(_message("user", "hi", uuid="a", sessionId=native_id))
        assert [session.native_id for session in reading.sessions] == [native_id]


def test_a_chain_of_thirty_thousand_records_is_walked():
    """No recursion, and no walk that restarts."""
    chain = [_message("user", "x", uuid=f"u{i}", parentUuid=f"u{i - 1}", sessionId="s") for i in range(30_000)]
    assert all(item.on_path for item in read(*chain).items)


def test_an_agent_is_found_by_name_and_an_unknown_name_says_which_there_are():
    assert registry.by_agent("claude-code").agent == "claude-code"
    with pytest.raises(UsageError, match="claude-code"):
        registry.by_agent("nobody")


def test_a_gateways_call_has_one_call_key_in_every_copy_of_its_session():
    """Its id carries the session, which a fork rewrites; the hash of id, time and model is what the copies share."""
    answer = {"id": "chat-7", "model": "m", "content": "hi", "usage": {"input_tokens": 1}}
    copies = [{"type": "assistant", "timestamp": "2026-04-05T06:00:00Z", "sessionId": s, "message": answer} for s in ("a", "b")]
    first, second = (read(copy).requests[0] for copy in copies)
    assert first.request_id != second.request_id
    assert first.call_key == second.call_key
    later = read({**copies[0], "timestamp": "2026-04-05T06:01:00Z"}).requests[0]
    assert later.call_key != first.call_key
