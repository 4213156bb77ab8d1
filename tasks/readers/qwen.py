"""Qwen Code: one chat in lines -> rows. Records hang from each other; pieces of one message share its id."""

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any

from tasks.domain.kinds import ItemKind, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading, SeenItem
from tasks.readers import branches
from tasks.readers.contents import Block
from tasks.readers.draft import Draft
from tasks.readers.protocol import Reader
from tasks.readers.qwen_chain import Link, path, tree
from tasks.readers.qwen_parts import blocks, summary, usage
from tasks.readers.usage import uncounted
from tasks.readers.values import digest, fields, text, whole

_MESSAGES = ("user", "assistant", "tool_result")
_SUBTYPES = """
session_notes chat_compression slash_command ui_telemetry at_command attribution_snapshot notification
background_task_completed cron custom_title parent_session session_source session_execution_engine omni_recall
session_model session_approval_mode rewind agent_bootstrap agent_launch_prompt agent_retry agent_session_ready
file_history_snapshot user_text_elements session_artifact_event session_artifact_snapshot session_sources_snapshot
branch_checkpoint goal_state goal_runtime goal_turn_end realtime_message turn_result
"""
_KNOWN_SUBTYPES = frozenset(_SUBTYPES.split())


class QwenCode(Reader):
    """The reader of Qwen Code's chats."""

    agent = "qwen-code"
    version = 2

    def claims(self, head: Head) -> bool:
        return any(_is_ours(record) for record in head.objects)

    def identify(self, head: Head, path: str) -> str:
        return _session(head.objects) or PurePosixPath(path.replace("\\", "/")).stem

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        chat = _Chat(Draft(self.agent, shares_keys=True), hint.native_id or PurePosixPath(hint.path).stem)
        for record in records:
            chat.take(record)
        return chat.reading()


def _is_ours(record: dict[str, Any]) -> bool:
    has_parts = "parts" in fields(record.get("message"))
    return "uuid" in record and "sessionId" in record and (has_parts or isinstance(record.get("systemPayload"), dict))


def _session(head: Sequence[dict[str, Any]]) -> str | None:
    """Of the first record that names one; a sub-agent's file names the agent in every record."""
    named = next((found for record in head if (found := text(record.get("sessionId")))), None)
    agents = {_agent(record) for record in head if "uuid" in record}
    agent = agents.pop() if len(agents) == 1 else None
    return f"{named}/{agent}" if named and agent else named


def _agent(record: dict[str, Any]) -> str | None:
    return text(record.get("agentId")) if record.get("isSidechain") is True else None


class _Chat:
    """One file while it is read."""

    def __init__(self, draft: Draft, native_id: str) -> None:
        self.draft, self.native_id = draft, native_id
        self.links: list[Link] = []
        self.said: dict[str, list[SeenItem]] = {}
        """By the id of the message, all its pieces together."""
        self.pieces: set[str] = set()
        self.titles: list[tuple[str, str, str]] = []
        """Session, id of the record, title."""
        draft.open(native_id)

    def take(self, record: Record) -> None:
        """Books one record and what it says."""
        data, kind, subtype = record.data, text(record.data.get("type")), text(record.data.get("subtype"))
        self._open(data)
        named = text(data.get("uuid"))
        name = f"{kind or 'unknown'}/{subtype}" if subtype else kind or "unknown"
        is_known = kind in _MESSAGES or (kind == "system" and (subtype is None or subtype in _KNOWN_SUBTYPES))
        piece = digest(record.raw.decode("utf-8", "replace"))
        flags = (() if is_known else uncounted(data)) + (("replayed",) if named and piece in self.pieces else ())
        row = self.draft.record(
            record, name, native_id=named, at=data.get("timestamp"), version=text(data.get("version")), flags=flags
        )  # fmt: skip
        link = Link(len(self.links), named or piece, data.get("parentUuid"), kind in _MESSAGES or subtype == "rewind", row)
        self.links.append(link)
        if "replayed" in flags:
            return
        self.pieces.add(piece)
        if kind in _MESSAGES:
            self._message(link, data, kind)
        else:
            self._system(link, subtype, fields(data.get("systemPayload")), data)

    def _open(self, data: dict[str, Any]) -> None:
        agent = _agent(data)
        home = self.native_id.split("/", 1)[0]
        found = self.draft.open(f"{home}/{agent}" if agent else self.native_id)
        found.cwd = found.cwd or text(data.get("cwd"))
        found.git_branch = text(data.get("gitBranch")) or found.git_branch
        forked = text(fields(data.get("forkedFrom")).get("sessionId"))
        if agent is not None:
            found.relation, found.parent_session_id = Relation.SUBAGENT, f"{self.draft.agent}:{home}"
        elif forked is not None:
            found.relation, found.parent_session_id = Relation.FORK, f"{self.draft.agent}:{forked}"

    def _message(self, link: Link, data: dict[str, Any], kind: str) -> None:
        request_id = self._call(link, data) if kind == "assistant" else None
        for block in blocks(data):
            self._say(link, block, request_id)
        if kind == "user" and _agent(data) and link.items:
            link.items[0].starts_turn = True

    def _say(self, link: Link, block: Block, request_id: str | None = None) -> None:
        """Pieces of one message go on counting where the last one ended."""
        said = self.said.setdefault(link.id, [])
        item = self.draft.item(
            block.kind, block.text, role=block.role, block=len(said), request_id=request_id, call_id=block.call_id,
            tool_name=block.tool_name, path=block.path, in_context=block.in_context, flags=block.flags, size=block.size,
        )  # fmt: skip
        link.items.append(item)
        said.append(item)

    def _call(self, link: Link, data: dict[str, Any]) -> str | None:
        """One call for all pieces of a message; the count may come with the last of them."""
        used = usage(fields(data.get("usageMetadata")))
        limit = whole(data.get("contextWindowSize"))[0] or None
        if used is None:
            found = f"{self.draft.agent}:{link.id}"
            return found if found in self.draft.requests else None
        request_id = self.draft.call(link.id, used, model=text(data.get("model")), context_limit=limit)
        self.draft.session.context_limit = limit or self.draft.session.context_limit
        for item in self.said.get(link.id, ()):
            item.request_id = request_id if item.role == "model" else item.request_id
        return request_id

    def _system(self, link: Link, subtype: str | None, payload: dict[str, Any], data: dict[str, Any]) -> None:
        session = self.draft.session
        if subtype == "chat_compression":
            self._compaction(link, payload)
        elif subtype == "custom_title" and (title := text(payload.get("customTitle"))):
            self.titles.append((session.session_id, link.id, title))
        elif subtype == "parent_session" and (parent := text(payload.get("parentSessionId"))):
            session.relation, session.parent_session_id = Relation.SUBAGENT, f"{self.draft.agent}:{parent}"
        elif subtype == "slash_command" and payload.get("phase") != "result" and (said := text(payload.get("rawCommand"))):
            self._say(link, Block(ItemKind.NOTICE, "user", said, in_context=False))
        elif data.get("type") != "system":
            for block in blocks(data):
                self._say(link, Block(ItemKind.UNKNOWN, block.role, block.text, in_context=False))

    def _compaction(self, link: Link, payload: dict[str, Any]) -> None:
        info, said = fields(payload.get("info")), summary(payload)
        if said is not None:
            self._say(link, Block(ItemKind.COMPACTION_SUMMARY, "user", said))
        self.draft.compaction(
            None, tokens_before=whole(info.get("originalTokenCount"))[0], tokens_after=whole(info.get("newTokenCount"))[0],
            summary_item_id=link.items[-1].item_id if link.items else None,
        )  # fmt: skip

    def reading(self) -> Reading:
        """Decides over the whole file: the active branch, and the title on it."""
        on_path = path(self.links)
        for link in self.links:
            for item in link.items:
                item.on_path = link.id in on_path
        branches.mark(*tree(self.links, on_path))
        for session_id, named, title in self.titles:
            if named in on_path:
                self.draft.sessions[session_id].title = title
        for row in (link.row for link in self.links):
            if set(row.flags) & {"dangling_parent", "self_parent", "parent_cycle"} and row.session_id:
                session = self.draft.sessions[row.session_id]
                session.flags = tuple(dict.fromkeys((*session.flags, "broken_chain")))
        return self.draft.finish()
