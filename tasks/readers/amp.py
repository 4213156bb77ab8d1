"""Amp: one thread, a document that is rewritten whole -> rows."""

from collections.abc import Iterable
from typing import Any

from tasks.domain.kinds import Ending, Form, ItemKind, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import amp_usage
from tasks.readers.amp_blocks import blocks
from tasks.readers.draft import Draft
from tasks.readers.names import stem
from tasks.readers.protocol import Reader
from tasks.readers.usage import Usage, uncounted
from tasks.readers.values import canonical, digest, fields, objects, text

_RELATIONS = {"fork": Relation.FORK, "handoff": Relation.CONTINUATION}


class Amp(Reader):
    """The reader of Amp's threads."""

    agent = "amp"
    version = 2
    forms = frozenset({Form.DOCUMENT})

    def claims(self, head: Head) -> bool:
        one = head.objects[0] if head.objects else {}
        name = text(one.get("id")) or ""
        is_thread = name.startswith("T-") or any(key in one for key in ("env", "agentMode", "usageLedger"))
        return bool(name) and is_thread and isinstance(one.get("messages"), list) and "created" in one

    def identify(self, head: Head, path: str) -> str:
        return next((name for one in head.objects if (name := text(one.get("id")))), stem(path, ".json"))

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft = Draft(self.agent)
        thread = _Thread(draft, hint.native_id or stem(hint.path, ".json"))
        for record in records:
            if record.origin == "messages":
                thread.message(record)
            elif record.origin == "relationships":
                thread.link(record)
            elif record.origin:
                thread.other(record)
            else:
                thread.head(record)
        thread.rest()
        reading = draft.finish()
        if thread.was_cut:
            reading.sessions[0].ending = Ending.MID_TURN
        return reading


class _Thread:
    """One thread while it is read."""

    def __init__(self, draft: Draft, native_id: str) -> None:
        self.draft = draft
        self.row = draft.open(native_id)
        self.ledger: dict[str, Usage] = {}
        self.events: dict[str, dict[str, Any]] = {}
        self.count = 0
        self.was_cut = False

    def head(self, record: Record) -> None:
        """What the thread says of itself. An older one keeps what its calls cost here, by the message that each made."""
        data = record.data
        trees = objects(fields(fields(data.get("env")).get("initial")).get("trees"))
        tree = trees[0] if trees else {}
        place, git = text(tree.get("uri")), fields(tree.get("repository"))
        origin = text(data.get("originThreadID"))
        self.draft.open(
            self.row.native_id, title=text(data.get("title")), project=text(tree.get("displayName")),
            cwd=place.removeprefix("file://") if place else None, git_commit=text(git.get("sha")),
            git_branch=(text(git.get("ref")) or "").removeprefix("refs/heads/") or None,
        )  # fmt: skip
        if origin and origin != self.row.native_id and self.row.relation is None:
            self.row.parent_session_id, self.row.relation = f"amp:{origin}", Relation.CONTINUATION
        self.draft.record(record, "thread", native_id=self.row.native_id, at=data.get("created"))
        for number, event in enumerate(objects(fields(data.get("usageLedger")).get("events"))):
            spent = amp_usage.of_event(event)
            if not spent.is_empty:
                made = event.get("toMessageId")
                name = f"ledger:{number}" if made is None or f"{made}" in self.ledger else f"{made}"
                self.ledger[name], self.events[name] = spent, event

    def link(self, record: Record) -> None:
        """Another thread that this one has to do with: its parent, if it was forked or handed over from it."""
        self.draft.record(record, "relationship")
        thread, relation = text(record.data.get("threadID")), _RELATIONS.get(f"{record.data.get('type')}")
        if thread and relation and record.data.get("role") != "child":
            self.row.parent_session_id, self.row.relation = f"amp:{thread}", relation

    def other(self, record: Record) -> None:
        self.draft.record(record, record.origin, flags=uncounted(record.data))

    def message(self, record: Record) -> None:
        """A message: its call first, then its blocks."""
        data, role = record.data, text(record.data.get("role")) or ""
        named = data.get("messageId")
        name = f"{named}" if isinstance(named, int | str) else f"@{self.count}"
        self.count += 1
        used = fields(data.get("usage"))
        at = used.get("timestamp") or fields(data.get("meta")).get("sentAt") or fields(self.events.get(name)).get("timestamp")
        known = role in ("user", "assistant")
        kind = f"message/{role}" if known else "message"
        self.draft.record(record, kind, native_id=name, at=at, flags=() if known else uncounted(data))
        state = fields(data.get("state"))
        self.was_cut = role == "assistant" and state.get("type") in ("cancelled", "error")
        request_id = self._call(name, used, state)
        for number, block in enumerate(blocks(data.get("content"), role)):
            compaction = None
            if block.kind is ItemKind.COMPACTION_SUMMARY:
                compaction = self.draft.compaction(f"{name}:{number}")
            item = self.draft.item(
                block.kind, block.text, role=block.role or "unknown", key=name, block=number, call_id=block.call_id,
                request_id=request_id if block.role == "assistant" else None, tool_name=block.tool_name, path=block.path,
                in_context=block.in_context, flags=block.flags, size=block.size,
                content_key=digest("amp", name, str(number), block.kind, block.text),
            )  # fmt: skip
            if compaction:
                compaction.summary_item_id = item.item_id

    def _call(self, name: str, used: dict[str, Any], state: dict[str, Any]) -> str | None:
        """The call that made a message, by its own usage or by the ledger; never by both."""
        spent, limit = amp_usage.of_message(used)
        model = text(used.get("model"))
        if spent.is_empty and name in self.ledger:
            spent, model = self.ledger[name], text(self.events[name].get("model"))
        self.ledger.pop(name, None)
        if spent.is_empty:
            return None
        facts = {"model": model, "stop_reason": text(state.get("stopReason")), "context_limit": limit}
        return self.draft.call(name, spent, **facts, content_key=digest("amp", name, canonical(used)))

    def rest(self) -> None:
        """Calls of the ledger that made no message of this thread."""
        for name, spent in self.ledger.items():
            event = self.events[name]
            key = name if name.startswith("ledger:") else f"ledger:{name}"
            self.draft.call(key, spent, at=event.get("timestamp"), model=text(event.get("model")))
