"""Ids of Codex's rows: shared by copies, apart where only the words are equal."""

import pytest
from readings import lines
from rollouts import Rollout

from tasks.domain.seen import Reading
from tasks.readers.registry import find

HEAD = {"timestamp": "2026-05-04T08:00:00Z", "type": "session_meta", "payload": {"id": "a", "cwd": "/srv/mill"}}


def parent() -> Rollout:
    log = Rollout("parent").prompt("Build the wheel.").answer("Built.", used=(1000, 0, 100))
    return log.prompt("Turn it.").answer("It turns.", used=(1500, 900, 150))


def copied_items(reading: Reading) -> list[str]:
    return [item.item_id for item in reading.items if item.is_replay]


def test_a_fork_copies_the_content_keys_of_its_parent_in_order():
    log = parent()
    fork = log.fork("fork").prompt("Smaller.").answer("Smaller.", used=(800, 600, 80)).read()
    own = log.read()
    assert [item.content_key for item in fork.items if item.is_replay] == [item.content_key for item in own.items]
    assert [call.content_key for call in fork.requests if call.is_replay] == [call.content_key for call in own.requests]


def test_a_copied_call_has_the_id_of_the_original_and_no_day():
    log = parent()
    copies = [call for call in log.fork("fork").read().requests if call.is_replay]
    assert [call.request_id for call in copies] == [call.request_id for call in log.read().requests]
    assert [call.at for call in copies] == [None, None]


def test_two_forks_of_one_missing_parent_share_the_copied_rows():
    one, other = parent().fork("one", after=600).read(), parent().fork("other", after=9000).read()
    assert copied_items(one) == copied_items(other)
    assert len(set(copied_items(one))) == 4


def test_a_fork_of_a_fork_names_copies_after_the_oldest_ancestor():
    oldest = parent()
    child = oldest.fork("child").prompt("Smaller.").answer("Smaller.", used=(800, 600, 80))
    calls = child.fork("grandchild").prompt("Larger.").answer("Larger.", used=(900, 700, 90)).read().requests
    assert [call.request_id for call in calls[:2]] == [call.request_id for call in oldest.read().requests]
    assert [call.is_replay for call in calls] == [True, True, True, False]
    assert calls[2].content_key == child.read().requests[2].content_key


def test_the_same_words_in_two_sessions_are_two_items():
    one, other = (Rollout(name).prompt("Go on.").answer("Done.", used=(10, 0, 1)).read() for name in ("one", "other"))
    assert not {item.item_id for item in one.items} & {item.item_id for item in other.items}
    assert not {call.request_id for call in one.requests} & {call.request_id for call in other.requests}


def test_equal_calls_of_one_session_are_told_apart():
    """A counter that starts again may repeat total and last usage exactly."""
    log = Rollout("one").prompt("Go on.").answer("Done.", used=(10, 0, 1)).answer("Done.", used=(20, 5, 2))
    log._total = [0, 0, 0]
    calls = log.prompt("Go on.").answer("Done.", used=(10, 0, 1)).read().requests
    assert len({call.request_id for call in calls}) == 3
    assert calls[0].content_key == calls[2].content_key


def test_a_log_that_grew_keeps_its_ids():
    log = parent()
    lines = log.log().splitlines(keepends=True)
    short = Rollout("parent")
    short.lines = log.lines[:5]
    assert len(lines) > 5
    grown = [item.item_id for item in log.read().items]
    assert grown[:2] == [item.item_id for item in short.read().items]


@pytest.mark.parametrize(
    ("why", "head"),
    [
        ("an envelope with a payload", [HEAD]),
        ("a meta line after an unknown one", [{"kind": "preface"}, HEAD]),
        ("a sliced log without its meta line", [{"timestamp": "x", "type": "event_msg", "payload": {"type": "token_count"}}]),
        ("the bare meta line of 2025", [{"id": "a", "timestamp": "2025-06-11T10:00:00Z", "instructions": None}]),
    ],
)
def test_codex_claims(why: str, head: list[dict[str, object]]):
    reader = find(lines(head))
    assert reader is not None, why
    assert reader.agent == "codex", why


@pytest.mark.parametrize(
    ("why", "head"),
    [
        ("a flat look-alike", [{"type": "session_meta", "id": "a", "cwd": "/srv/mill", "timestamp": "x"}]),
        ("state alone", [{"timestamp": "x", "type": "world_state", "payload": {"full": True}}]),
        ("a clone with its own provider", [{**HEAD, "payload": {"id": "a", "model_provider": "trae"}}]),
        ("a clone with its own prompt", [{**HEAD, "payload": {"id": "a", "base_instructions": {"text": "You are TRAE CLI."}}}]),
        ("events of `codex exec --json`", [{"type": "thread.started", "thread_id": "a"}]),
    ],
)
def test_codex_does_not_claim(why: str, head: list[dict[str, object]]):
    reader = find(lines(head))
    assert reader is None or reader.agent != "codex", why


def test_a_log_without_meta_is_named_by_its_file():
    name = "0190aaaa-0000-7000-8000-000000000001"
    reader = find(lines([HEAD]))
    assert reader is not None
    assert reader.identify(lines([]), f"sessions/2026/05/04/rollout-2026-05-04T08-00-00-{name}.jsonl.zst") == name
