"""What spans say: paid calls, tools, and the messages of the prompts.

Every `chat` span repeats the conversation before it. A message is named by its content and by how many equal ones stand before
it in the same prompt, so that it is one item however often it is sent; a tool's call and result are named by the call's id,
whether a message or the tool's own span tells of them.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.seen import SeenRecord
from tasks.readers.draft import Draft
from tasks.readers.pictures import size_in
from tasks.readers.usage import cached_inside
from tasks.readers.values import canonical, embedded, fields, moment, objects, text

_USAGE = "gen_ai.usage."
_PATHS = ("path", "filePath", "file_path", "filename", "targetFile")


@dataclass(frozen=True, slots=True)
class Span:
    """One span: as logged, its attributes, those of the program that wrote it."""

    logged: dict[str, Any]
    says: dict[str, Any]
    resource: dict[str, Any]

    @property
    def operation(self) -> str:
        return text(self.says.get("gen_ai.operation.name")) or (text(self.logged.get("name")) or "unknown").split(" ", 1)[0]

    @property
    def native_id(self) -> str | None:
        trace, span = text(self.logged.get("traceId")), text(self.logged.get("spanId"))
        return f"{trace}/{span}" if trace and span else None

    @property
    def started(self) -> Any:
        return self.logged.get("startTimeUnixNano")

    @property
    def ended(self) -> Any:
        return self.logged.get("endTimeUnixNano") or self.started

    @property
    def has_failed(self) -> bool:
        return fields(self.logged.get("status")).get("code") in (2, "STATUS_CODE_ERROR") or bool(self.says.get("error.type"))


class Spans:
    """Reads spans into the session that is open."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.told: set[tuple[str, str]] = set()
        """Keys of the items that each session has."""
        self.turns_ended: dict[str, datetime] = {}
        """When the last whole turn of each session was over."""

    def take(self, span: Span, row: SeenRecord) -> None:
        """`row`: of the record that holds the span."""
        if span.operation == "chat":
            self._chat(span)
        elif span.operation == "execute_tool":
            self._tool(span)
        else:
            self._end_turn(span)
            row.flags += tuple(flag for flag in _flags(span) if flag not in row.flags)
            self._messages(span, "input", Counter())
            self._messages(span, "output", Counter())

    def _end_turn(self, span: Span) -> None:
        ended = moment(span.ended)[0]
        if span.operation == "invoke_agent" and ended is not None:
            session_id = self.draft.session.session_id
            self.turns_ended[session_id] = max(ended, self.turns_ended.get(session_id, ended))

    def _chat(self, span: Span) -> None:
        says = span.says
        used = cached_inside(
            says.get(f"{_USAGE}input_tokens"), says.get(f"{_USAGE}cache_read.input_tokens"),
            says.get(f"{_USAGE}cache_creation.input_tokens"), says.get(f"{_USAGE}output_tokens"),
            reasoning=says.get(f"{_USAGE}reasoning.output_tokens"),
        )  # fmt: skip
        reasons = says.get("gen_ai.response.finish_reasons")
        self._system(span)
        before: Counter[str] = Counter()
        self._messages(span, "input", before)
        request_id = self.draft.call(
            span.native_id or hashlib.sha256(canonical(span.logged).encode()).hexdigest()[:32], used, at=span.started,
            model=text(says.get("gen_ai.response.model")) or text(says.get("gen_ai.request.model")),
            stop_reason=text(reasons[0]) if isinstance(reasons, list) and reasons else text(reasons),
            flags=("error",) if span.has_failed else (),
        )  # fmt: skip
        self._messages(span, "output", before, request_id)

    def _system(self, span: Span) -> None:
        for name in ("gen_ai.system_instructions", "gen_ai.tool.definitions"):
            said = span.says.get(name)
            if said:
                said = said if isinstance(said, str) else canonical(said)
                parts = objects(embedded(said))
                plain = "\n".join(found for part in parts if (found := text(part.get("content"))))
                self._item(f"{name}:{_hash(said)}", ItemKind.SYSTEM, plain or said, role="system", at=span.started)

    def _messages(self, span: Span, side: str, before: Counter[str], request_id: str | None = None) -> None:
        """`before`: how often each message stands in the prompt so far."""
        logged, at = span.says.get(f"gen_ai.{side}.messages"), span.started if side == "input" else span.ended
        found = embedded(logged) if isinstance(logged, str) else logged
        for message in objects(found):
            parts = objects(message.get("parts")) or [{"type": "text", "content": message.get("content")}]
            role = text(message.get("role")) or ""
            name = _hash(canonical([role, parts]))
            for no, part in enumerate(parts):
                self._part(f"message:{name}:{before[name]}:{no}", role, part, at, request_id)
            before[name] += 1

    def _part(self, key: str, role: str, part: dict[str, Any], at: Any, request_id: str | None) -> None:
        kind, said = part.get("type"), text(part.get("content"))
        if kind == "tool_call":
            self._call(text(part.get("id")), part.get("name"), part.get("arguments"), at, request_id)
        elif kind == "tool_call_response":
            answer = part.get("response") if "response" in part else part.get("result")
            self._result(text(part.get("id")) or key, answer, at)
        elif kind in ("blob", "file", "uri"):
            self._item(key, ItemKind.IMAGE, text(part.get("uri")) or "", role=role, at=at, size=size_in(part))
        elif kind in ("text", "reasoning") and said:
            self._item(key, _kind(role, kind, said), said, role=role, at=at, request_id=request_id)
        elif kind not in ("text", "reasoning"):
            self._item(key, ItemKind.UNKNOWN, canonical(part), role=role, at=at, request_id=request_id)

    def _tool(self, span: Span) -> None:
        says = span.says
        call_id = text(says.get("gen_ai.tool.call.id")) or span.native_id
        self._call(call_id, says.get("gen_ai.tool.name"), says.get("gen_ai.tool.call.arguments"), span.started, None)
        self._result(call_id, says.get("gen_ai.tool.call.result"), span.ended, has_failed=span.has_failed)

    def _call(self, call_id: str | None, name: Any, logged: Any, at: Any, request_id: str | None) -> None:
        given = embedded(logged) if isinstance(logged, str) else logged
        given = given if isinstance(given, dict) else {"input": logged} if logged else {}
        path = next((found for one in _PATHS if (found := text(given.get(one)))), None)
        self._item(
            f"call:{call_id}", ItemKind.TOOL_CALL, canonical(given), role="assistant", at=at, request_id=request_id,
            call_id=call_id, tool_name=text(name), path=path,
        )  # fmt: skip

    def _result(self, call_id: str | None, answer: Any, at: Any, *, has_failed: bool = False) -> None:
        said = answer if isinstance(answer, str) else "" if answer is None else canonical(answer)
        self._item(
            f"result:{call_id}", ItemKind.TOOL_RESULT, said, role="tool", at=at, call_id=call_id,
            flags=("error",) if has_failed else (),
        )  # fmt: skip

    def _item(self, key: str, kind: ItemKind, said: str, **facts: Any) -> None:
        place = (self.draft.session.session_id, key)
        if place not in self.told:
            self.told.add(place)
            self.draft.item(kind, said, key=key, block=0, **facts)


def _flags(span: Span) -> tuple[str, ...]:
    is_known = span.operation == "invoke_agent"
    has_usage = any(name.startswith(_USAGE) for name in span.says)
    return (*(() if is_known else ("unknown_type",)), *(("usage_uncounted",) if has_usage else ()))


def _kind(role: str, kind: Any, said: str) -> ItemKind:
    """A user's message may be the program's: then it begins with a tag."""
    if kind == "reasoning":
        return ItemKind.REASONING
    if role == "user":
        return ItemKind.INJECTED if said.lstrip().startswith("<") else ItemKind.USER_TEXT
    return {"assistant": ItemKind.ASSISTANT_TEXT, "system": ItemKind.SYSTEM}.get(role, ItemKind.UNKNOWN)


def _hash(said: str) -> str:
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:32]
