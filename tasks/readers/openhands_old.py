"""The events of OpenHands before the SDK (V0) -> items, calls, compactions."""

from collections.abc import Sequence
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.records import Record
from tasks.domain.seen import SeenItem
from tasks.readers import contents
from tasks.readers.draft import Draft
from tasks.readers.pictures import size_in
from tasks.readers.usage import Usage, cached_inside, chat_completion
from tasks.readers.values import canonical, fields, file_named, objects, text, whole

SILENT = ("change_agent_state", "agent_state_changed", "null", "recall", "condensation_request", "pause", "resume", "stop")
OWN_ARGUMENTS = ("thought", "hidden", "confirmation_state", "security_risk", "is_confirmed", "blocking", "image_urls")
"""Arguments of an action that the model did not give."""
COUNTS = ("prompt_tokens", "cache_read_tokens", "cache_write_tokens", "completion_tokens")


class OldConversation:
    """One conversation while it is read."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.model: str | None = None
        self.items: dict[int, list[SeenItem]] = {}
        self.calls: dict[int, tuple[str, str | None, str | None]] = {}
        """Call id, tool and path of each action, by its event's id: results name it as their cause."""
        self.booked: dict[str, str] = {}
        self.answered: set[str] = set()
        """Responses whose words are items."""
        self.reported: dict[str, Usage] = {}
        """What a run's end reports, by response id."""
        self._sums: dict[str, int] = {}
        self._at: Any = None
        self._id = -1
        self._key: str | None = None

    def record(self, record: Record) -> None:
        """Books an event that is a file of its own."""
        number = record.data.get("id")
        kind = next(
            (f"{name}/{record.data[name]}" for name in ("action", "observation") if text(record.data.get(name))), "event"
        )
        own = str(number) if type(number) is int else None
        row = self.draft.record(record, kind, native_id=own, at=record.data.get("timestamp"))
        if not self.event(record.data, None):
            row.flags += ("unknown_type",)

    def event(self, data: dict[str, Any], key: str | None) -> bool:
        """Books what an event says, and tells whether its type is known. `key` names it inside of a larger record."""
        number = data.get("id")
        self._id = number if type(number) is int else -1
        self._key, self._at = key, data.get("timestamp") if key else None
        action, observation = text(data.get("action")), text(data.get("observation"))
        if observation:
            self._observation(data, observation)
        elif action in SILENT:
            pass
        elif action:
            self._action(data, action)
        else:
            return False
        return True

    def report(self, metrics: Any, *, can_sum: bool = True) -> list[str]:
        """Takes the calls of an event's metrics: each one listed, else what the sums grew by."""
        counts = fields(metrics)
        for one in objects(counts.get("token_usages")):
            name = text(one.get("response_id"))
            if name:
                self.reported.setdefault(name, _usage(one))
        total = fields(counts.get("accumulated_token_usage"))
        grown = {name: (whole(total.get(name))[0] or 0) - self._sums.get(name, 0) for name in COUNTS}
        if not can_sum or not total:
            return []
        self._sums = {name: self._sums.get(name, 0) + max(more, 0) for name, more in grown.items()}
        return [name for name, more in grown.items() if more > 0]

    def is_uncounted(self, metrics: Any) -> bool:
        """Whether a run's end reports tokens of which no event names a call."""
        counts = fields(metrics)
        has_any = bool(objects(counts.get("token_usages"))) or bool(fields(counts.get("accumulated_token_usage")))
        return has_any and not self.booked

    def _item(self, kind: ItemKind, said: str, role: str, **facts: Any) -> SeenItem:
        item = self.draft.item(kind, said, role=role, key=self._key, native_id=self._key, at=self._at, **facts)
        self.items.setdefault(self._id, []).append(item)
        return item

    def _say(self, kind: ItemKind, content: Any, role: str, request_id: str | None = None, **facts: Any) -> None:
        for part in contents.parts(content):
            what = {contents.TEXT: kind, contents.IMAGE: ItemKind.IMAGE}.get(part.type, ItemKind.UNKNOWN)
            self._item(what, part.text, role, request_id=request_id, size=part.size, **facts)

    def _action(self, data: dict[str, Any], action: str) -> None:
        arguments, source = fields(data.get("args")), data.get("source")
        if action == "system":
            self._say(ItemKind.SYSTEM, arguments.get("content"), "system")
            if arguments.get("tools"):
                self._item(ItemKind.SYSTEM, canonical(arguments["tools"]), "system", flags=("tool_definitions",))
        elif action == "condensation":
            self._condensation(arguments)
        elif action == "message" and source != "agent":
            self._say(ItemKind.USER_TEXT if source == "user" else ItemKind.INJECTED, arguments.get("content"), "user")
            self._images(arguments, "user")
        elif action == "message":
            self._say(ItemKind.ASSISTANT_TEXT, arguments.get("content"), "assistant", self._call(data))
        else:
            self._tool(data, action, arguments)

    def _images(self, holder: dict[str, Any], role: str) -> None:
        urls = holder.get("image_urls")
        for url in urls if isinstance(urls, list) else ():
            where = text(url) or ""
            self._item(ItemKind.IMAGE, "" if where.startswith("data:") else where, role, size=size_in(where))

    def _tool(self, data: dict[str, Any], action: str, arguments: dict[str, Any]) -> None:
        request_id = self._call(data)
        metadata = fields(data.get("tool_call_metadata"))
        call_id = text(metadata.get("tool_call_id")) or f"event-{self._key or self._id}"
        name = text(metadata.get("function_name")) or action
        message = _message(metadata)
        response = text(fields(metadata.get("model_response")).get("id")) or ""
        if message and response not in self.answered:
            self.answered |= {response} if response else set()
            thought = text(message.get("reasoning_content"))
            if thought:
                self._item(ItemKind.REASONING, thought, "assistant", request_id=request_id)
            self._say(ItemKind.ASSISTANT_TEXT, message.get("content"), "assistant", request_id)
        elif not message:
            self._say(ItemKind.ASSISTANT_TEXT, arguments.get("thought"), "assistant", request_id)
        given = _given(message, metadata)
        own = {key: value for key, value in arguments.items() if key not in OWN_ARGUMENTS}
        asked, written = contents.arguments(own if given is None else given)
        path = file_named(asked) or text(arguments.get("path"))
        self._item(ItemKind.TOOL_CALL, written, "assistant", request_id=request_id, call_id=call_id, tool_name=name, path=path)
        self.calls[self._id] = (call_id, name, path)

    def _observation(self, data: dict[str, Any], observation: str) -> None:
        if observation in SILENT and observation != "recall":
            return
        extras, content = fields(data.get("extras")), data.get("content")
        if observation == "recall":
            said = text(content) or canonical(extras)
            self._item(ItemKind.INJECTED, said, "user", flags=() if text(content) else ("not_verbatim",))
            return
        cause = data.get("cause")
        call_id, name, path = self.calls.get(cause, (None, None, None)) if type(cause) is int else (None, None, None)
        metadata = fields(data.get("tool_call_metadata"))
        code = fields(extras.get("metadata")).get("exit_code", extras.get("exit_code"))
        failed = observation == "error" or data.get("success") is False or (type(code) is int and code > 0)
        self._item(
            ItemKind.TOOL_RESULT, contents.plain(content), "tool", call_id=text(metadata.get("tool_call_id")) or call_id,
            tool_name=name or text(metadata.get("function_name")), path=path, flags=("error",) if failed else (),
        )  # fmt: skip
        self._images(extras, "tool")

    def _condensation(self, arguments: dict[str, Any]) -> None:
        gone = [item for number in self._forgotten(arguments) for item in self.items.get(number, [])]
        ids = {item.item_id for item in gone}
        for item in (item for items in self.items.values() for item in items):
            if item.item_id not in ids and "preserved" not in item.flags:
                item.flags += ("preserved",)
        summary = text(arguments.get("summary"))
        told = self._item(ItemKind.COMPACTION_SUMMARY, summary, "user") if summary else None
        key = self._key or self.draft.record_key
        self.draft.compaction(key, at=self._at, items_removed=len(gone), summary_item_id=told.item_id if told else None)

    def _forgotten(self, arguments: dict[str, Any]) -> Sequence[int]:
        ids = arguments.get("forgotten_event_ids")
        if isinstance(ids, list):
            return [number for number in ids if type(number) is int]
        first, last = arguments.get("forgotten_events_start_id"), arguments.get("forgotten_events_end_id")
        if type(first) is not int or type(last) is not int:
            return []
        return [number for number in self.items if first <= number <= last]

    def _call(self, data: dict[str, Any]) -> str | None:
        """The paid call of an action: its response's own usage, else the run's report of it, else what the sums grew by."""
        response = fields(fields(data.get("tool_call_metadata")).get("model_response"))
        before = dict(self._sums)
        grown = self.report(data.get("llm_metrics"))
        name = text(response.get("id"))
        if name and name in self.booked:
            return self.booked[name]
        usage = chat_completion(response.get("usage"))
        flags: tuple[str, ...] = ()
        if usage.is_empty:
            usage = self.reported.get(name or "", usage)
        if usage.is_empty and grown:
            usage, flags = _usage({key: more - before.get(key, 0) for key, more in self._sums.items()}), ("from_sums",)
        if usage.is_empty:
            return None
        key = name or f"event-{self._key or self.draft.record_key}"
        model = text(response.get("model")) or self.model
        self.booked[key] = self.draft.call(key, usage, at=self._at, model=model, flags=flags)
        return self.booked[key]


def flat(history: Any) -> list[dict[str, Any]]:
    """The events of an evaluation's history; older ones pair each action with its observation."""
    if not isinstance(history, list):
        return []
    return [event for one in history for event in (objects(one) if isinstance(one, list) else objects([one]))]


def _usage(one: dict[str, Any]) -> Usage:
    prompt, read, written, output = (one.get(name) for name in COUNTS)
    return cached_inside(prompt, read, written, output)


def _message(metadata: dict[str, Any]) -> dict[str, Any]:
    choices = objects(fields(metadata.get("model_response")).get("choices"))
    return fields(choices[0].get("message")) if choices else {}


def _given(message: dict[str, Any], metadata: dict[str, Any]) -> Any:
    """The arguments as the model gave them."""
    calls = objects(message.get("tool_calls"))
    mine = [call for call in calls if call.get("id") == metadata.get("tool_call_id")] or calls[:1]
    return fields(mine[0].get("function")).get("arguments") if mine else None
