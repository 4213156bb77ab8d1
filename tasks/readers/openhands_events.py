"""The events of an OpenHands conversation (V1) -> items, calls, compactions."""

from collections.abc import Sequence
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.records import Record
from tasks.domain.seen import SeenItem
from tasks.readers import branches, contents
from tasks.readers.draft import Draft
from tasks.readers.openhands_state import MAIN, Paid, abandoned, paid, parents, zone
from tasks.readers.values import canonical, fields, file_named, moment, objects, text

RESUMED = "<<RESUMED CONVERSATION>>"
"""Begins the words that tell a fresh agent of an old conversation."""
SILENT = (
    "ConversationStateUpdateEvent", "CondensationRequest", "PauseEvent", "InterruptEvent", "TokenEvent",
    "LLMCompletionLogEvent",
)  # fmt: skip
"""They say nothing to the model or to a person."""


class Conversation:
    """One conversation while it is read."""

    def __init__(self, draft: Draft, records: Sequence[Record], state: Record | None) -> None:
        self.draft = draft
        events = [record.data for record in records]
        facts = state.data if state else {}
        self.calls = paid(facts)
        self.by_response = {call.response_id: call for call in self.calls if call.response_id}
        self.zone = zone(events, self.calls)
        self.events, self.abandoned = events, abandoned(events, facts)
        self.items: dict[str, list[SeenItem]] = {}
        """By the event that says them."""
        self.booked: dict[str, str] = {}
        """Request id by response id."""
        self._on_path = True
        self._event_id = ""

    def state(self, record: Record) -> None:
        """Books the state; the calls that no event names are told by it alone."""
        data = record.data
        limits = [call.context_limit for call in self.calls if call.context_limit]
        shifted = f"local_times:{int(self.zone.total_seconds() // 60):+d}" if self.zone is not None else None
        self.draft.open(
            self.draft.session.native_id, cwd=text(fields(data.get("workspace")).get("working_dir")),
            context_limit=max(limits, default=None), flags=(shifted,) if shifted else None,
        )  # fmt: skip
        self._state_row = self.draft.record(record, "base_state", native_id=text(data.get("id")))

    def close(self) -> None:
        """Books the calls that no event names, and names the branches that were left."""
        nodes = [
            branches.Node(parent, self.items.get(text(event.get("id")) or "", ()))
            for parent, event in zip(parents(self.events), self.events, strict=True)
        ]
        on_path = {no for no, event in enumerate(self.events) if (text(event.get("id")) or f"#{no}") not in self.abandoned}
        branches.mark(nodes, on_path)
        for no, call in enumerate(self.calls):
            if call.response_id is None or call.response_id not in self.booked:
                key = call.response_id or f"{call.purpose}-{no}"
                request_id = self._book(key, call, ("unlinked",))
                request = self.draft.requests[request_id]
                request.line_no, request.at = self._state_row.line_no, moment(call.at)[0]
                self.booked[key] = request_id

    def event(self, record: Record) -> None:
        """Books one event."""
        data = record.data
        kind = text(data.get("kind")) or "unknown"
        self._event_id = text(data.get("id")) or ""
        self._on_path = self._event_id not in self.abandoned
        read = getattr(self, f"_{kind}", None)
        is_known = read is not None or kind in SILENT
        uncounted = any(isinstance(data.get(name), dict) for name in ("usage", "token_usage"))
        flags = (*(() if is_known else ("unknown_type",)), *(("usage_uncounted",) if uncounted else ()))
        self.draft.record(record, kind, native_id=self._event_id or None, at=self._time(data.get("timestamp")), flags=flags)
        if read is not None:
            read(data)
        elif not is_known:
            self._unknown(data)

    def _time(self, value: Any) -> Any:
        when, flag = moment(value)
        if flag == "naive_time" and self.zone is not None and when is not None:
            return (when - self.zone).isoformat() + "Z"
        return value

    def _item(self, kind: ItemKind, said: str, role: str, **facts: Any) -> SeenItem:
        item = self.draft.item(kind, said, role=role, on_path=self._on_path, **facts)
        self.items.setdefault(self._event_id, []).append(item)
        return item

    def _say(self, kind: ItemKind, content: Any, role: str, request_id: str | None = None) -> None:
        for part in contents.parts(content):
            what = {contents.TEXT: kind, contents.IMAGE: ItemKind.IMAGE}.get(part.type, ItemKind.UNKNOWN)
            self._item(what, part.text, role, request_id=request_id, size=part.size)

    def _call(self, data: dict[str, Any]) -> str | None:
        """The paid call that an event came of; parallel tool calls share it."""
        name = text(data.get("llm_response_id"))
        if name and name not in self.booked and name in self.by_response:
            self.booked[name] = self._book(name, self.by_response[name], ())
        return self.booked.get(name or "")

    def _book(self, key: str, call: Paid, flags: Sequence[str]) -> str:
        more = () if call.purpose in MAIN else (f"usage_id:{call.purpose}",)
        return self.draft.call(
            key, call.usage, at=call.at, model=call.model, context_limit=call.context_limit, flags=(*flags, *more),
            is_sidechain=False,
        )  # fmt: skip

    def _SystemPromptEvent(self, data: dict[str, Any]) -> None:  # noqa: N802
        for name in ("system_prompt", "dynamic_context"):
            self._say(ItemKind.SYSTEM, data.get(name), "system")
        if data.get("tools"):
            self._item(ItemKind.SYSTEM, canonical(data["tools"]), "system", flags=("tool_definitions",))

    def _MessageEvent(self, data: dict[str, Any]) -> None:  # noqa: N802
        message = fields(data.get("llm_message"))
        role, source = text(message.get("role")) or "unknown", data.get("source")
        request_id = self._call(data)
        if source == "agent":
            self._reasoning(message, request_id)
            self._say(ItemKind.ASSISTANT_TEXT, message.get("content"), role, request_id)
        else:
            is_typed = source == "user" and not text(data.get("sender"))
            is_typed = is_typed and not contents.plain(message.get("content")).startswith(RESUMED)
            self._say(ItemKind.USER_TEXT if is_typed else ItemKind.INJECTED, message.get("content"), role)
        self._say(ItemKind.INJECTED, data.get("extended_content"), role)

    def _ActionEvent(self, data: dict[str, Any]) -> None:  # noqa: N802
        request_id = self._call(data)
        self._reasoning(data, request_id)
        self._say(ItemKind.ASSISTANT_TEXT, data.get("thought"), "assistant", request_id)
        call = fields(data.get("tool_call"))
        given = call.get("arguments")
        if given is None and isinstance(fields(call.get("function")).get("arguments"), str):
            given = call["function"]["arguments"]
        arguments, written = contents.arguments(given if given is not None else data.get("action"))
        name = text(data.get("tool_name")) or text(call.get("name"))
        self._item(
            ItemKind.TOOL_CALL, written, "assistant", request_id=request_id, tool_name=name,
            call_id=text(data.get("tool_call_id")) or text(call.get("id")), path=file_named(arguments),
        )  # fmt: skip

    def _reasoning(self, said: dict[str, Any], request_id: str | None) -> None:
        thoughts = [text(block.get("thinking")) for block in objects(said.get("thinking_blocks"))]
        item = fields(said.get("responses_reasoning_item"))
        summary = contents.plain(item.get("content")) or contents.plain(item.get("summary"))
        for thought in [one for one in thoughts if one] or [text(said.get("reasoning_content")) or summary]:
            if thought:
                self._item(ItemKind.REASONING, thought, "assistant", request_id=request_id)

    def _ObservationEvent(self, data: dict[str, Any]) -> None:  # noqa: N802
        observation = fields(data.get("observation"))
        content = observation.get("content")
        if content is None:
            content = observation.get("output")
        parts = contents.parts(content if content is not None else canonical(observation))
        said = "\n".join(part.text for part in parts if part.type == contents.TEXT)
        self._result(data, said, ("error",) if observation.get("is_error") is True else ())
        self._say(ItemKind.UNKNOWN, [part.data for part in parts if part.type != contents.TEXT], "tool")
        self._say(ItemKind.INJECTED, data.get("extended_content"), "tool")

    def _AgentErrorEvent(self, data: dict[str, Any]) -> None:  # noqa: N802
        self._result(data, text(data.get("error")) or "", ("error",))

    def _UserRejectObservation(self, data: dict[str, Any]) -> None:  # noqa: N802
        self._result(data, text(data.get("rejection_reason")) or "", ("error", "rejected"))

    def _result(self, data: dict[str, Any], said: str, flags: Sequence[str]) -> None:
        self._item(
            ItemKind.TOOL_RESULT, said, "tool", tool_name=text(data.get("tool_name")), call_id=text(data.get("tool_call_id")),
            flags=flags,
        )  # fmt: skip

    def _Condensation(self, data: dict[str, Any]) -> None:  # noqa: N802
        """What is not forgotten stays, and the summary joins it."""
        ids = data.get("forgotten_event_ids")
        forgotten = {one for one in ids if isinstance(one, str)} if isinstance(ids, list) else set()
        gone = {item.item_id for name in forgotten for item in self.items.get(name, [])}
        if self._on_path:
            for item in (item for items in self.items.values() for item in items):
                if item.item_id not in gone and "preserved" not in item.flags:
                    item.flags += ("preserved",)
        self._call(data)
        summary = text(data.get("summary"))
        told = self._item(ItemKind.COMPACTION_SUMMARY, summary, "user") if summary else None
        self.draft.compaction(
            self._event_id or self.draft.record_key, items_removed=len(gone), summary_item_id=told.item_id if told else None
        )

    def _ACPToolCallEvent(self, data: dict[str, Any]) -> None:  # noqa: N802
        """A call of an agent behind a protocol, told again as it goes on; the last word stands."""
        name, call_id = text(data.get("title")), text(data.get("tool_call_id"))
        key = f"acp-{call_id}" if call_id else None
        arguments, written = contents.arguments(data.get("raw_input"))
        path = file_named(arguments)
        self._item(ItemKind.TOOL_CALL, written, "assistant", key=key, block=0, tool_name=name, call_id=call_id, path=path)
        output = data.get("raw_output")
        if output is None and data.get("status") not in ("completed", "failed"):
            return
        said = contents.plain(output) or (canonical(output) if output is not None else canonical(data.get("content")))
        flags = ("error",) if data.get("is_error") is True or data.get("status") == "failed" else ()
        self._item(ItemKind.TOOL_RESULT, said, "tool", key=key, block=1, call_id=call_id, flags=flags)

    def _ConversationErrorEvent(self, data: dict[str, Any]) -> None:  # noqa: N802
        detail = text(data.get("detail"))
        if detail:
            self._item(ItemKind.NOTICE, detail, "environment", in_context=False, flags=("error",))

    def _HookExecutionEvent(self, data: dict[str, Any]) -> None:  # noqa: N802
        for name in ("stdout", "stderr"):
            said = text(data.get(name))
            if said:
                self._item(ItemKind.NOTICE, said, "hook", in_context=False)

    def _unknown(self, data: dict[str, Any]) -> None:
        said = next((found for name in ("content", "text", "message", "detail") if (found := text(data.get(name)))), None)
        if said:
            self._item(ItemKind.UNKNOWN, said, text(data.get("source")) or "unknown", in_context=False)
