"""Stories as OpenCode keeps them: a tree of JSON files, an export, a database, all of the same objects; and OpenCode 2's."""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC
from pathlib import Path
from typing import Any

from builders import STEP, Answer, Story, Writer

Told = tuple[dict[str, Any], list[dict[str, Any]]]


def objects(story: Story) -> tuple[dict[str, Any], list[Told]]:
    """The session, and each message with its parts."""
    clock = (story.start + STEP * n for n in range(10**6))
    session = {
        "id": story.native_id, "version": "1.18.0", "projectID": "looms", "directory": story.cwd, "title": "Looms",
        "time": {"created": _millis(story)},
    }  # fmt: skip
    told: list[Told] = []
    for turn in story.turns:
        told.append(_message(story, len(told), "user", next(clock), [{"type": "text", "text": turn.prompt}]))
        for answer in turn.answers:
            message, parts = _message(story, len(told), "assistant", next(clock), _parts(answer))
            used = {"tokens": _tokens(answer), "modelID": story.model, "providerID": "mill", "finish": "stop"}
            told.append((message | used, parts))
    return session, told


def _millis(story: Story, at: Any = None) -> int:
    return int((at or story.start).replace(tzinfo=UTC).timestamp() * 1000)


def _message(story: Story, no: int, role: str, at: Any, parts: list[dict[str, Any]]) -> Told:
    name = f"msg_{story.native_id}_{no:06}"
    message = {"id": name, "sessionID": story.native_id, "role": role, "time": {"created": _millis(story, at)}}
    named = {"messageID": name, "sessionID": story.native_id}
    return message, [{"id": f"prt_{story.native_id}_{no:06}_{n:03}", **named, **part} for n, part in enumerate(parts)]


def _tokens(answer: Answer) -> dict[str, Any]:
    used = answer.used
    cache = {"read": used.cache_read, "write": used.cache_write}
    return {"input": used.uncached, "output": used.output - used.reasoning, "reasoning": used.reasoning, "cache": cache}


def _parts(answer: Answer) -> Iterable[dict[str, Any]]:
    tools = [
        {
            "type": "tool", "tool": tool.name, "callID": f"call_{n}",
            "state": {"status": "completed", "input": tool.arguments, "output": tool.result, "time": {}},
        }
        for n, tool in enumerate(answer.tools)
    ]  # fmt: skip
    said = [{"type": "reasoning", "text": answer.reasoning}, {"type": "text", "text": answer.text}, *tools]
    return [{"type": "step-start"}, *said, {"type": "step-finish", "reason": "stop", "tokens": _tokens(answer)}]


def write_export(story: Story, folder: Path) -> Path:
    session, told = objects(story)
    log = folder / "export.json"
    messages = [{"info": message, "parts": parts} for message, parts in told]
    log.write_text(json.dumps({"info": session, "messages": messages}, indent=2), encoding="utf-8")
    return log


def write_tree(story: Story, folder: Path) -> Path:
    session, told = objects(story)
    root = folder / "storage"
    _write(root / "session" / "looms" / f"{story.native_id}.json", session)
    for message, parts in told:
        _write(root / "message" / story.native_id / f"{message['id']}.json", message)
        for part in parts:
            _write(root / "part" / message["id"] / f"{part['id']}.json", part)
    return root


def _write(path: Path, value: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def write_database(story: Story, folder: Path) -> Path:
    session, told = objects(story)
    log = folder / "opencode.db"
    with closing(sqlite3.connect(log)) as con:
        con.executescript(
            "create table project (id text primary key, worktree text);"
            "create table session (id text primary key, project_id text, parent_id text, directory text, title text,"
            " version text, time_created integer);"
            "create table message (id text primary key, session_id text, time_created integer, data text);"
            "create table part (id text primary key, message_id text, session_id text, time_created integer, data text);"
        )
        con.execute("insert into project values ('looms', '/srv/looms')")
        values = (session["id"], "looms", None, session["directory"], session["title"], session["version"])
        con.execute("insert into session values (?, ?, ?, ?, ?, ?, ?)", (*values, session["time"]["created"]))
        for message, parts in told:
            created = message["time"]["created"]
            con.execute("insert into message values (?, ?, ?, ?)", (message["id"], story.native_id, created, _rest(message)))
            for part in parts:
                ids = (part["id"], message["id"], story.native_id, created)
                con.execute("insert into part values (?, ?, ?, ?, ?)", (*ids, _rest(part)))
        con.commit()
    return log


def _rest(one: dict[str, Any]) -> str:
    return json.dumps({name: value for name, value in one.items() if name not in ("id", "sessionID", "messageID")})


def write_next(story: Story, folder: Path) -> Path:
    """OpenCode 2: a row for each message, with its content inside."""
    session, told = objects(story)
    log = folder / "opencode-next.db"
    with closing(sqlite3.connect(log)) as con:
        con.executescript(
            "create table session_v2 (id text primary key, project_id text, parent_id text, fork_session_id text,"
            " directory text, title text, version text, time_created integer);"
            "create table session_message (id text primary key, session_id text, type text, seq integer,"
            " time_created integer, time_updated integer, data text);"
        )
        values = (session["id"], "looms", None, None, session["directory"], session["title"], "2.0.0")
        con.execute("insert into session_v2 values (?, ?, ?, ?, ?, ?, ?, ?)", (*values, session["time"]["created"]))
        for seq, (message, parts) in reversed(list(enumerate(told))):
            row = (message["id"], story.native_id, message["role"], seq, message["time"]["created"], 0)
            con.execute("insert into session_message values (?, ?, ?, ?, ?, ?, ?)", (*row, json.dumps(_next(message, parts))))
        con.commit()
    return log


def _next(message: dict[str, Any], parts: list[dict[str, Any]]) -> dict[str, Any]:
    if message["role"] == "user":
        return {"text": parts[0]["text"], "time": message["time"]}
    content = []
    for part in parts:
        if part["type"] == "tool":
            state = {"status": "completed", "input": part["state"]["input"], "metadata": {}}
            state["content"] = [{"type": "text", "text": part["state"]["output"]}]
            content.append(
                {"type": "tool", "id": part["callID"], "name": part["tool"], "state": state, "time": message["time"]}
            )
        elif part["type"] in ("text", "reasoning"):
            content.append({"type": part["type"], "text": part["text"]})
    model = {"id": message["modelID"], "providerID": message["providerID"], "variant": "default"}
    said = {"agent": "build", "model": model, "content": content, "tokens": message["tokens"], "cost": 0}
    return {**said, "time": message["time"], "finish": "stop"}


WRITERS = (
    Writer("opencode-tree", "opencode", write_tree),
    Writer("opencode-export", "opencode", write_export),
    Writer("opencode-database", "opencode", write_database),
    Writer("opencode-next-database", "opencode", write_next),
)
