"""The items of a session -> steps of ATIF: all that one call made is one step, and so are the results of its tools."""

import json
from dataclasses import dataclass, field
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.exports.model import Call, Placed, Session

_MADE = {ItemKind.ASSISTANT_TEXT, ItemKind.REASONING, ItemKind.TOOL_CALL}
_PICTURE = "[image]"


@dataclass(slots=True)
class _Step:
    source: str
    items: list[Placed] = field(default_factory=list)
    call: Call | None = None
    thoughts: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    def goes_on(self, item: Placed) -> bool:
        """Whether what follows without a call belongs to what was made here without one."""
        if self.source != "agent" or self.results or not self.items:
            return False
        return self.items[0].request_id is None and self.items[0].inherited == item.inherited


class Steps:
    """Builds the steps of one session's active branch."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._calls = {call.request_id: call for call in session.calls}
        self._agents = {agent.facts.get("parent_item_id"): agent for agent in session.agents}
        self._steps: list[_Step] = []
        self._by_request: dict[str, _Step] = {}
        self._by_call: dict[str, tuple[_Step, str, str]] = {}
        """Step, id there and item of each tool call, by the id that its result names."""
        spoken = {item.request_id for item in session.items}
        self._silent = [call for call in session.calls if call.request_id not in spoken]
        """Calls of which the log holds no word, such as a compaction's, and sums of calls, which stand at the end."""
        self._silent.sort(key=lambda call: (call.is_sum, call.request_no))
        self.paid: set[str] = set()
        """Calls that a step tells of."""

    def told(self) -> list[dict[str, Any]]:
        """The steps in order, without their numbers; a field without a value is left out."""
        for item in self._session.items:
            if item.on_path:
                self._silent_calls(item.request_no or 0)
                self._add(item)
        self._silent_calls(None)
        self._link_agents()
        return [_written(step) for step in self._steps]

    def _silent_calls(self, before: int | None) -> None:
        """Each before the item that a later call made or saw first."""
        while self._silent and (before is None or (not self._silent[0].is_sum and self._silent[0].request_no < before)):
            step = self._open("agent", None, self._silent.pop(0))
            step.extra["kind"] = "sum_of_calls" if step.call and step.call.is_sum else "call_without_words"

    def _open(self, source: str, item: Placed | None, call: Call | None = None) -> _Step:
        step = _Step(source, [item] if item else [], call)
        self._steps.append(step)
        if call:
            self.paid.add(call.request_id)
        return step

    def _add(self, item: Placed) -> None:
        kind = ItemKind(item.kind)
        if kind is ItemKind.TOOL_RESULT or (item.call_id and kind not in _MADE):
            self._result(item)
        elif kind in _MADE:
            self._made(item, kind)
        elif kind is ItemKind.UNKNOWN and item.role == "assistant":
            self._made(item, ItemKind.ASSISTANT_TEXT)
        else:
            self._said(item, kind)

    def _made(self, item: Placed, kind: ItemKind) -> None:
        step = self._step_of(item)
        step.items.append(item)
        if kind is ItemKind.REASONING:
            step.thoughts.append(item.text)
        elif kind is ItemKind.ASSISTANT_TEXT:
            step.texts.append(item.text)
        else:
            name = _free(item.call_id or item.item_id, step, item)
            step.tool_calls.append(_tool_call(item, name))
            self._by_call[item.call_id or item.item_id] = (step, name, item.item_id)

    def _step_of(self, item: Placed) -> _Step:
        """That of its call; without a call, what was made since the last thing that came from elsewhere."""
        if item.request_id is None:
            last = self._steps[-1] if self._steps else None
            goes_on = last and last.source == "agent" and not last.results and not (last.items and last.items[0].request_id)
            return (
                last
                if last and goes_on and last.items and last.items[0].inherited == item.inherited
                else self._open("agent", None)
            )
        if item.request_id not in self._by_request:
            self._by_request[item.request_id] = self._open("agent", None, self._calls.get(item.request_id))
        return self._by_request[item.request_id]

    def _result(self, item: Placed) -> None:
        """Goes to the step of its call, wherever that is; without a call, to the answer before it."""
        content = item.text if item.kind != ItemKind.IMAGE else item.text or _PICTURE
        result: dict[str, Any] = {"content": content}
        extra = {"item_id": item.item_id, **({"flags": list(item.flags)} if item.flags else {})}
        found = self._by_call.get(item.call_id or "")
        if found:
            step, name, _ = found
            result = {"source_call_id": name, **result}
        else:
            last = self._steps[-1] if self._steps else None
            step = last if last and last.source == "agent" and last.items and not item.call_id else self._open("system", item)
            extra |= {"call_id": item.call_id} if item.call_id else {}
        step.results.append({**result, "extra": extra})

    def _said(self, item: Placed, kind: ItemKind) -> None:
        """Words that no call made. What starts a turn is a sub-agent's task, and the model's user."""
        is_users = kind in (ItemKind.USER_TEXT, ItemKind.IMAGE) or (kind is ItemKind.INJECTED and item.starts_turn)
        step = self._open("user" if is_users else "system", item)
        step.texts.append(item.text if kind is not ItemKind.IMAGE else item.text or _PICTURE)
        step.extra["kind"] = item.kind
        compaction = self._session.compactions.get(item.item_id)
        if compaction:
            names = ("trigger", "tokens_before", "tokens_after", "items_removed")
            step.extra["compaction"] = {name: compaction[name] for name in names if compaction.get(name) is not None}

    def _link_agents(self) -> None:
        """The call that ran a sub-agent refers to its trajectory in what came of it."""
        for step, name, item_id in self._by_call.values():
            agent = self._agents.get(item_id)
            if agent is None:
                continue
            result = next((one for one in step.results if one.get("source_call_id") == name), None)
            if result is None:
                result = {"source_call_id": name}
                step.results.append(result)
            result["subagent_trajectory_ref"] = [{"trajectory_id": agent.session_id, "session_id": agent.session_id}]


def _free(name: str, step: _Step, item: Placed) -> str:
    """The call's own id, unless another call of the step has it."""
    return item.item_id if any(call["tool_call_id"] == name for call in step.tool_calls) else name


def _tool_call(item: Placed, name: str) -> dict[str, Any]:
    try:
        given = json.loads(item.text)
    except json.JSONDecodeError:
        given = item.text
    arguments = given if isinstance(given, dict) else {"input": given}
    return {"tool_call_id": name, "function_name": item.tool_name or "unknown", "arguments": arguments}


def _written(step: _Step) -> dict[str, Any]:
    first = step.items[0] if step.items else None
    at = (first.at if first else None) or (step.call.at if step.call else None)
    told: dict[str, Any] = {
        "timestamp": at.isoformat() + "Z" if at else None,
        "source": step.source,
        "model_name": step.call.model if step.call else None,
        "message": "\n\n".join(step.texts),
        "reasoning_content": "\n\n".join(filter(None, step.thoughts)) or None,
        "tool_calls": step.tool_calls or None,
        "observation": {"results": step.results} if step.results else None,
        "metrics": (metrics(step.call) or None) if step.call else None,
        "is_copied_context": True if step.items and all(item.inherited for item in step.items) else None,
        "llm_call_count": 1 if step.call and not step.call.is_sum else None,
        "extra": _extra(step, first) or None,
    }
    return {name: value for name, value in told.items() if value is not None}


def _extra(step: _Step, first: Placed | None) -> dict[str, Any]:
    flags = sorted({flag for item in step.items for flag in item.flags})
    told = {
        **step.extra,
        "turn": first.turn if first else None,
        "in_context": False if first and not all(item.in_context for item in step.items) else None,
        "flags": flags,
        "item_ids": [item.item_id for item in step.items],
        "request_id": step.call.request_id if step.call else None,
        "stop_reason": step.call.stop_reason if step.call else None,
    }
    return {name: value for name, value in told.items() if value not in (None, [])}


def metrics(call: Call) -> dict[str, Any]:
    """What a call cost. Cached tokens are part of the prompt's; what was written to the cache too, and stands in `extra`."""
    extra = {
        "cache_creation_input_tokens": call.cache_write_tokens,
        "reasoning_tokens": call.reasoning_tokens,
        "completion_tokens_origin": call.output_origin if call.output_origin != "reported" else None,
        "flags": list(call.flags) or None,
    }
    told = {
        "prompt_tokens": call.prompt_tokens,
        "completion_tokens": call.output_tokens,
        "cached_tokens": call.cache_read_tokens,
        "cost_usd": float(call.cost_usd) if call.cost_usd is not None else None,
        "extra": {name: value for name, value in extra.items() if value is not None} or None,
    }
    return {name: value for name, value in told.items() if value is not None}
