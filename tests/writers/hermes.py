"""Stories as Hermes keeps them: a document, the lines that it is written from, the database. It counts sessions, not calls."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC
from pathlib import Path
from typing import Any

from builders import Story, Tool, Writer

_LACKS = frozenset({"usage"})


def messages(story: Story) -> Iterator[dict[str, Any]]:
    """Tool results are messages of their own."""
    names = (f"call_{number}" for number in range(10**6))
    for turn in story.turns:
        yield {"role": "user", "content": turn.prompt}
        for answer in turn.answers:
            calls = [_call(next(names), tool) for tool in answer.tools]
            yield {"role": "assistant", "content": answer.text, "reasoning": answer.reasoning, "tool_calls": calls}
            for call, tool in zip(calls, answer.tools, strict=True):
                yield {"role": "tool", "content": tool.result, "tool_call_id": call["id"], "tool_name": tool.name}


def _call(name: str, tool: Tool) -> dict[str, Any]:
    return {"id": name, "function": {"name": tool.name, "arguments": json.dumps(tool.arguments)}}


def write_document(story: Story, folder: Path) -> Path:
    log = folder / f"session_{story.native_id}.json"
    head = {"session_id": story.native_id, "model": story.model, "platform": "cli", "session_start": story.start.isoformat()}
    log.write_text(json.dumps({**head, "cwd": story.cwd, "messages": list(messages(story))}, indent=2), encoding="utf-8")
    return log


def write_lines(story: Story, folder: Path) -> Path:
    log = folder / f"{story.native_id}.jsonl"
    lines = [{"role": "session_meta", "model": story.model, "platform": "cli"}, *messages(story)]
    log.write_bytes(b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines))
    return log


COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")


def write_database(story: Story, folder: Path) -> Path:
    log = folder / "state.db"
    counts = ", ".join(f"{name} integer default 0" for name in ("api_call_count", *COUNTS))
    with closing(sqlite3.connect(log)) as con:
        con.executescript(
            "create table sessions (id text primary key, source text not null, model text, model_config text,"
            " system_prompt text, parent_session_id text, started_at real not null, ended_at real, message_count integer,"
            f" cwd text, title text, billing_provider text, actual_cost_usd real, estimated_cost_usd real, {counts});"
            "create table messages (id integer primary key autoincrement, session_id text not null, role text not null,"
            " content text, tool_call_id text, tool_calls text, tool_name text, timestamp real not null, finish_reason text,"
            " reasoning text, active integer not null default 1, compacted integer not null default 0);"
        )
        at = story.start.replace(tzinfo=UTC).timestamp()
        start = "insert into sessions (id, source, model, started_at, cwd) values (?, 'cli', ?, ?, ?)"
        con.execute(start, (story.native_id, story.model, at, story.cwd))
        names = ("role", "content", "tool_call_id", "tool_name", "reasoning")
        for number, message in enumerate(messages(story), 1):
            calls = json.dumps(message["tool_calls"]) if message.get("tool_calls") else None
            values = (story.native_id, at + number, calls, *(message.get(name) for name in names))
            sql = (
                f"insert into messages (session_id, timestamp, tool_calls, {', '.join(names)}) values (?, ?, ?, ?, ?, ?, ?, ?)"
            )
            con.execute(sql, values)
        con.commit()
    return log


WRITERS = (
    Writer("hermes-document", "hermes", write_document, _LACKS),
    Writer("hermes-lines", "hermes", write_lines, _LACKS),
    Writer("hermes-database", "hermes", write_database, _LACKS),
)
