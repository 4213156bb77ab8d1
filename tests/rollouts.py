"""Builder and reading of Codex rollouts for tests: `rollout("a").prompt("Grind.").answer("Ground.", used=(100, 0, 10))`."""

import io
import json
from datetime import datetime, timedelta
from typing import Any, Self

from readings import lines

from tasks.domain.records import Books, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers.codex import Codex
from tasks.readers.records import read_records

START = datetime(2026, 5, 4, 8)


def read(log: bytes, path: str = "rollout.jsonl") -> Reading:
    """The rows of a log that is complete."""
    records = [part for part in read_records(io.BytesIO(log), Books(), final=True) if isinstance(part, Record)]
    reader = Codex()
    head = [record.data for record in records[:50]]
    return reader.read(records, SourceHint(reader.agent, path, native_id=reader.identify(lines(head), path)))


class Rollout:
    """Lines of one session; time goes on by itself, five seconds a line."""

    def __init__(self, native_id: str, *, at: float = 0, **meta: Any) -> None:
        self.native_id = native_id
        self.lines: list[dict[str, Any]] = []
        self._seconds = at
        self._total = [0, 0, 0]
        self.line("session_meta", {"id": native_id, "timestamp": self._stamp(), "cwd": "/srv/mill", "source": "cli", **meta})

    def line(self, kind: str, payload: dict[str, Any]) -> Self:
        self.lines.append({"timestamp": self._stamp(), "type": kind, "payload": payload})
        self._seconds += 5
        return self

    def prompt(self, text: str) -> Self:
        self.line("event_msg", {"type": "user_message", "message": text})
        return self.line("response_item", _message("user", "input_text", text))

    def answer(self, text: str, *, used: tuple[int, int, int]) -> Self:
        """`used`: input with what was cached, cached, output."""
        self._total = [was + now for was, now in zip(self._total, used, strict=True)]
        self.line("response_item", _message("assistant", "output_text", text))
        info = {"total_token_usage": _usage(self._total), "last_token_usage": _usage(used), "model_context_window": 272000}
        return self.line("event_msg", {"type": "token_count", "info": info})

    def use(self, call_id: str, arguments: str, result: str, *, used: tuple[int, int, int], thought: int = 0) -> Self:
        """An answer that thinks and calls the shell, its usage, and the result. `thought`: reasoning tokens, of the output."""
        self._total = [was + now for was, now in zip(self._total, used, strict=True)]
        self.line("response_item", {"type": "reasoning", "summary": [], "encrypted_content": "x" * 400})
        call = {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": call_id}
        last = {**_usage(used), "reasoning_output_tokens": thought}
        info = {"total_token_usage": _usage(self._total), "last_token_usage": last, "model_context_window": 272000}
        self.line("response_item", call).line("event_msg", {"type": "token_count", "info": info})
        return self.line("response_item", {"type": "function_call_output", "call_id": call_id, "output": result})

    def fork(self, native_id: str, *, after: float = 600) -> "Rollout":
        """A child that copies all lines within one second, stamped with the fork."""
        child = Rollout(native_id, at=self._seconds + after, forked_from_id=self.native_id)
        stamp = child._stamp()
        child.lines += [{**line, "timestamp": stamp} for line in self.lines]
        child._seconds += 30
        child._total = list(self._total)
        return child

    def log(self) -> bytes:
        return b"".join(json.dumps(line).encode() + b"\n" for line in self.lines)

    def read(self) -> Reading:
        return read(self.log())

    def _stamp(self) -> str:
        return (START + timedelta(seconds=self._seconds)).isoformat(timespec="milliseconds") + "Z"


def _message(role: str, part: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": part, "text": text}]}


def _usage(counts: Any) -> dict[str, int]:
    used, cached, output = counts
    return {"input_tokens": used, "cached_input_tokens": cached, "output_tokens": output, "total_tokens": used + output}
