"""Claude Code: the `.jsonl` of one session or of one sub-agent -> rows.

    claude_claims    which files are its logs           claude_prompts   what a person typed
    claude_blocks    content blocks -> items            claude_notes     attachments, system records
    claude_usage     usage -> requests                  claude_chain     parents -> active branch
    claude_sessions  ids, titles, relations, endings    claude_inline    sub-agents' turns in progress records

Records are read one by one and dropped; only their links and rows stay. `toolUseResult` (a copy for the screen) is never text.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading, SeenCompaction, SeenItem, SeenRecord
from tasks.readers import claude_claims
from tasks.readers.claude_blocks import Block, assistant_blocks, user_blocks
from tasks.readers.claude_chain import Chain, Link
from tasks.readers.claude_inline import FLAG, InlineTurns
from tasks.readers.claude_notes import attachment_blocks, readable, replacement_blocks, system_block
from tasks.readers.claude_prompts import is_plan
from tasks.readers.claude_sessions import AGENT, Identity, Sessions
from tasks.readers.claude_usage import Calls, Place
from tasks.readers.protocol import Reader
from tasks.readers.values import carries_tokens, moment, shape, whole

_CONVERSATION = frozenset({"user", "assistant", "system", "attachment"})
"""Types that make a session; the others only tell about one."""
_BOOKKEEPING = frozenset({
    "progress", "summary", "file-history-snapshot", "queue-operation", "pr-link", "ai-title", "custom-title", "agent-name",
    "last-prompt", "mode", "permission-mode", "worktree-state", "relocated", "tag", "content-replacement", "bridge-session",
    "atis-latch", "frame-link", "derived-from", "tools-used", "data-flow-records", "session-owner", "history-suppression",
    "started", "result",
})  # fmt: skip
_MAIN = ""


class ClaudeCode(Reader):
    """The reader of Claude Code's logs."""

    agent = AGENT
    version = 5

    def claims(self, head: Head) -> bool:
        return claude_claims.claims(head.objects)

    def identify(self, head: Head, path: str) -> str:
        return claude_claims.identify(head.objects, path)

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        log = _Log(hint)
        for record in records:
            log.add(record)
        return log.finish()


class _Log:
    """What is known of one file so far."""

    def __init__(self, hint: SourceHint) -> None:
        self._reading = Reading()
        self._sessions = Sessions(hint.path, hint.native_id)
        self._calls = Calls()
        self._inline = InlineTurns()
        self._links: list[Link] = []
        self._stamps: dict[str, tuple[Any, Any]] = {}
        """Key of a record -> type and time of the first one."""
        self._tool_calls: dict[str, SeenItem] = {}
        self._agents_of_calls: dict[str, str] = {}
        self._tasks: dict[str, SeenItem] = {}
        """Prompt handed to a sub-agent -> the call that did."""
        self._open_compactions: dict[str, SeenCompaction] = {}
        self._compact_metadata: list[dict[str, Any]] = []
        self._leaf: str | None = None

    def add(self, record: Record) -> None:
        data = record.data
        kind = data.get("type")
        at, time_flag = moment(data.get("timestamp"))
        uuid = data.get("uuid")
        version = data.get("version")
        seen = SeenRecord(
            record.line_no, record.byte_offset, record.byte_length, hashlib.sha256(record.raw).hexdigest(), _type_of(data),
            uuid if isinstance(uuid, str) else None, shape(data), version if isinstance(version, str) else None, None,
            record.flags if time_flag is None else (*record.flags, time_flag),
        )  # fmt: skip
        self._reading.records.append(seen)
        identity = self._sessions.identify(data, seen.sha256)
        seen.session_id = identity.session_id
        if isinstance(kind, str) and kind in _CONVERSATION:
            self._add_conversation(data, seen, identity, kind, at)
        elif not isinstance(kind, str) or kind not in _BOOKKEEPING:
            seen.flags += ("unknown_type", *(("usage_uncounted",) if carries_tokens(data) else ()))
            self._add_unknown(data, seen, identity, at)
        else:
            self._add_bookkeeping(data, seen, identity, kind)

    def _add_bookkeeping(self, data: dict[str, Any], seen: SeenRecord, identity: Identity, kind: str) -> None:
        if kind == "progress":
            link = self._link(data, seen, identity, kind)
            link.is_aside = True
            inner, call_id = data.get("data"), data.get("parentToolUseID")
            if isinstance(inner, dict) and isinstance(inner.get("agentId"), str) and isinstance(call_id, str):
                self._agents_of_calls[call_id] = inner["agentId"]
            self._add_inline(data, seen)
        elif kind == "last-prompt":
            leaf = data.get("leafUuid")
            self._leaf = leaf if isinstance(leaf, str) else None
        elif kind in ("summary", "ai-title", "custom-title"):
            self._sessions.add_title(data, identity.session_id)
        elif kind == "content-replacement" and identity.session_id in self._sessions.rows:
            self._add_replacements(data, seen, identity)

    def _add_replacements(self, data: dict[str, Any], seen: SeenRecord, identity: Identity) -> None:
        key = self._new_key(data, seen, "content-replacement")
        if key is not None:
            link = self._link(data, seen, identity, "content-replacement", key)
            link.is_aside = True
            self._add_items(replacement_blocks(data), data, seen, identity, link, at=moment(data.get("timestamp"))[0])

    def _add_inline(self, data: dict[str, Any], seen: SeenRecord) -> None:
        """A sub-agent's turn inside a progress record: items and calls of its session, no record of its own."""
        turn = self._inline.unpack(data)
        if turn is None:
            return
        own = replace(seen, native_id=turn["uuid"], flags=())
        identity = self._sessions.identify(turn, own.sha256)
        before, known = len(self._reading.items), set(self._calls.requests)
        self._add_conversation(turn, own, identity, turn["type"], moment(turn.get("timestamp"))[0])
        for item in self._reading.items[before:]:
            item.flags += (FLAG,)
        for request_id in self._calls.requests.keys() - known:
            self._calls.requests[request_id].flags += (FLAG,)

    def _add_unknown(self, data: dict[str, Any], seen: SeenRecord, identity: Identity, at: Any) -> None:
        """A type from a version to come: its record row, and its words if it has any; never its numbers."""
        text = readable({name: data[name] for name in ("content", "text", "message", "output") if name in data})
        if not text or identity.session_id not in self._sessions.rows:
            return
        key = self._new_key(data, seen, seen.type)
        if key is not None:
            link = self._link(data, seen, identity, seen.type, key)
            link.is_aside = True
            self._add_items([Block(0, ItemKind.UNKNOWN, text, in_context=False)], data, seen, identity, link, at=at)

    def _add_conversation(self, data: dict[str, Any], seen: SeenRecord, identity: Identity, kind: str, at: Any) -> None:
        if not identity.is_agent:
            self._leaf = None  # named before this record was written
        key = self._new_key(data, seen, kind)
        if key is None:
            self._sessions.add(data, identity, None)
            if kind == "assistant":
                self._book_call(data, seen, identity, at)
            return
        self._sessions.add(data, identity, at)
        link = self._link(data, seen, identity, kind, key)
        if kind == "user":
            self._add_user(data, seen, identity, link, at)
        elif kind == "assistant":
            self._add_assistant(data, seen, identity, link, at)
        elif kind == "attachment":
            link.is_aside = True
            blocks = attachment_blocks(data, is_agent=identity.is_agent)
            self._add_items(blocks, data, seen, identity, link, at=at)
        else:
            link.is_aside = True
            self._add_system(data, seen, identity, link, at)

    def _new_key(self, data: dict[str, Any], seen: SeenRecord, kind: str) -> str | None:
        """What names the record in item ids; None if it is a copy of an earlier one: same id, type and time.

        In a fork that is the original's uuid. Without a uuid, and where a uuid came before at another time, it is the hash of
        the record's bytes.
        """
        origin = data.get("forkedFrom")
        forked = origin.get("messageUuid") if isinstance(origin, dict) else None
        key = (forked if isinstance(forked, str) else None) or seen.native_id or seen.sha256
        stamp = (kind, data.get("timestamp"))
        first = self._stamps.setdefault(key, stamp)
        if first is not stamp and first != stamp:
            seen.flags += ("uuid_reused",)
            key = seen.sha256
            first = self._stamps.setdefault(key, stamp)
        if first is stamp:
            return key
        seen.flags += ("replayed",)
        return None

    def _link(self, data: dict[str, Any], seen: SeenRecord, identity: Identity, kind: str, key: str = "") -> Link:
        parent, logical = data.get("parentUuid"), data.get("logicalParentUuid")
        link = Link(
            len(self._links), seen.native_id if "uuid_reused" not in seen.flags else None,
            parent if isinstance(parent, str) and parent else None, logical if isinstance(logical, str) and logical else None,
            identity.session_id if identity.is_agent else _MAIN, identity.session_id, kind, seen, key=key,
        )  # fmt: skip
        self._links.append(link)
        return link

    def _add_user(self, data: dict[str, Any], seen: SeenRecord, identity: Identity, link: Link, at: Any) -> None:
        blocks = list(user_blocks(data, is_agent=identity.is_agent))
        results = [block.call_id for block in blocks if block.kind is ItemKind.TOOL_RESULT]
        link.result_ids = [call_id for call_id in results if call_id is not None]
        is_task = (identity.is_agent or is_plan(data)) and not results and not data.get("isMeta")
        kinds = (ItemKind.USER_TEXT, ItemKind.INJECTED) if is_task else (ItemKind.USER_TEXT,)
        link.is_prompt = any(block.kind in kinds for block in blocks)
        link.is_aside = bool(data.get("isMeta"))
        items = self._add_items(blocks, data, seen, identity, link, at=at)
        first = next((item for item in items if item.kind in kinds), None)
        if first is None and not results and not data.get("isMeta"):
            first = next((item for item in items if item.kind is ItemKind.IMAGE), None)
        if first is not None:
            first.starts_turn = True
        if identity.is_agent and is_task and items and items[0].text in self._tasks:
            self._name_agent(self._tasks.pop(items[0].text), identity.native_id.removeprefix(f"{identity.main_id}/"))
        self._note_agent(data, link)
        summary = next((item for item in items if item.kind is ItemKind.COMPACTION_SUMMARY), None)
        if summary is not None and link.group in self._open_compactions:
            self._open_compactions.pop(link.group).summary_item_id = summary.item_id

    def _note_agent(self, data: dict[str, Any], link: Link) -> None:
        """The screen's copy of a result names the sub-agent that the call ran."""
        result = data.get("toolUseResult")
        if link.result_ids and isinstance(result, dict) and isinstance(result.get("agentId"), str):
            self._agents_of_calls[link.result_ids[0]] = result["agentId"]

    def _add_assistant(self, data: dict[str, Any], seen: SeenRecord, identity: Identity, link: Link, at: Any) -> None:
        message = data.get("message")
        message = message if isinstance(message, dict) else {}
        is_notice = message.get("model") == "<synthetic>" or data.get("isApiErrorMessage") is True
        request_id = None
        if not is_notice:
            request_id = self._book_call(data, seen, identity, at)
            link.message_id = message["id"] if isinstance(message.get("id"), str) else None
        blocks = list(assistant_blocks(data, is_notice=is_notice))
        items = self._add_items(blocks, data, seen, identity, link, at=at, request_id=request_id)
        for item, block in zip(items, blocks, strict=True):
            if item.kind is ItemKind.TOOL_CALL:
                if item.call_id is not None:
                    self._tool_calls.setdefault(item.call_id, item)
                    link.call_ids.append(item.call_id)
                if block.prompt and item.tool_name in ("Task", "Agent"):
                    self._tasks[block.prompt] = item
            elif item.kind is ItemKind.COMPACTION_SUMMARY and link.group in self._open_compactions:
                self._open_compactions.pop(link.group).summary_item_id = item.item_id

    def _book_call(self, data: dict[str, Any], seen: SeenRecord, identity: Identity, at: Any) -> str | None:
        message = data.get("message")
        if isinstance(message, dict) and (message.get("model") == "<synthetic>" or data.get("isApiErrorMessage") is True):
            return None
        place = Place(identity.session_id, identity.native_id, seen.line_no, at, identity.is_agent, seen.sha256)
        request_id, flags = self._calls.add(data, place)
        seen.flags += flags
        return request_id

    def _add_system(self, data: dict[str, Any], seen: SeenRecord, identity: Identity, link: Link, at: Any) -> None:
        if data.get("subtype") == "compact_boundary":
            meta = data.get("compactMetadata")
            meta = meta if isinstance(meta, dict) else {}
            trigger = meta.get("trigger")
            compaction = SeenCompaction(
                f"{AGENT}:{seen.native_id or seen.sha256}", identity.session_id, seen.line_no, at,
                trigger if isinstance(trigger, str) else None, tokens_before=whole(meta.get("preTokens"))[0],
                tokens_after=whole(meta.get("postTokens"))[0],
            )  # fmt: skip
            self._reading.compactions.append(compaction)
            self._open_compactions[link.group] = compaction
            self._compact_metadata.append(meta)
            return
        block = system_block(data)
        if block is not None:
            self._add_items([block], data, seen, identity, link, at=at)

    def _add_items(
        self, blocks: Sequence[Block], data: dict[str, Any], seen: SeenRecord, identity: Identity, link: Link, *,
        at: Any, request_id: str | None = None,
    ) -> list[SeenItem]:  # fmt: skip
        message = data.get("message")
        role = message.get("role") if isinstance(message, dict) else None
        role = role if isinstance(role, str) else "user" if link.type in ("user", "attachment") else link.type
        for block in blocks:
            item = SeenItem(
                f"{AGENT}:{link.key}:{block.no}{block.sub}", identity.session_id, seen.line_no, seen.byte_offset,
                seen.byte_length, block.no, block.kind, role, block.text, native_id=seen.native_id,
                is_sidechain=identity.is_agent, in_context=block.in_context, request_id=request_id,
                tool_name=block.tool_name, call_id=block.call_id, path=block.path, at=at, flags=block.flags,
                opaque_chars=block.opaque_chars, image_width=block.size[0] if block.size else None,
                image_height=block.size[1] if block.size else None,
            )  # fmt: skip
            if block.kind is ItemKind.USER_TEXT and link.type == "attachment" and not link.items:
                item.starts_turn = True
            link.items.append(item)
        self._reading.items.extend(link.items)
        return link.items

    def finish(self) -> Reading:
        reading = self._reading
        for item in reading.items:
            call = self._tool_calls.get(item.call_id) if item.call_id is not None else None
            if call is not None and item.kind is not ItemKind.TOOL_CALL:
                item.tool_name, item.path = call.tool_name, call.path
        for call_id, agent in self._agents_of_calls.items():
            if call_id in self._tool_calls:
                self._name_agent(self._tool_calls[call_id], agent)
        chain = Chain(self._links)
        chain.mark_active(self._leaf)
        for meta in self._compact_metadata:
            chain.mark_preserved(meta)
        broken = chain.mark_broken()
        reading.sessions = self._sessions.finish(chain, self._links, reading.items, broken)
        reading.requests = list(self._calls.requests.values())
        home = next(iter(self._sessions.rows), None)
        for seen in reading.records:
            if seen.session_id not in self._sessions.rows:  # bookkeeping without a session id, in a file named otherwise
                seen.session_id = home
        return reading

    def _name_agent(self, call: SeenItem, agent: str) -> None:
        """A call carries the sub-agent that it ran as flag `agent:<id>`: the session `<parent>/<id>`."""
        if f"agent:{agent}" not in call.flags:
            call.flags += (f"agent:{agent}",)


def _type_of(data: dict[str, Any]) -> str:
    kind, subtype = data.get("type"), data.get("subtype")
    if kind in ("attachment", "progress"):
        inner = data.get("attachment" if kind == "attachment" else "data")
        subtype = inner.get("type") if isinstance(inner, dict) else None
    elif kind == "queue-operation":
        subtype = data.get("operation")
    name = kind if isinstance(kind, str) and kind else "unknown"
    return f"{name}/{subtype}" if isinstance(subtype, str) and subtype else name
