"""Builders of invented agent logs: what a test says of a session, as the bytes the agent would have written."""

import copy
import itertools
import json
import uuid
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self

START = datetime(2026, 3, 2, 9, 0, 0)
_SPACE = uuid.UUID("00000000-0000-4000-8000-00000000c0de")


class ClaudeLog:
    """A Claude Code session, one chain of records. `name` makes every id, so equal stories give equal bytes."""

    def __init__(self, name: str, *, start: datetime = START, cwd: str = "/srv/looms") -> None:
        self.name, self.cwd, self.start = name, cwd, start
        self.session_id = str(uuid.uuid5(_SPACE, name))
        self.records: list[dict[str, Any]] = []
        self._steps = itertools.count()
        self._calls = 0
        self._after: str | None = None

    def after(self, no: int) -> Self:
        """What comes next goes on from this record: a rewind."""
        self._after = self.records[no]["uuid"]
        return self

    def prompt(self, text: str) -> Self:
        return self._add("user", message={"role": "user", "content": text})

    def answer(
        self, *texts: str, tokens: tuple[int, int, int, int] = (3, 10, 100, 7), model: str = "claude-sonnet-4-5"
    ) -> Self:
        """One paid call, a record per text; (uncached, cache write, cache read, output) tokens, growing as it streams."""
        return self._stream([{"type": "text", "text": text} for text in texts], tokens, model)

    def call(
        self, tool: str, arguments: dict[str, Any], result: str, tokens: tuple[int, int, int, int] = (3, 10, 100, 7)
    ) -> Self:
        """One paid call that uses a tool, and the tool's result."""
        tool_id = f"toolu_{self.name}_{self._calls}"
        self._stream([{"type": "tool_use", "id": tool_id, "name": tool, "input": arguments}], tokens, "claude-sonnet-4-5")
        block = {"type": "tool_result", "tool_use_id": tool_id, "content": result}
        return self._add("user", message={"role": "user", "content": [block]})

    def think(self, text: str, tokens: tuple[int, int, int, int] = (3, 10, 100, 7)) -> Self:
        """One paid call that only thinks, with the signature that the model reads it by."""
        return self._stream([{"type": "thinking", "thinking": text, "signature": "c2VhbGVk"}], tokens, "claude-sonnet-4-5")

    def compact(self, summary: str) -> Self:
        last = self.records[-1]["uuid"]
        self._add(
            "system", subtype="compact_boundary", parentUuid=None, logicalParentUuid=last,
            compactMetadata={"trigger": "auto", "preTokens": 9000}, content="Conversation compacted",
        )  # fmt: skip
        return self._add("user", message={"role": "user", "content": summary}, isCompactSummary=True)

    def resumed(self, name: str) -> "ClaudeLog":
        """A new session whose file repeats this one's history under its own session id."""
        return self.forked(name, len(self.records))

    def forked(self, name: str, records: int) -> "ClaudeLog":
        """A new session whose file repeats the first records of this one."""
        child = ClaudeLog(name, start=self.start + timedelta(hours=5), cwd=self.cwd)
        child.records = copy.deepcopy(self.records[:records])
        for record in child.records:
            record["sessionId"] = child.session_id
        return child

    def lines(self) -> list[bytes]:
        return [json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in self.records]

    def write(self, archive: Path, records: int | None = None) -> Path:
        """Write the first records under `projects/` as the agent would."""
        path = archive / "projects" / "-srv-looms" / f"{self.session_id}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(self.lines()[:records]))
        return path

    def _stream(self, blocks: list[dict[str, Any]], tokens: tuple[int, int, int, int], model: str) -> Self:
        self._calls += 1
        number = self._calls
        uncached, written, read, output = tokens
        for n, block in enumerate(blocks, 1):
            last = n == len(blocks)
            usage = {
                "input_tokens": uncached, "cache_creation_input_tokens": written, "cache_read_input_tokens": read,
                "output_tokens": output if last else 1,
            }  # fmt: skip
            message = {
                "id": f"msg_{self.name}_{number}", "role": "assistant", "model": model, "content": [block], "usage": usage,
                "stop_reason": "end_turn" if last else None,
            }  # fmt: skip
            self._add("assistant", message=message, requestId=f"req_{self.name}_{number}")
        return self

    def _add(self, kind: str, **fields: Any) -> Self:
        step = next(self._steps)
        parent = self._after or (self.records[-1]["uuid"] if self.records else None)
        self._after = None
        record = {
            "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": self.cwd, "sessionId": self.session_id,
            "version": "2.1.30", "gitBranch": "main", "type": kind, "uuid": str(uuid.uuid5(_SPACE, f"{self.name}/{step}")),
            "timestamp": (self.start + timedelta(seconds=10 * step)).isoformat(timespec="milliseconds") + "Z",
        }  # fmt: skip
        self.records.append({**record, **fields})
        return self


class CodexLog:
    """A Codex rollout with its own cumulative counter."""

    def __init__(self, name: str, *, start: datetime = START, cwd: str = "/srv/looms") -> None:
        self.session_id = str(uuid.uuid5(_SPACE, f"codex/{name}"))
        self.name, self.cwd, self.at = name, cwd, start
        self.total = dict.fromkeys(
            ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens", "total_tokens"), 0
        )
        self.records: list[dict[str, Any]] = []
        self._add("session_meta", self._meta())
        self._turns = 0

    def prompt(self, text: str) -> Self:
        self._turns += 1
        self._add("event_msg", {"type": "task_started", "turn_id": f"{self.name}-{self._turns}"})
        self._add("turn_context", {"cwd": self.cwd, "model": "gpt-5.1-codex", "turn_id": f"{self.name}-{self._turns}"})
        self._add("event_msg", {"type": "user_message", "message": text})
        return self._message("user", "input_text", text)

    def answer(self, text: str, tokens: tuple[int, int, int] = (100, 60, 9), repeats: int = 2) -> Self:
        """One paid call; (input with cached, cached, output) tokens, its count emitted `repeats` times."""
        self._message("assistant", "output_text", text)
        self.count(tokens, repeats)
        return self._add("event_msg", {"type": "task_complete", "turn_id": f"{self.name}-{self._turns}"})

    def count(self, tokens: tuple[int, int, int], repeats: int = 1, *, reasoning: int = 0) -> Self:
        names = ("input_tokens", "cached_input_tokens", "output_tokens")
        last = {
            **dict(zip(names, tokens, strict=True)),
            "reasoning_output_tokens": reasoning,
            "total_tokens": tokens[0] + tokens[2],
        }
        self.total = {name: self.total[name] + last[name] for name in self.total}
        for _ in range(repeats):
            info = {"total_token_usage": self.total, "last_token_usage": last, "model_context_window": 272000}
            self._add("event_msg", {"type": "token_count", "info": info, "rate_limits": None})
        return self

    def forked(self, name: str) -> "CodexLog":
        """A new rollout that begins with a re-stamped copy of this one and goes on with its counter."""
        child = CodexLog(name, start=self.at + timedelta(hours=1), cwd=self.cwd)
        child.records[0]["payload"]["forked_from_id"] = self.session_id
        stamp = child.records[0]["timestamp"]
        child.records += [{**copy.deepcopy(record), "timestamp": stamp} for record in self.records]
        child.total = dict(self.total)
        return child

    def lines(self) -> list[bytes]:
        return [json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in self.records]

    def write(self, archive: Path, records: int | None = None) -> Path:
        folder = archive / "sessions" / "2026" / "03" / "02"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"rollout-2026-03-02T09-00-00-{self.session_id}.jsonl"
        path.write_bytes(b"".join(self.lines()[:records]))
        return path

    def _meta(self) -> dict[str, Any]:
        stamp = self._stamp()
        return {
            "id": self.session_id, "timestamp": stamp, "cwd": self.cwd, "originator": "codex_cli_rs", "cli_version": "0.145.0",
            "source": "cli", "git": {"branch": "main"},
        }  # fmt: skip

    def _message(self, role: str, kind: str, text: str) -> Self:
        return self._add("response_item", {"type": "message", "role": role, "content": [{"type": kind, "text": text}]})

    def _stamp(self) -> str:
        self.at += timedelta(seconds=7)
        return self.at.isoformat(timespec="milliseconds") + "Z"

    def _add(self, kind: str, payload: dict[str, Any]) -> Self:
        self.records.append({"timestamp": self._stamp(), "type": kind, "payload": payload})
        return self
