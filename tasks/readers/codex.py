"""Codex: one rollout -> rows. Lines are read once; what they mean together is decided over the marks they leave."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from tasks.domain.kinds import ItemKind, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading, SeenItem, SeenRequest
from tasks.readers import codex_calls, codex_claims, codex_compaction, codex_events, codex_lineage, codex_prompts, codex_usage
from tasks.readers.codex_items import Block, blocks, plain_text
from tasks.readers.codex_lineage import Lineage
from tasks.readers.codex_lines import Line, Mark, digest, mark, take_apart
from tasks.readers.codex_session import Facts, session
from tasks.readers.protocol import Reader
from tasks.readers.values import canonical, whole


class Codex(Reader):
    """The reader of Codex's rollouts."""

    agent = "codex"
    version = 5

    def claims(self, head: Head) -> bool:
        return codex_claims.claims(head.objects) and not codex_claims.is_traex(head.objects)

    def identify(self, head: Head, path: str) -> str:
        return codex_claims.identify(head.objects, path)

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        rollout = _Rollout(self.agent, hint.native_id or codex_claims.identify([], hint.path))
        for record in records:
            rollout.take(take_apart(record))
        return rollout.reading()


class _Rollout:
    """One file while it is read."""

    def __init__(self, agent: str, native_id: str) -> None:
        self.agent = agent
        self.native_id = native_id
        self.session_id = f"{agent}:{native_id}"
        self.facts = Facts()
        self.marks: list[Mark] = []
        self.reports: list[codex_usage.Reported] = []
        self.compacted_by: dict[str, int] = {}
        """Number of the `compacted` record by the response id of the call that made it."""
        self.rollbacks: dict[int, int] = {}
        self.triggers: list[int] = []

    def take(self, line: Line) -> None:
        """Reads one line; nothing of its text is kept but in items."""
        is_first = not self.marks
        self.facts.learn(line, self.native_id)
        here = mark(line, len(self.marks), self.session_id, self.facts.version)
        self.marks.append(here)
        here.items = [self._item(here, no, block) for no, block in enumerate(_blocks(line, is_first))]
        if line.type == "event_msg":
            self._take_event(here, line)
        elif line.type == "token_usage_record":
            self._keep(codex_usage.record_report(here, line.payload, self.facts.model, self.facts.tier))
        elif line.type == "compacted" and isinstance(line.payload.get("compaction_response_id"), str):
            self.compacted_by[line.payload["compaction_response_id"]] = here.no
        elif line.type.startswith("inter_agent_communication") and line.payload.get("trigger_turn") is True:
            self.triggers.append(here.no)

    def _take_event(self, here: Mark, line: Line) -> None:
        here.spare = [self._item(here, no, block) for no, block in enumerate(codex_events.copies(line.subtype, line.payload))]
        if line.subtype == "token_count":
            self._keep(codex_usage.report(here, line.payload, self.facts.model, self.facts.tier))
        elif line.subtype == "thread_rolled_back":
            self.rollbacks[here.no] = whole(line.payload.get("num_turns"))[0] or 0
        elif isinstance(line.payload.get("usage"), dict):
            here.row.flags += ("usage_uncounted",)

    def _keep(self, report: codex_usage.Reported | None) -> None:
        if report is not None:
            self.reports.append(report)

    def _item(self, here: Mark, block_no: int, block: Block) -> SeenItem:
        row = here.row
        return SeenItem(
            item_id="",
            session_id=self.session_id,
            line_no=row.line_no,
            byte_offset=row.byte_offset,
            byte_length=row.byte_length,
            block_no=block_no,
            kind=block.kind,
            role=block.role,
            text=block.text,
            native_id=row.native_id,
            content_key=f"{here.key}:{block_no}" if here.key else None,
            in_context=block.is_sent,
            tool_name=block.tool_name,
            call_id=block.call_id,
            path=block.path,
            at=here.at,
            flags=block.flags,
            opaque_chars=block.opaque_chars,
            image_width=block.size[0] if block.size else None,
            image_height=block.size[1] if block.size else None,
        )

    def reading(self) -> Reading:
        """Decides over the whole file, in this order: lineage, prompts, identity, calls, compactions, rollbacks."""
        line = codex_lineage.lineage(self.native_id, self.facts.metas)
        own_from = codex_lineage.own_work_begins(self.marks, line, self.triggers)
        codex_events.promote(self.marks)
        codex_prompts.sort_out(self.marks, own_from, line.relation is Relation.SUBAGENT)
        copied = {one.no for one in self.marks[1:own_from] if one.type != "session_meta"}
        copied_lines = {self.marks[no].row.line_no for no in copied}
        ids = _line_ids(self.agent, self.marks, copied, self.session_id, f"{self.agent}:{line.origin_id}")
        _date_copies(self.marks, copied)
        self._name_items(ids, copied)
        calls = self._requests(line, copied)
        codex_calls.assign(self.marks, {no: call.request_id for no, call in calls.items()})
        compactions = codex_compaction.compactions(self.marks, calls, ids)
        for compaction in compactions:
            compaction.is_replay = compaction.line_no in copied_lines
        codex_compaction.take_back(self.marks, self.rollbacks)
        row = session(self.agent, self.facts, line, self.marks, own_from)
        row.context_limit = row.context_limit or next((c.context_limit for c in calls.values() if c.context_limit), None)
        items = [item for one in self.marks for item in one.items]
        return Reading([one.row for one in self.marks], [row] if self.marks else [], list(calls.values()), items, compactions)

    def _name_items(self, ids: dict[int, str], copied: set[int]) -> None:
        tools = {item.call_id: item.tool_name for one in self.marks for item in one.items if item.tool_name and item.call_id}
        for one in self.marks:
            for item in one.items:
                item.item_id = f"{ids[one.no]}:{item.block_no}"
                item.is_replay = one.no in copied
                item.at = one.at
                if item.kind is ItemKind.TOOL_RESULT:
                    item.tool_name = tools.get(item.call_id or "")

    def _requests(self, line: Lineage, copied: set[int]) -> dict[int, SeenRequest]:
        """The paid calls by the number of the record that reports them."""
        seen: Counter[tuple[str, str]] = Counter()
        found = {}
        for call in codex_usage.paid_calls(self.reports, self.compacted_by):
            no = call.report.mark.no
            owner = f"{self.agent}:{line.origin_id}" if no in copied else self.session_id
            nth = seen[owner, call.content_key]
            seen[owner, call.content_key] += 1
            name = ("response", call.content_key) if call.report.response_id else ("call", owner, call.content_key, str(nth))
            found[no] = codex_usage.request(call, self.session_id, f"{self.agent}:{digest(*name)}")
            found[no].is_replay = no in copied
        return found


def _blocks(line: Line, is_first: bool) -> list[Block]:
    if line.type == "response_item":
        return blocks(line.payload)
    if line.type == "compacted":
        return codex_compaction.summary_blocks(line.payload)
    if line.type == "event_msg":
        return codex_events.notices(line.subtype, line.payload)
    return _instructions(line.payload) if line.type == "session_meta" and is_first else []


def _instructions(meta: dict[str, Any]) -> list[Block]:
    """The system prompt and the tool schemas: Codex logs them in the file's own session_meta alone."""
    text = plain_text(meta.get("base_instructions") or meta.get("instructions"))
    found = [Block(ItemKind.SYSTEM, "system", text, flags=("base_instructions",))] if text else []
    tools = meta.get("dynamic_tools")
    return [*found, Block(ItemKind.SYSTEM, "system", canonical(tools), flags=("tool_definitions",))] if tools else found


def _line_ids(agent: str, marks: Sequence[Mark], copied: set[int], session_id: str, origin_id: str) -> dict[int, str]:
    """Id of each line. Own lines: session and bytes. Copied lines: oldest named ancestor and content, so that two forks of one
    missing parent agree. Equal lines of one file are told apart by their occurrence."""
    seen: Counter[tuple[str, str]] = Counter()
    ids = {}
    for one in marks:
        name = (origin_id, one.key) if one.no in copied and one.key else (session_id, one.sha)
        ids[one.no] = f"{agent}:{digest('line', *name, str(seen[name]))}"
        seen[name] += 1
    return ids


def _date_copies(marks: Sequence[Mark], copied: set[int]) -> None:
    """A copied line carries the moment of the fork: it is dated by its turn's own time, or not at all."""
    kept: datetime | None = None
    for no in sorted(copied):
        if marks[no].subtype == "task_started":
            kept = marks[no].kept_at
        marks[no].at = kept
