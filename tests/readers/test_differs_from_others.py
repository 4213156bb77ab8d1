"""Where our totals are not those of tokscale 4.17, whose table `tests/bench/peers.py` prints: one rule a test, with a log whose
lines prove it. Agents that are not here have equal totals."""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from builders import START, Answer, Story, Turn, Used, write_lines
from readings import read
from writers.goose import write_database
from writers.hermes import write_database as write_hermes

from tasks.domain.seen import Reading
from tasks.readers.roo import WHOLE_PROMPT_SINCE

AT = "2026-03-02T09:00:{:02}.000Z"


def sums(*readings: Reading) -> tuple[int, ...]:
    """Calls, fresh prompt, read from the cache, written to it, output; a call that several logs tell is one."""
    calls = {request.request_id: request for reading in readings for request in reading.requests}
    names = ("input_uncached_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
    return len(calls), *(sum(getattr(call, name) or 0 for call in calls.values()) for name in names)


def of_lines(log: Path, records: Iterable[dict[str, Any]]) -> tuple[int, ...]:
    return sums(read(write_lines(log, records))[1])


def test_claude_code__a_call_that_only_a_progress_record_holds_was_paid(tmp_path: Path):
    """tokscale reads no progress records. `p2` tells a sub-agent's call whose own file is gone: no other record has its id."""
    usage = {"input_tokens": 3, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5, "output_tokens": 8}
    base = {"sessionId": "s", "cwd": "/srv/looms", "version": "2.1.40", "isSidechain": False, "userType": "external"}

    def answer(name: str) -> dict[str, Any]:
        said = [{"type": "tool_use", "id": f"toolu_{name}", "name": "Task", "input": {}}]
        message = {"id": f"msg_{name}", "role": "assistant", "model": "weaver-2", "content": said, "usage": usage}
        return {"type": "assistant", "message": {**message, "stop_reason": "tool_use"}, "requestId": f"req_{name}"}

    nested = {"type": "agent_progress", "agentId": "a1", "message": {**answer("2"), "uuid": "n2", "timestamp": AT.format(2)}}
    told = [
        {"type": "user", "message": {"role": "user", "content": "Weave."}},
        answer("1"),
        {"type": "progress", "data": nested, "toolUseID": "agent_msg_2", "parentToolUseID": "toolu_1"},
    ]
    chain = [
        {**base, **one, "uuid": f"p{no}", "parentUuid": f"p{no - 1}" if no else None, "timestamp": AT.format(no)}
        for no, one in enumerate(told)
    ]
    assert of_lines(tmp_path / "s.jsonl", chain) == (2, 6, 180, 10, 16)


def test_claude_code__what_the_program_answers_itself_is_no_call(tmp_path: Path):
    """tokscale counts it as a call that cost nothing, of a model that it guesses. `<synthetic>` is none that can be called."""
    usage = {"input_tokens": 0, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0, "output_tokens": 0}
    said = [{"type": "text", "text": "API Error: 500"}]
    message = {"id": "0d9f", "role": "assistant", "model": "<synthetic>", "content": said, "usage": usage}
    record = {"sessionId": "s", "cwd": "/srv/looms", "version": "2.1.40", "userType": "external", "type": "assistant"}
    record |= {"uuid": "u1", "parentUuid": None, "timestamp": AT.format(1), "isApiErrorMessage": True, "message": message}
    assert of_lines(tmp_path / "s.jsonl", [record]) == (0, 0, 0, 0, 0)


def test_codex__what_the_cache_took_is_part_of_the_input_and_no_fresh_prompt(tmp_path: Path):
    """tokscale knows no `cache_write_input_tokens` and leaves them in the fresh prompt. `total_tokens` is input and output, so
    that both cached counts are inside the input: 100 = 30 read + 60 written + 10."""
    usage = {
        "input_tokens": 100, "cached_input_tokens": 30, "cache_write_input_tokens": 60, "output_tokens": 7,
        "reasoning_output_tokens": 2, "total_tokens": 107,
    }  # fmt: skip
    count = {"type": "token_count", "info": {"total_token_usage": usage, "last_token_usage": usage}}
    records = [
        {"type": "session_meta", "payload": {"id": "s", "cwd": "/srv/looms", "originator": "codex_cli_rs"}},
        {"type": "turn_context", "payload": {"turn_id": "t", "model": "weaver-2"}},
        {"type": "event_msg", "payload": count},
    ]
    stamped = [{"timestamp": AT.format(no), **record} for no, record in enumerate(records)]
    assert of_lines(tmp_path / "rollout-2026-03-02T09-00-00-s.jsonl", stamped) == (1, 10, 30, 60, 7)


def test_copilot_cli__the_events_that_it_always_writes_tell_what_was_paid(tmp_path: Path):
    """tokscale reads the telemetry that Copilot exports when it is told to, not `session-state`: there is none of it here."""
    usage = {"inputTokens": 100, "cacheReadTokens": 70, "cacheWriteTokens": 20, "outputTokens": 9, "reasoningTokens": 4}
    events = [
        ("session.start", {"sessionId": "s", "version": 1, "copilotVersion": "1.0.77", "producer": "copilot-agent"}),
        ("user.message", {"content": "Weave.", "transformedContent": "Weave.", "attachments": []}),
        ("session.shutdown", {"modelMetrics": {"weaver-2": {"requests": {"count": 1, "cost": 1}, "usage": usage}}}),
    ]
    records = [
        {"type": kind, "data": data, "id": f"e{no}", "timestamp": AT.format(no), "parentId": f"e{no - 1}" if no else None}
        for no, (kind, data) in enumerate(events)
    ]
    assert of_lines(tmp_path / "session-state" / "s" / "events.jsonl", records) == (1, 10, 70, 20, 9)


def test_factory_droid__thinking_is_part_of_the_output(tmp_path: Path):
    """tokscale adds `thinkingTokens` to the output. Droid (0.225.2) takes `outputTokens` from the provider, thinking included,
    (for Gemini it adds thoughts itself), and notes beside it the provider's count of reasoning or one guessed by its length:
    so a turn that only thought has as many of both."""
    usage = {"inputTokens": 5, "outputTokens": 90, "cacheCreationTokens": 3, "cacheReadTokens": 40, "thinkingTokens": 90}
    log = tmp_path / "s.settings.json"
    log.write_text(json.dumps({"model": "weaver-2", "tokenUsage": usage}), encoding="utf-8")
    assert sums(read(log)[1]) == (1, 5, 40, 3, 90)


def test_factory_droid__a_kept_stream_of_a_run_tells_what_it_cost(tmp_path: Path):
    """tokscale reads settings only. The last line is what the run cost."""
    usage = {"input_tokens": 12, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 4, "output_tokens": 6}
    records = [
        {"type": "system", "subtype": "init", "cwd": "/srv/looms", "model": "weaver-2"},
        {"type": "message", "role": "user", "text": "Weave."},
        {"type": "completion", "finalText": "Woven.", "numTurns": 1, "usage": usage},
    ]
    stamped = [{**record, "session_id": "s", "timestamp": 1_772_442_000_000 + no} for no, record in enumerate(records)]
    assert of_lines(tmp_path / "run.jsonl", stamped) == (1, 12, 30, 4, 6)


GEMINI_HEAD = {"sessionId": "s", "projectHash": "c0" * 32, "startTime": AT.format(0), "lastUpdated": AT.format(9)}


def gemini_answer(name: str, **more: Any) -> dict[str, Any]:
    tokens = {"input": 100, "cached": 60, "output": 8, "thoughts": 5, "tool": 0, "total": 113}
    return {"id": name, "timestamp": AT.format(1), "type": "gemini", "content": "Woven.", "tokens": tokens, **more}


def test_gemini__a_document_and_its_lines_and_a_longer_copy_are_one_session(tmp_path: Path):
    """tokscale adds all files up. Session and messages have the same ids in each: the first file is the state before a resume,
    the second the copy that the resume wrote in lines, the third a later state of the first."""
    one, two = gemini_answer("m1", model="weaver-2"), gemini_answer("m2", model="weaver-2")
    logs = [tmp_path / name for name in ("session-a.json", "session-b.json")]
    for log, messages in zip(logs, ([one], [one, two]), strict=True):
        log.write_text(json.dumps({**GEMINI_HEAD, "messages": messages}), encoding="utf-8")
    lines = write_lines(tmp_path / "session-a.jsonl", [{**GEMINI_HEAD, "kind": "main"}, one])
    assert sums(*(read(log)[1] for log in (*logs, lines))) == (2, 80, 120, 0, 26)


def test_gemini__a_call_that_names_no_model_was_paid(tmp_path: Path):
    """tokscale leaves it out. The message has counts, and what a call cost does not depend on what its model is called."""
    log = tmp_path / "session-a.json"
    log.write_text(json.dumps({**GEMINI_HEAD, "messages": [gemini_answer("m1")]}), encoding="utf-8")
    assert sums(read(log)[1]) == (1, 40, 60, 0, 13)


def test_goose__a_prompt_includes_the_cache_and_the_ledger_tells_how_much(tmp_path: Path):
    """tokscale takes a session's sums, which have no cache, for fresh prompt. The sums are those of the ledger, whose prompt
    includes what the cache gave and took: total is prompt and output."""
    answers = (Answer("Woven.", Used(10, 80, 5, 7)), Answer("Cut.", Used(1, 95, 0, 3)))
    log = write_database(Story("20260302_090000", (Turn("Weave.", answers),), start=START), tmp_path)
    with closing(sqlite3.connect(log)) as con:
        sums_of_session = "select accumulated_input_tokens, accumulated_output_tokens, accumulated_total_tokens from sessions"
        assert con.execute(sums_of_session).fetchone() == (191, 10, 201)
    assert sums(read(log)[1]) == (2, 11, 175, 5, 10)


def test_goose__a_file_of_before_the_database_tells_its_sums(tmp_path: Path):
    """tokscale reads the database alone, and such a file is in none when it was archived before the upgrade."""
    head = {"working_dir": "/srv/looms", "description": "Looms", "message_count": 1, "accumulated_total_tokens": 127}
    head |= {"accumulated_input_tokens": 120, "accumulated_output_tokens": 7}
    said = {"role": "user", "created": 1_772_442_000, "content": [{"type": "text", "text": "Weave."}]}
    assert of_lines(tmp_path / "20260302_090000.jsonl", [head, said]) == (1, 120, 0, 0, 7)


def test_hermes__reasoning_is_part_of_the_output(tmp_path: Path):
    """tokscale adds it. Hermes takes the prompt and `output_tokens` for all that there is, and reasoning for a detail of the
    output: an answer that was nearly all thought has nearly as many of both."""
    log = write_hermes(Story("20260302_a", (Turn("Weave.", (Answer("Woven.", Used(), "Which shed first?"),)),)), tmp_path)
    with closing(sqlite3.connect(log)) as con:
        con.execute(
            "update sessions set api_call_count = 1, input_tokens = 10, cache_read_tokens = 70, cache_write_tokens = 20,"
            " output_tokens = 9, reasoning_tokens = 8"
        )
        con.commit()
    assert sums(read(log)[1]) == (1, 10, 70, 20, 9)


def kimi_journal(*told: dict[str, Any]) -> list[dict[str, Any]]:
    head = {"type": "metadata", "protocol_version": "1.4", "created_at": 1_772_442_000_000}
    return [head, *({**one, "time": 1_772_442_001_000 + no} for no, one in enumerate(told))]


KIMI = {"inputOther": 7, "inputCacheRead": 50, "inputCacheCreation": 2, "output": 9}


def kimi_step(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "context.append_loop_event", "event": {"type": f"step.{kind}", "uuid": "a1", **more}}


def test_kimi__a_call_outside_of_a_turn_was_paid(tmp_path: Path):
    """tokscale takes `usageScope: session` for a sum. It is the call that a compaction makes: no sum, since it is less than the
    turn's call before it, and what follows it is the compaction."""
    small = {"inputOther": 1, "inputCacheRead": 40, "inputCacheCreation": 0, "output": 3}
    compaction = {"type": "context.apply_compaction", "summary": "A band is woven.", "tokensBefore": 61, "tokensAfter": 5}
    journal = kimi_journal(
        kimi_step("begin"),
        kimi_step("end", usage=KIMI),
        {"type": "usage.record", "model": "weaver-2", "usage": KIMI, "usageScope": "turn"},
        {"type": "usage.record", "model": "weaver-2", "usage": small, "usageScope": "session"},
        compaction,
    )
    assert of_lines(tmp_path / "s" / "agents" / "main" / "wire.jsonl", journal) == (2, 8, 90, 2, 12)


def test_kimi__a_step_that_ended_was_paid_before_its_record_is_written(tmp_path: Path):
    """tokscale counts records of usage alone. The journal stops behind a step that has ended and tells its cost."""
    journal = kimi_journal(kimi_step("begin"), kimi_step("end", usage=KIMI, finishReason="end_turn"))
    assert of_lines(tmp_path / "s" / "agents" / "main" / "wire.jsonl", journal) == (1, 7, 50, 2, 9)


def test_opencode__counts_without_a_cache_are_counts(tmp_path: Path):
    """tokscale drops a message whose `tokens` have no `cache`. Its call was aborted with 120 tokens sent and 16 received."""
    info = {"id": "ses_1", "version": "0.1.0", "projectID": "looms", "directory": "/srv/looms", "time": {"created": 1}}
    told = {"id": "msg_1", "sessionID": "ses_1", "role": "assistant", "time": {"created": 1_772_442_000_000}}
    told |= {"modelID": "weaver-2", "providerID": "mill", "tokens": {"input": 120, "output": 16}}
    part = {"id": "prt_1", "messageID": "msg_1", "sessionID": "ses_1", "type": "text", "text": "The warp"}
    log = tmp_path / "export.json"
    log.write_text(json.dumps({"info": info, "messages": [{"info": told, "parts": [part]}]}), encoding="utf-8")
    assert sums(read(log)[1]) == (1, 120, 0, 0, 16)


def test_pi__answers_are_told_apart_by_their_entries_whatever_the_server_calls_them(tmp_path: Path):
    """tokscale counts a `responseId` once. Some servers give every response the same: these two answer two prompts, and have
    ids and times of their own."""
    usage = {"input": 12, "output": 7, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 19}
    answer = {"role": "assistant", "content": [{"type": "text", "text": "Woven."}], "model": "weaver-2", "usage": usage}
    answer |= {"provider": "mill", "stopReason": "stop", "responseId": "chatcmpl-0"}
    prompt = {"role": "user", "content": [{"type": "text", "text": "Weave."}]}
    entries = [
        {"type": "message", "id": f"{no:08x}", "parentId": f"{no - 1:08x}" if no else None, "message": message}
        for no, message in enumerate((prompt, answer, prompt, answer))
    ]
    head = {"type": "session", "version": 3, "id": "s", "timestamp": AT.format(0), "cwd": "/srv/looms"}
    log = [head, *({**entry, "timestamp": AT.format(no)} for no, entry in enumerate(entries, 1))]
    assert of_lines(tmp_path / "s.jsonl", log) == (2, 24, 0, 0, 14)


def test_qwen__cached_tokens_are_inside_the_prompt_and_thoughts_inside_the_answer(tmp_path: Path):
    """tokscale adds both. `totalTokenCount` is prompt and candidates and nothing else: 100 + 9."""
    usage = {"promptTokenCount": 100, "cachedContentTokenCount": 80, "candidatesTokenCount": 9, "thoughtsTokenCount": 4}
    said = {"role": "model", "parts": [{"text": "Woven."}]}
    record = {
        "uuid": "a",
        "parentUuid": None,
        "sessionId": "s",
        "timestamp": AT.format(1),
        "type": "assistant",
        "message": said,
    }
    record |= {"cwd": "/srv/looms", "version": "0.21.0", "model": "weaver-2"}
    assert of_lines(tmp_path / "s.jsonl", [{**record, "usageMetadata": {**usage, "totalTokenCount": 109}}]) == (1, 20, 80, 0, 9)


def test_roo__tokens_in_are_the_whole_prompt(tmp_path: Path):
    """tokscale adds the cache to `tokensIn`. Since 3.29.5 Roo Code writes the whole prompt there, and takes it and the output
    for the size of the context: 100 + 9 is what its own condensing says there was."""
    at = WHOLE_PROMPT_SINCE + 1_000
    counts = {"tokensIn": 100, "tokensOut": 9, "cacheReads": 70, "cacheWrites": 20, "apiProtocol": "anthropic"}
    condensed = {"summary": "A band is woven.", "prevContextTokens": 109, "newContextTokens": 12, "cost": 0}
    said = {"ts": at + 1, "role": "assistant", "content": [{"type": "text", "text": "Woven."}]}
    environment = "<environment_details>\n# Current Mode\n<slug>code</slug>\n<name>Code</name>\n</environment_details>"
    prompt = [{"type": "text", "text": "<task>\nWeave.\n</task>"}, {"type": "text", "text": environment}]
    files: dict[str, Any] = {
        "api_conversation_history.json": [{"ts": at - 1, "role": "user", "content": prompt}, said],
        "ui_messages.json": [
            {"ts": at, "type": "say", "say": "api_req_started", "text": json.dumps(counts)},
            {"ts": at + 2, "type": "say", "say": "condense_context", "contextCondense": condensed},
        ],
        "history_item.json": {"id": "s", "workspace": "/srv/looms"},
    }
    task = tmp_path / "tasks" / "s"
    task.mkdir(parents=True)
    for name, value in files.items():
        (task / name).write_text(json.dumps(value), encoding="utf-8")
    assert sums(read(task)[1]) == (1, 10, 70, 20, 9)
