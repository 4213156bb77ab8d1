"""Stories as Goose keeps them: a file of lines, of whose calls only the sum is known, and a database with a ledger."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Writer

Message = tuple[str, int, list[dict[str, Any]]]


def messages(story: Story) -> Iterator[tuple[Message, Answer | None]]:
    """Each message, an answer's with what it cost. Tool results are messages of the user."""
    clock = (int((story.start + STEP * n).replace(tzinfo=UTC).timestamp()) for n in range(10**6))
    for turn in story.turns:
        yield ("user", next(clock), [{"type": "text", "text": turn.prompt}]), None
        for answer in turn.answers:
            now = next(clock)
            calls = [
                {"type": "toolRequest", "id": f"{now}-{n}", "toolCall": {"status": "success", "value": _call(tool)}}
                for n, tool in enumerate(answer.tools)
            ]
            thought = {"type": "thinking", "thinking": answer.reasoning, "signature": ""}
            yield ("assistant", now, [thought, {"type": "text", "text": answer.text}, *calls]), answer
            results = [
                {"type": "toolResponse", "id": f"{now}-{n}", "toolResult": {"status": "success", "value": _said(tool)}}
                for n, tool in enumerate(answer.tools)
            ]
            yield ("user", next(clock), results), None


def _call(tool: Any) -> dict[str, Any]:
    return {"name": tool.name, "arguments": tool.arguments}


def _said(tool: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": tool.result}, {"type": "text", "text": "shown", "annotations": {"audience": ["user"]}}]


def write_lines(story: Story, folder: Path) -> Path:
    log = folder / f"{story.native_id}.jsonl"
    told = [message for message, _ in messages(story)]
    head = {"working_dir": story.cwd, "description": "Looms", "message_count": len(told)}
    lines = [head, *({"role": role, "created": at, "content": content} for role, at, content in told)]
    log.write_bytes(b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines))
    return log


def _sums(story: Story) -> tuple[int, ...]:
    """Total, prompt and answer of the last call, and of all: a session's own columns, of which a ledger makes none needed."""
    used = [answer.used for turn in story.turns for answer in turn.answers]
    counts = [(one.uncached + one.cache_read + one.cache_write, one.output) for one in used]
    pairs = (counts[-1], tuple(map(sum, zip(*counts, strict=True))))
    return tuple(count for prompt, output in pairs for count in (prompt + output, prompt, output))


def write_database(story: Story, folder: Path) -> Path:
    log = folder / "sessions.db"
    with closing(sqlite3.connect(log)) as con:
        con.executescript(
            "create table schema_version (version integer primary key);"
            "create table sessions (id text primary key, name text, working_dir text, created_at text, model_config_json text,"
            " provider_name text, total_tokens integer, input_tokens integer, output_tokens integer,"
            " accumulated_total_tokens integer, accumulated_input_tokens integer, accumulated_output_tokens integer);"
            "create table messages (id integer primary key, message_id text, session_id text, role text, content_json text,"
            " created_timestamp integer, metadata_json text);"
            "create table usage_ledger (id integer primary key, session_id text, created_timestamp integer, model text,"
            " input_tokens integer, output_tokens integer, cache_read_tokens integer, cache_write_tokens integer,"
            " is_compaction integer);"
            "insert into schema_version values (15);"
        )
        created = story.start.isoformat(sep=" ")
        values: tuple[Any, ...] = (story.native_id, story.cwd, created, json.dumps({"model_name": story.model}), *_sums(story))
        con.execute("insert into sessions values (?, 'Looms', ?, ?, ?, 'mill', ?, ?, ?, ?, ?, ?)", values)
        for number, ((role, at, content), answer) in enumerate(messages(story)):
            values = (f"m{number}", story.native_id, role, json.dumps(content), at)
            con.execute("insert into messages values (null, ?, ?, ?, ?, ?, null)", values)
            if answer:
                used = answer.used
                prompt = used.uncached + used.cache_read + used.cache_write
                counts = (prompt, used.output, used.cache_read, used.cache_write)
                sql = "insert into usage_ledger values (null, ?, ?, ?, ?, ?, ?, ?, 0)"
                con.execute(sql, (story.native_id, at, story.model, *counts))
        con.commit()
    return log


WRITERS = (
    Writer("goose-lines", "goose", write_lines, frozenset({"usage"})),
    Writer("goose-database", "goose", write_database, frozenset({"reasoning_tokens"})),
)
