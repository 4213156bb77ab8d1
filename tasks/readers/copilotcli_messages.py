"""What was said: prompts, answers, tools. What an answer costs: `copilotcli_costs`."""

from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.seen import SeenItem
from tasks.readers.copilotcli_costs import Costs
from tasks.readers.draft import Draft
from tasks.readers.pictures import size_in
from tasks.readers.values import canonical, embedded, fields, file_named, objects, text


class Messages:
    """Reads messages into the session that is open."""

    def __init__(self, draft: Draft, costs: Costs) -> None:
        self.draft, self.costs = draft, costs
        self.calls: dict[str, SeenItem] = {}
        """By the id of the call, sub-agents' too."""
        self._told: set[str] = set()
        """Reasoning in events of their own since the last answer, which may hold it too."""
        self._answered: str | None = None
        """Reasoning in the last answer, which an event may tell of behind it."""

    def take(self, kind: str, data: dict[str, Any], *, is_agent: bool) -> None:
        if kind == "user.message":
            self._prompt(data, is_agent=is_agent)
        elif kind == "assistant.reasoning":
            self._reason(data)
        elif kind == "tool.execution_complete":
            self._result(data)
        else:
            call_id = text(data.get("toolCallId"))
            if call_id is None or call_id not in self.calls:
                self._call(call_id, data.get("toolName"), data.get("arguments"), None)

    def _prompt(self, data: dict[str, Any], *, is_agent: bool) -> None:
        """`content` is what was typed, `transformedContent` what the model sees: the rest of it is the program's."""
        typed, sent = text(data.get("content")) or "", text(data.get("transformedContent"))
        source = text(data.get("source"))
        is_typed = source in (None, "user") and not is_agent and data.get("isAutopilotContinuation") is not True
        if not is_typed:
            item = self.draft.item(ItemKind.INJECTED, sent or typed, role="user", flags=(f"source:{source}",) if source else ())
            item.starts_turn = is_agent
        else:
            is_inside = sent is None or typed in sent
            if typed:
                self.draft.item(ItemKind.USER_TEXT, typed, role="user", in_context=is_inside)
            rest = (sent or "").replace(typed, "", 1) if is_inside else sent or ""
            if rest.strip():
                self.draft.item(ItemKind.INJECTED, rest, role="user")
        for attached in objects(data.get("attachments")):
            if (text(attached.get("mimeType")) or "").startswith("image/"):
                name = text(attached.get("path")) or text(attached.get("displayName"))
                self.draft.item(ItemKind.IMAGE, name or "", role="user", size=size_in(attached))

    def answer(self, data: dict[str, Any], event_id: str) -> None:
        request_id = self.costs.answer(data, event_id)
        thought = self._answered = text(data.get("reasoningText"))
        if thought and thought not in self._told:
            self.draft.item(ItemKind.REASONING, thought, role="assistant", request_id=request_id)
        self._told.clear()
        said = text(data.get("content"))
        if said:
            self.draft.item(ItemKind.ASSISTANT_TEXT, said, role="assistant", request_id=request_id)
        for wanted in objects(data.get("toolRequests")):
            self._call(text(wanted.get("toolCallId")), wanted.get("name"), wanted.get("arguments"), request_id)

    def _reason(self, data: dict[str, Any]) -> None:
        thought = text(data.get("content"))
        if thought and thought != self._answered:
            self._told.add(thought)
            self.draft.item(ItemKind.REASONING, thought, role="assistant")
        self._answered = None

    def _call(self, call_id: str | None, name: Any, logged: Any, request_id: str | None) -> None:
        """A call that its start told of before the answer did keeps its place."""
        given = embedded(logged) if isinstance(logged, str) else logged
        flags: tuple[str, ...] = ()
        if not isinstance(given, dict):
            flags = () if not logged else ("arguments_not_json",)
            given = {"input": logged} if logged else {}
        key, block = (f"call:{call_id}", 0) if call_id else (None, None)
        item = self.draft.item(
            ItemKind.TOOL_CALL, canonical(given), role="assistant", key=key, block=block, request_id=request_id,
            call_id=call_id, tool_name=text(name), path=file_named(given), flags=flags,
        )  # fmt: skip
        if call_id:
            self.calls[call_id] = item

    def _result(self, data: dict[str, Any]) -> None:
        """`content` is what the model got; `detailedContent` is for the screen."""
        result, error = fields(data.get("result")), data.get("error")
        said = text(result.get("content")) or text(fields(error).get("message")) or text(error) or ""
        call_id = text(data.get("toolCallId"))
        flags = ("error",) if data.get("success") is False or error else ()
        self.draft.item(ItemKind.TOOL_RESULT, said, role="tool", call_id=call_id, flags=flags)
        for one in objects(result.get("binaryResultsForLlm")):
            self.draft.item(ItemKind.IMAGE, "", role="tool", call_id=call_id, size=size_in(one))
