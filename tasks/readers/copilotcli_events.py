"""The events of a session, in order: which session each is about, what it adds, and what it says of the cost."""

from collections.abc import Callable
from typing import Any

from tasks.domain.kinds import Ending, ItemKind, Relation
from tasks.domain.records import Record
from tasks.domain.seen import Reading, SeenCompaction, SeenRecord
from tasks.readers.copilotcli_costs import Costs
from tasks.readers.copilotcli_messages import Messages
from tasks.readers.draft import Draft
from tasks.readers.values import fields, text, whole

SCHEMA = 1
_WITHOUT_ITEMS = frozenset(
    (
        "assistant.intent", "assistant.turn_start", "assistant.turn_end", "assistant.idle", "hook.start", "hook.end",
        "permission.requested", "permission.completed", "session.auto_mode_resolved", "session.binary_asset",
        "session.compaction_start", "session.context_changed", "session.idle", "session.mode_changed",
        "session.permissions_changed", "session.plan_changed", "session.remote_steerable_changed",
        "session.session_limits_changed", "session.task_complete", "session.title_changed", "session.todos_changed",
        "session.usage_checkpoint", "session.usage_info", "session.workspace_file_changed", "subagent.completed",
        "subagent.configured", "subagent.deselected", "subagent.failed", "subagent.selected", "subagent.started",
        "tool.execution_partial_result", "tool.execution_progress", "user_input.completed", "user_input.requested",
    )
)  # fmt: skip
"""Known, and of no matter to what the model saw."""


class Events:
    """Reads events into the session and into those of its sub-agents."""

    def __init__(self, draft: Draft, native_id: str) -> None:
        self.draft, self.native_id = draft, native_id
        self.costs = Costs(draft)
        self.messages = Messages(draft, self.costs)
        self.agents: dict[str, str] = {}
        """Name of a sub-agent's session by the call that ran it."""
        self.seen: set[tuple[str, str]] = set()
        self.is_aborted = False
        self.row: SeenRecord

    def take(self, record: Record) -> None:
        event = record.data
        kind, data = text(event.get("type")) or "unknown", fields(event.get("data"))
        self._open(event, data, kind)
        row = self.row = self._record(record, kind)
        if event.get("ephemeral") is True and kind != "assistant.usage":
            row.flags += ("ephemeral",)
            return
        read = _READERS.get(kind)
        if read is not None:
            read(self, event, data)
        elif kind not in _WITHOUT_ITEMS:
            has_usage = any(isinstance(data.get(name), dict) for name in ("usage", "tokens", "modelMetrics"))
            row.flags += ("unknown_type", *(("usage_uncounted",) if has_usage else ()))
        if kind in ("user.message", "assistant.message", "abort"):
            self.is_aborted = kind == "abort"

    def _record(self, record: Record, kind: str) -> SeenRecord:
        """An id that comes again names nothing: its second event is named by its bytes."""
        place = (self.draft.session.session_id, text(record.data.get("id")) or "")
        is_new = bool(place[1]) and place not in self.seen
        self.seen.add(place)
        flags = () if is_new or not place[1] else ("uuid_reused",)
        version = text(fields(record.data.get("data")).get("copilotVersion")) if kind == "session.start" else None
        return self.draft.record(
            record, kind, native_id=place[1] if is_new else None, at=record.data.get("timestamp"), version=version, flags=flags
        )

    def _open(self, event: dict[str, Any], data: dict[str, Any], kind: str) -> None:
        """The session that an event is of: a sub-agent's where it says so."""
        agent, call = text(event.get("agentId")), text(data.get("parentToolCallId"))
        if kind.startswith("subagent."):
            call = text(data.get("toolCallId"))
            if kind == "subagent.started" and call:
                self._start_agent(agent if agent and agent not in self.agents.values() else call, call, data)
            agent = None if kind != "subagent.configured" else agent
            call = None
        name = agent or (self.agents.get(call, call) if call else None)
        if name is None:
            self.draft.open(self.native_id)
        else:
            self._open_agent(name)

    def _start_agent(self, name: str, call: str, data: dict[str, Any]) -> None:
        self.agents[call] = name
        spawner = text(data.get("parentId"))
        parent = f"{self.native_id}/{spawner}" if spawner in self.agents.values() else self.native_id
        self._open_agent(name, title=text(data.get("agentDisplayName")))
        self.draft.session.parent_session_id = f"{self.draft.agent}:{parent}"
        item = self.messages.calls.get(call)
        if item is not None:
            item.flags += (f"agent:{name}",)

    def _open_agent(self, name: str, **facts: Any) -> None:
        session = self.draft.open(f"{self.native_id}/{name}", relation=Relation.SUBAGENT, **facts)
        session.parent_session_id = session.parent_session_id or f"{self.draft.agent}:{self.native_id}"

    def start(self, event: dict[str, Any], data: dict[str, Any]) -> None:
        version, place = data.get("version"), fields(data.get("context"))
        parent = text(data.get("detachedFromSpawningParentSessionId"))
        self.draft.open(
            self.native_id, cwd=text(place.get("cwd")), git_branch=text(place.get("branch")),
            git_commit=text(place.get("headCommit")), parent_session_id=f"{self.draft.agent}:{parent}" if parent else None,
            relation=Relation.CONTINUATION if parent else None,
        )  # fmt: skip
        self.costs.choose(data.get("selectedModel"))
        if version not in (None, SCHEMA):
            self.draft.session.flags += (f"unsupported_version:{str(version)[:20]}",)

    def resume(self, event: dict[str, Any], data: dict[str, Any]) -> None:
        self.costs.resume()
        self.costs.choose(data.get("selectedModel"))

    def change_model(self, event: dict[str, Any], data: dict[str, Any]) -> None:
        self.costs.choose(data.get("newModel"))

    def answer(self, event: dict[str, Any], data: dict[str, Any]) -> None:
        self.messages.answer(data, self.row.native_id or self.row.sha256[:32])

    def usage(self, event: dict[str, Any], data: dict[str, Any]) -> None:
        self.costs.whole_call(data, self.row.native_id or self.row.sha256[:32])

    def shut_down(self, event: dict[str, Any], data: dict[str, Any]) -> None:
        self.draft.open(self.native_id)
        self.costs.shut_down(data, self.row.native_id or f"shutdown:{len(self.draft.requests)}", self.row)
        self._notice(text(data.get("errorReason")), "error")

    def compact(self, event: dict[str, Any], data: dict[str, Any]) -> None:
        used, key = fields(data.get("compactionTokensUsed")), self._key()
        if used:
            self.costs.compaction(used, key)
        if data.get("success") is False:
            self._notice(text(data.get("error")), "compaction_failed")
            return
        said = text(data.get("summaryContent"))
        summary = self.draft.item(ItemKind.COMPACTION_SUMMARY, said, role="user") if said else None
        found = self._removed(
            key, data, text(data.get("trigger")), ("preCompactionTokens", "postCompactionTokens", "messagesRemoved")
        )
        found.summary_item_id = summary.item_id if summary else None

    def truncate(self, event: dict[str, Any], data: dict[str, Any]) -> None:
        counts = ("preTruncationTokensInMessages", "postTruncationTokensInMessages", "messagesRemovedDuringTruncation")
        self._removed(self._key(), data, "truncation", counts)

    def clear(self, event: dict[str, Any], data: dict[str, Any]) -> None:
        self._removed(self._key(), data, "clear", ("", "", "messagesCleared"))
        self.inject(event, data)

    def _key(self) -> str:
        return self.row.native_id or f"compaction:{len(self.draft.compactions)}"

    def _removed(self, key: str, data: dict[str, Any], trigger: str | None, counts: tuple[str, str, str]) -> SeenCompaction:
        before, after, removed = (whole(data.get(name))[0] for name in counts)
        limit = whole(data.get("tokenLimit"))[0]
        self.draft.session.context_limit = limit or self.draft.session.context_limit
        return self.draft.compaction(key, trigger=trigger, tokens_before=before, tokens_after=after, items_removed=removed)

    def note(self, event: dict[str, Any], data: dict[str, Any]) -> None:
        self._notice(text(data.get("message")) or text(data.get("errorReason")), text(event.get("type")) or "")

    def abort(self, event: dict[str, Any], data: dict[str, Any]) -> None:
        self._notice(text(data.get("reason")) or "abort", "turn_aborted")

    def _notice(self, said: str | None, flag: str) -> None:
        if said:
            self.draft.item(ItemKind.NOTICE, said, role="system", in_context=False, flags=(flag.removeprefix("session."),))

    def inject(self, event: dict[str, Any], data: dict[str, Any]) -> None:
        said = text(data.get("content")) or text(data.get("summary")) or text(data.get("initialMessage"))
        if said:
            self.draft.item(ItemKind.INJECTED, said, role="user")

    def instruct(self, event: dict[str, Any], data: dict[str, Any]) -> None:
        said = text(data.get("content"))
        if said:
            self.draft.item(ItemKind.SYSTEM, said, role=text(data.get("role")) or "system")

    def forward(self, event: dict[str, Any], data: dict[str, Any]) -> None:
        """Messages that say nothing of the cost."""
        is_agent = self.draft.session.native_id != self.native_id
        self.messages.take(text(event.get("type")) or "", data, is_agent=is_agent)

    def finish(self) -> Reading:
        reading = self.draft.finish()
        for session in reading.sessions:
            if self.is_aborted and session.native_id == self.native_id:
                session.ending = Ending.MID_TURN
        return reading


_READERS: dict[str, Callable[[Events, dict[str, Any], dict[str, Any]], None]] = {
    "session.start": Events.start,
    "session.resume": Events.resume,
    "session.model_change": Events.change_model,
    "session.shutdown": Events.shut_down,
    "session.compaction_complete": Events.compact,
    "session.truncation": Events.truncate,
    "session.context_cleared": Events.clear,
    "session.handoff": Events.inject,
    "session.info": Events.note,
    "session.warning": Events.note,
    "session.error": Events.note,
    "abort": Events.abort,
    "assistant.message": Events.answer,
    "assistant.usage": Events.usage,
    "assistant.reasoning": Events.forward,
    "user.message": Events.forward,
    "tool.user_requested": Events.forward,
    "tool.execution_start": Events.forward,
    "tool.execution_complete": Events.forward,
    "system.message": Events.instruct,
    "system.notification": Events.inject,
    "skill.invoked": Events.inject,
}
KNOWN = _WITHOUT_ITEMS | _READERS.keys()
