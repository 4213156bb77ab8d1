"""The messages of a mini-swe-agent trajectory -> items and calls."""

import re
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.records import Record
from tasks.readers import contents
from tasks.readers.draft import Draft
from tasks.readers.usage import chat_completion
from tasks.readers.values import canonical, fields, objects, text

ACTION = re.compile(r"```(?:mswea_bash_command|bash|sh)[ \t]*\r?\n(.*?)\r?\n?```", re.DOTALL)
"""The one command of an answer in the format without tool calls."""
TIMES = ("created_at", "timestamp", "completed_at")
SHELL = "bash"
TYPED = ("UserInterruption", "UserNewTask", "UserRejection")
"""Why a person broke into the run; every other interruption is the program's."""


class Told:
    """What the messages so far mean for the next one."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.model: str | None = None
        self.has_answered = False
        self.waiting: str | None = None
        """Id of the fenced command whose result is the next message."""
        self.actions = 0

    def message(self, record: Record) -> None:
        """Books one message: a chat message, a whole response, or the output of a call."""
        data = record.data
        role = text(data.get("role"))
        is_response = data.get("object") == "response"
        kind = role or text(data.get("object")) or text(data.get("type")) or "unknown"
        known = role in ("system", "user", "assistant", "tool", "exit") or is_response or kind == "function_call_output"
        used = _usage(data)
        is_uncounted = bool(used) and not (role == "assistant" or is_response)
        flags = (*(() if known else ("unknown_type",)), *(("usage_uncounted",) if is_uncounted else ()))
        self.draft.record(record, kind, native_id=text(data.get("id")) if is_response else None, at=_time(data), flags=flags)
        if role == "assistant":
            self._answer(data, used)
        elif is_response:
            self._response(data, used)
        elif role == "tool":
            self._result(data, text(data.get("tool_call_id")), contents.parts(data.get("content")), role)
        elif kind == "function_call_output":
            output = contents.parts(data.get("output")) or contents.parts(fields(data.get("extra")).get("raw_output"))
            self._result(data, text(data.get("call_id")), output, "tool")
        else:
            self._told(data, role or "unknown")

    def _told(self, data: dict[str, Any], role: str) -> None:
        parts = contents.parts(data.get("content"))
        cause = text(fields(data.get("extra")).get("interrupt_type"))
        if role == "user" and self.waiting and not cause:
            self._result(data, self.waiting, parts, role)
            self.waiting = None
            return
        typed = ItemKind.USER_TEXT if cause in TYPED or not self.has_answered else ItemKind.INJECTED
        kind = {"system": ItemKind.SYSTEM, "user": typed, "exit": ItemKind.NOTICE}.get(role, ItemKind.UNKNOWN)
        self._say(kind, role, parts, None, is_sent=role != "exit")

    def _answer(self, data: dict[str, Any], used: dict[str, Any]) -> None:
        self.has_answered, self.waiting = True, None
        response = fields(fields(data.get("extra")).get("response"))
        request_id = self._call(text(response.get("id")), response, used)
        self._reasoning(data, request_id)
        calls = objects(data.get("tool_calls"))
        for part in contents.parts(data.get("content")):
            blocks = ACTION.findall(part.text) if part.type == contents.TEXT and not calls else []
            if len(blocks) == 1:
                self._fenced(part.text, request_id)
            else:
                self._say(ItemKind.ASSISTANT_TEXT, "assistant", [part], request_id)
        for call in calls:
            function = fields(call.get("function"))
            self._tool(text(call.get("id")), text(function.get("name")), function.get("arguments"), request_id)

    def _fenced(self, said: str, request_id: str | None) -> None:
        """An answer around its command: the words before, the command as a call, the words behind."""
        before, command, behind = ACTION.split(said)
        self.actions += 1
        self.waiting = f"action-{self.actions}"
        self._words(before, request_id)
        self._tool(self.waiting, SHELL, {"command": command}, request_id)
        self._words(behind, request_id)

    def _words(self, said: str, request_id: str | None) -> None:
        if said.strip():
            self._say(ItemKind.ASSISTANT_TEXT, "assistant", contents.parts(said), request_id)

    def _response(self, data: dict[str, Any], used: dict[str, Any]) -> None:
        self.has_answered, self.waiting = True, None
        request_id = self._call(text(data.get("id")), data, used)
        for item in objects(data.get("output")):
            kind = item.get("type")
            if kind == "message":
                self._say(ItemKind.ASSISTANT_TEXT, "assistant", contents.parts(item.get("content")), request_id)
            elif kind == "reasoning":
                thought = contents.plain(item.get("content")) or contents.plain(item.get("summary"))
                self._think(thought, request_id)
            elif kind == "function_call":
                call_id = text(item.get("call_id")) or text(item.get("id"))
                self._tool(call_id, text(item.get("name")), item.get("arguments"), request_id)
            else:
                self.draft.item(ItemKind.UNKNOWN, canonical(item), role="assistant", request_id=request_id)

    def _call(self, response_id: str | None, response: dict[str, Any], used: dict[str, Any]) -> str | None:
        usage = chat_completion(used)
        if usage.is_empty:
            return None
        choice = next(iter(objects(response.get("choices"))), {})
        stop = text(choice.get("finish_reason")) or text(response.get("status"))
        key = response_id or self.draft.record_key
        return self.draft.call(key, usage, model=text(response.get("model")) or self.model, stop_reason=stop)

    def _reasoning(self, data: dict[str, Any], request_id: str | None) -> None:
        blocks = [thought for block in objects(data.get("thinking_blocks")) if (thought := text(block.get("thinking")))]
        for thought in blocks or [text(data.get("reasoning_content")) or ""]:
            self._think(thought, request_id)

    def _think(self, thought: str | None, request_id: str | None) -> None:
        if thought:
            self.draft.item(ItemKind.REASONING, thought, role="assistant", request_id=request_id)

    def _tool(self, call_id: str | None, name: str | None, given: Any, request_id: str | None) -> None:
        self.draft.item(
            ItemKind.TOOL_CALL, contents.arguments(given)[1], role="assistant", call_id=call_id, tool_name=name,
            request_id=request_id,
        )  # fmt: skip

    def _result(self, data: dict[str, Any], call_id: str | None, parts: list[contents.Part], role: str) -> None:
        extra = fields(data.get("extra"))
        code = extra.get("returncode")
        failed = (type(code) is int and code != 0) or bool(fields(extra.get("exception_info")))
        said = "\n".join(part.text for part in parts if part.type == contents.TEXT)
        if code is None and re.match(r"<returncode>-?[1-9]\d*</returncode>", said):
            failed = True
        self.draft.item(ItemKind.TOOL_RESULT, said, role=role, call_id=call_id, flags=("error",) if failed else ())
        self._say(ItemKind.IMAGE, role, [part for part in parts if part.type != contents.TEXT], None)

    def _say(
        self, kind: ItemKind, role: str, parts: list[contents.Part], request_id: str | None, *, is_sent: bool = True
    ) -> None:
        for part in parts:
            what = {contents.TEXT: kind, contents.IMAGE: ItemKind.IMAGE}.get(part.type, ItemKind.UNKNOWN)
            self.draft.item(what, part.text, role=role, request_id=request_id, in_context=is_sent, size=part.size)


def _usage(data: dict[str, Any]) -> dict[str, Any]:
    found = fields(fields(fields(data.get("extra")).get("response")).get("usage"))
    return found or fields(data.get("usage"))


def _time(data: dict[str, Any]) -> Any:
    found = next((data[name] for name in TIMES if data.get(name) is not None), None)
    return found if found is not None else fields(data.get("extra")).get("timestamp")
