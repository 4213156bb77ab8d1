"""pi's session file in its three versions, oh-my-pi's with a title before it, and OpenClaw's, also as rows of its database."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

import zstandard
from builders import STEP, Answer, Story, Writer

LONG = 2000
"""Lines of more bytes are packed in a database."""


def messages(story: Story) -> Iterator[dict[str, Any]]:
    calls = count(1)
    for turn in story.turns:
        yield {"role": "user", "content": [{"type": "text", "text": turn.prompt}]}
        for answer in turn.answers:
            used = [(f"toolu_{next(calls)}", tool) for tool in answer.tools]
            made = [{"type": "toolCall", "id": no, "name": tool.name, "arguments": tool.arguments} for no, tool in used]
            yield {"role": "assistant", "content": [*said(answer), *made], **paid(answer, story, "toolUse" if used else "stop")}
            for no, tool in used:
                result = [{"type": "text", "text": tool.result}]
                yield {"role": "toolResult", "toolCallId": no, "toolName": tool.name, "content": result, "isError": False}


def said(answer: Answer) -> list[dict[str, Any]]:
    return [
        {"type": "thinking", "thinking": answer.reasoning, "thinkingSignature": "c2ln"},
        {"type": "text", "text": answer.text},
    ]


def paid(answer: Answer, story: Story, stop: str) -> dict[str, Any]:
    used = answer.used
    usage = {
        "input": used.uncached, "output": used.output, "cacheRead": used.cache_read, "cacheWrite": used.cache_write,
        "reasoning": used.reasoning, "totalTokens": used.uncached + used.output + used.cache_read + used.cache_write,
    }  # fmt: skip
    return {"provider": "mill", "model": story.model, "usage": usage, "stopReason": stop}


def entries(story: Story) -> Iterator[dict[str, Any]]:
    """A tree without branches; the first entry hangs from nothing."""
    parent: str | None = None
    for no, message in enumerate(messages(story), 1):
        at = (story.start + no * STEP).isoformat(timespec="milliseconds") + "Z"
        yield {"type": "message", "id": f"{no:08x}", "parentId": parent, "timestamp": at, "message": message}
        parent = f"{no:08x}"


def header(story: Story, **more: Any) -> dict[str, Any]:
    at = story.start.isoformat(timespec="milliseconds") + "Z"
    return {"type": "session", "id": story.native_id, "timestamp": at, "cwd": story.cwd, **more}


def log(story: Story, folder: Path, lines: Iterable[dict[str, Any]]) -> Path:
    path = folder / f"2026-03-02T09-00-00-000Z_{story.native_id}.jsonl"
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def version_1(story: Story, folder: Path) -> Path:
    bare = ({name: value for name, value in one.items() if name not in ("id", "parentId")} for one in entries(story))
    return log(story, folder, [header(story, provider="mill", modelId=story.model), *bare])


def version_2(story: Story, folder: Path) -> Path:
    return log(story, folder, [header(story, version=2), *entries(story)])


def version_3(story: Story, folder: Path) -> Path:
    """With an answer that was left behind: a branch from the first prompt."""
    told = list(entries(story))
    left = {**told[0], "id": "ffffffff", "message": {"role": "custom", "customType": "x", "content": "left behind"}}
    return log(story, folder, [header(story, version=3), left, *told])


def titled(story: Story, folder: Path) -> Path:
    return log(story, folder, [{"type": "title", "title": "Warp".ljust(40)}, header(story, version=3), *entries(story)])


def openclaw(story: Story, folder: Path) -> Path:
    mark = {"type": "custom", "id": "00000000", "parentId": None, "customType": "model-snapshot", "data": {}}
    told = list(entries(story))
    return log(story, folder, [header(story, version=3), mark, {**told[0], "parentId": mark["id"]}, *told[1:]])


def openclaw_database(story: Story, folder: Path) -> Path:
    """The same lines as rows, long ones packed; written in an order that is not the story's."""
    lines = openclaw(story, folder).read_text(encoding="utf-8").split("\n")[:-1]
    path = folder / "openclaw-agent.sqlite"
    at = int((story.start - datetime(1970, 1, 1)).total_seconds() * 1000)
    with closing(sqlite3.connect(path)) as con:
        con.executescript(
            "create table schema_meta (meta_key text primary key, role text, schema_version integer, agent_id text,"
            " app_version text, created_at integer, updated_at integer);"
            "create table session_windows (session_id text primary key, session_key text, created_at integer);"
            "create table transcript_events (session_id text not null, seq integer not null, event_json text,"
            " created_at integer not null, event_zstd blob, event_utf8_bytes integer, primary key (session_id, seq)) strict;"
        )
        con.execute("insert into schema_meta values ('primary', 'agent', 23, 'main', '2026.9.6', 100, 100)")
        con.execute("insert into session_windows values (?, ?, ?)", (story.native_id, f"agent:main:{story.native_id}", at))
        for seq, line in reversed(list(enumerate(lines))):
            raw = line.encode()
            packed = zstandard.compress(raw) if len(raw) > LONG else None
            row = (story.native_id, seq, None if packed else line, at, packed, len(raw))
            con.execute("insert into transcript_events values (?, ?, ?, ?, ?, ?)", row)
        con.commit()
    return path


WRITERS = (
    Writer("pi version 1", "pi", version_1),
    Writer("pi version 2", "pi", version_2),
    Writer("pi version 3", "pi", version_3),
    Writer("oh-my-pi", "pi", titled),
    Writer("openclaw", "openclaw", openclaw),
    Writer("openclaw-database", "openclaw", openclaw_database),
)
