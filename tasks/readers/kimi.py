"""Kimi Code: `sessions/<folder>/<session>/agents/<agent>/wire.jsonl`, a journal of operations on the context.

What the model said and what its tools gave are loop events; messages of others are appended whole. Prompts stand there twice,
as a turn's input and as the message it became: only the message is an item. A fork repeats its parent's journal byte for byte.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import PureWindowsPath
from typing import Any, ClassVar

from tasks.domain.kinds import ItemKind, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading, SeenItem
from tasks.readers import kimi_blocks as blocks
from tasks.readers.draft import Draft
from tasks.readers.kimi_history import History
from tasks.readers.protocol import Reader
from tasks.readers.usage import cached_beside
from tasks.readers.values import arguments, canonical, fields, moment, text

_MARKS = {"context.append_message", "context.append_loop_event", "turn.prompt"}
_NAMES = (
    "cron.add cron.cursor cron.delete full_compaction.cancel full_compaction.complete goal.clear goal.create goal.update"
    " interaction.request interaction.resolved interruptionReminder.recorded llm.tools_snapshot mcp.tools_discovered"
    " permission.record_approval_result permission.set_mode plan.revision plan_mode.cancel plan_mode.enter plan_mode.exit"
    " plugin.session_start prompt.accepted runtime.set_binding staleGuard.cleared staleGuard.recorded swarm_mode.enter"
    " swarm_mode.exit task.started task.terminated task.waitDelivered token_counting.measured token_counting.rebased"
    " token_counting.truncated token_counting.turn_recorded tools.register_user_tool tools.reset_active_tools"
    " tools.set_active_tools tools.unregister_user_tool tools.update_store tower_mode.enter tower_mode.exit turn.cancel"
    " turn.ended context.update_token_count"
)
_AGENT_ID = re.compile(r"agent_id: ([\w-]+)\n")
_SILENT = frozenset(_NAMES.split())
"""Operations that say nothing to the model; the names are the agent's own."""


class Kimi(Reader):
    """Journals of Kimi Code, one per agent of a session."""

    agent = "kimi"
    version = 2

    def claims(self, head: Head) -> bool:
        first = head.objects[0] if head.objects else {}
        if first.get("type") == "metadata" and "protocol_version" in first:
            return True
        return any(text(one.get("type")) in _MARKS and "time" in one for one in head.objects)

    def identify(self, head: Head, path: str) -> str:
        """The journal does not name its session: its folders do. `<session>` is the main agent's, others add theirs."""
        parts = PureWindowsPath(path).parts
        if len(parts) > 3 and parts[-3] == "agents":
            return parts[-4] if parts[-2] == "main" else f"{parts[-4]}/{parts[-2]}"
        stem = PureWindowsPath(path).name.split(".")[0]
        return parts[-2] if stem == "wire" and len(parts) > 1 else stem

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        journal = _Journal(hint.native_id)
        for record in records:
            journal.add(record)
        return journal.draft.finish()


class _Journal:
    """One journal, operation by operation."""

    def __init__(self, native_id: str) -> None:
        self.draft = Draft(Kimi.agent, shares_keys=True)
        session = self.draft.open(native_id)
        parent, _, sub = native_id.rpartition("/")
        if parent and sub:
            session.parent_session_id, session.relation = f"{Kimi.agent}:{parent}", Relation.SUBAGENT
        self.history = History()
        self.model: str | None = None
        self.system: str | None = None
        self.trigger: str | None = None
        self.counted: str | None = None
        """The numbers of the last counted step: the usage record behind it repeats them."""
        self.steps: dict[str, list[SeenItem]] = {}
        self.spawning: dict[str, SeenItem] = {}
        """Calls that run a sub-agent, by call id; their results say which."""
        self.is_prompted = False

    def add(self, record: Record) -> None:
        kind = text(record.data.get("type")) or "untyped"
        event = fields(record.data.get("event")) if kind == "context.append_loop_event" else {}
        name = f"{kind}/{text(event.get('type')) or 'untyped'}" if event else kind
        handler = self._handlers.get(name)
        known = handler is not None or kind in _SILENT
        flags: tuple[str, ...] = () if known else ("unknown_type",)
        usage = record.data.get("usage") or event.get("usage")
        if usage and not known:
            flags += ("usage_uncounted",)
        at = record.data.get("created_at" if kind == "metadata" else "time")
        self.draft.record(record, name, at=at, flags=flags)
        if handler:
            handler(self, event or record.data)

    def _metadata(self, data: dict[str, Any]) -> None:
        version = text(data.get("protocol_version"))
        if version and not version.startswith("1."):
            self.draft.session.flags += (f"unsupported_version:{version}",)

    def _config(self, data: dict[str, Any]) -> None:
        cwd = text(data.get("cwd")) or text(fields(data.get("environmentDisclosure")).get("cwd"))
        self.draft.session.cwd = cwd or self.draft.session.cwd
        self.model = text(data.get("modelAlias")) or self.model
        system = text(data.get("systemPrompt"))
        if system and system != self.system:
            self.system = system
            self.draft.item(ItemKind.SYSTEM, system, role="system")

    def _request(self, data: dict[str, Any]) -> None:
        self.model = text(data.get("model")) or text(data.get("modelAlias")) or self.model

    def _prompt(self, data: dict[str, Any]) -> None:
        """What the turn was asked; the message that follows is what the model saw of it."""
        self.is_prompted = True
        origin = fields(data.get("origin"))
        if origin.get("kind") == "system_trigger" and origin.get("name") == "subagent":
            self.draft.session.relation = Relation.SUBAGENT

    def _message(self, data: dict[str, Any]) -> None:
        message = fields(data.get("message"))
        items = blocks.of_message(self.draft, message)
        if items and self.is_prompted and message.get("role") == "user":
            items[0].starts_turn, self.is_prompted = True, False
        self.history.append(items, is_own=blocks.origin(message) == "injection")

    def _begin(self, event: dict[str, Any]) -> None:
        self.steps[text(event.get("uuid")) or ""] = self.history.append([])

    def _part(self, event: dict[str, Any]) -> None:
        self._of_step(event).extend(blocks.part(self.draft, event.get("part"), ItemKind.ASSISTANT_TEXT, role="assistant"))

    def _call(self, event: dict[str, Any]) -> None:
        said, path = arguments(event.get("args"))
        item = self.draft.item(
            ItemKind.TOOL_CALL, said, role="assistant", call_id=text(event.get("toolCallId")),
            tool_name=text(event.get("name")), path=path,
        )  # fmt: skip
        self._of_step(event).append(item)
        if item.tool_name == "Agent" and item.call_id:
            self.spawning[item.call_id] = item

    def _of_step(self, event: dict[str, Any]) -> list[SeenItem]:
        name = text(event.get("stepUuid")) or ""
        if name not in self.steps:
            self.steps[name] = self.history.append([])
        return self.steps[name]

    def _result(self, event: dict[str, Any]) -> None:
        found = blocks.of_result(self.draft, event)
        self.history.append(found, is_result=True)
        call = self.spawning.pop(text(event.get("toolCallId")) or "", None)
        ran = _AGENT_ID.match(found[0].text) if call else None
        if call and ran:
            call.flags += (f"agent:{ran[1]}",)

    def _end(self, event: dict[str, Any]) -> None:
        said = self.steps.get(text(event.get("uuid")) or "", [])
        if not isinstance(event.get("usage"), dict):
            return
        self.counted = canonical(event["usage"])
        request_id = self._pay(text(event.get("uuid")), event["usage"], stop_reason=text(event.get("finishReason")))
        for item in said:
            item.request_id = request_id

    def _usage(self, data: dict[str, Any]) -> None:
        """A step's usage again, or that of a call that is no step: a compaction."""
        usage = fields(data.get("usage"))
        if canonical(usage) == self.counted:
            self.counted = None
        elif usage:
            self._pay(None, usage)

    def _pay(self, key: str | None, usage: Any, **facts: Any) -> str:
        given = fields(usage)
        used = cached_beside(
            given.get("inputOther"), given.get("inputCacheRead"), given.get("inputCacheCreation"), given.get("output")
        )
        return self.draft.call(key, used, model=self.model, **facts)

    def _compacting(self, data: dict[str, Any]) -> None:
        self.trigger = text(data.get("source"))

    def _compaction(self, data: dict[str, Any]) -> None:
        said = data.get("contextSummary") or data.get("summary")
        words = text(said) or blocks.words(fields(said).get("content"))
        summary = self.draft.item(ItemKind.COMPACTION_SUMMARY, words, role="user")
        found = self.history.compact([summary], data.get("keptUserMessageCount"), data.get("keptHeadUserMessageCount"))
        self.draft.compaction(
            None, trigger=self.trigger, tokens_before=blocks.count(data.get("tokensBefore")), items_removed=found,
            tokens_after=blocks.count(data.get("tokensAfter")), summary_item_id=summary.item_id,
        )  # fmt: skip
        self.trigger = None

    def _clear(self, _: dict[str, Any]) -> None:
        """The window is emptied, and nothing stands for what was in it."""
        self.draft.compaction(None, trigger="clear", tokens_after=0, items_removed=self.history.clear())

    def _undo(self, data: dict[str, Any]) -> None:
        self.history.undo(blocks.count(data.get("count")) or 0)

    def _prune(self, data: dict[str, Any]) -> None:
        self.history.prune(blocks.count(data.get("cutoff")) or 0, moment(data.get("time"))[0])

    def _forked(self, _: dict[str, Any]) -> None:
        self.draft.session.relation = self.draft.session.relation or Relation.FORK

    _handlers: ClassVar[dict[str, Callable[["_Journal", dict[str, Any]], None]]] = {
        "metadata": _metadata, "config.update": _config, "profile.bind": _config, "llm.request": _request,
        "turn.prompt": _prompt, "turn.steer": _prompt, "context.append_message": _message,
        "context.append_loop_event/step.begin": _begin, "context.append_loop_event/content.part": _part,
        "context.append_loop_event/tool.call": _call, "context.append_loop_event/tool.result": _result,
        "context.append_loop_event/step.end": _end, "usage.record": _usage, "full_compaction.begin": _compacting,
        "context.apply_compaction": _compaction, "context.clear": _clear, "context.undo": _undo,
        "micro_compaction.apply": _prune, "forked": _forked,
    }  # fmt: skip
