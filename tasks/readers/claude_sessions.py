"""The sessions that one Claude Code file tells of: who they are, when they ran, whom they continue, how they stop."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from tasks.domain.kinds import Ending, ItemKind, Relation
from tasks.domain.seen import SeenItem, SeenSession
from tasks.readers.claude_chain import Chain, Link
from tasks.readers.claude_prompts import INTERRUPTION

AGENT = "claude-code"


def stem(path: str) -> str:
    """The file's name without folder and ending, on any system's path."""
    return PurePosixPath(path.replace("\\", "/")).stem


@dataclass(slots=True)
class Identity:
    """Which session a record belongs to."""

    native_id: str
    main_id: str
    """Native id of the conversation; the same unless this is a sub-agent."""
    is_agent: bool
    is_from_path: bool = False

    @property
    def session_id(self) -> str:
        return f"{AGENT}:{self.native_id}"


class Sessions:
    """The sessions of one file, by id, in the order of their first records."""

    def __init__(self, path: str, native_id: str) -> None:
        name = stem(path)
        self._agent_of_file = name.removeprefix("agent-") if name.startswith("agent-") else None
        self.main_id = native_id or name
        if self._agent_of_file:
            self.main_id = self.main_id.removesuffix(f"/{self._agent_of_file}")
        self.rows: dict[str, SeenSession] = {}
        self._agent_of_record: dict[str, str] = {}
        self._titles: dict[str, tuple[int, str]] = {}
        self._summaries: list[tuple[str, str]] = []
        self._known: dict[tuple[Any, Any], Identity] = {}

    def identify(self, record: dict[str, Any], sha256: str) -> Identity:
        """A record's own ids decide; the file's name stands in where they are missing or empty."""
        session, agent = record.get("sessionId"), record.get("agentId")
        if not (isinstance(agent, str) and agent):
            agent = self._inline_agent(record, sha256) if record.get("isSidechain") is True else None
        key = (session if isinstance(session, str) else None, agent)
        found = self._known.get(key)
        if found is None:
            is_from_path = not key[0]
            main_id = key[0] or self.main_id
            native_id = f"{main_id}/{agent}" if agent else main_id
            found = self._known[key] = Identity(native_id, main_id, agent is not None, is_from_path)
        return found

    def _inline_agent(self, record: dict[str, Any], sha256: str) -> str:
        """A sidechain without an agent id is named by the root of its chain, or by its own file."""
        if self._agent_of_file:
            return self._agent_of_file
        uuid = record.get("uuid")
        own = uuid if isinstance(uuid, str) and uuid else sha256
        parent = record.get("parentUuid")
        agent = self._agent_of_record.get(parent, own) if isinstance(parent, str) else own
        self._agent_of_record[own] = agent
        return agent

    def add(self, record: dict[str, Any], identity: Identity, at: datetime | None) -> SeenSession:
        """The record's session, with what the record says of it."""
        session_id = identity.session_id
        row = self.rows.get(session_id)
        if row is None:
            row = self.rows[session_id] = SeenSession(session_id, AGENT, identity.native_id)
            if identity.is_agent:
                row.parent_session_id, row.relation = f"{AGENT}:{identity.main_id}", Relation.SUBAGENT
            if identity.is_from_path:
                row.flags += ("session_id_from_path",)
        if at is not None:
            row.started_at = at if row.started_at is None or at < row.started_at else row.started_at
            row.ended_at = at if row.ended_at is None or at > row.ended_at else row.ended_at
        cwd, branch, version = record.get("cwd"), record.get("gitBranch"), record.get("version")
        if row.cwd is None and isinstance(cwd, str) and cwd:
            row.cwd, row.project = cwd, PurePosixPath(cwd.replace("\\", "/")).name or cwd
        if isinstance(branch, str) and branch:
            row.git_branch = branch
        if isinstance(version, str) and version:
            row.agent_version = version
        self._add_fork(record, row)
        return row

    def _add_fork(self, record: dict[str, Any], row: SeenSession) -> None:
        origin = record.get("forkedFrom")
        if row.relation is None and isinstance(origin, dict) and isinstance(origin.get("sessionId"), str):
            parent = f"{AGENT}:{origin['sessionId']}"
            if parent != row.session_id:
                row.parent_session_id, row.relation = parent, Relation.FORK

    def add_title(self, record: dict[str, Any], session_id: str) -> None:
        """A title is a custom one before a generated one before a summary; the last of the best kind stands."""
        for rank, name in ((2, "customTitle"), (1, "aiTitle")):
            title = record.get(name)
            if isinstance(title, str) and title and rank >= self._titles.get(session_id, (0, ""))[0]:
                self._titles[session_id] = (rank, title)
        summary, leaf = record.get("summary"), record.get("leafUuid")
        if isinstance(summary, str) and isinstance(leaf, str):
            self._summaries.append((leaf, summary))

    def finish(self, chain: Chain, links: Iterable[Link], items: Iterable[SeenItem], broken: set[str]) -> list[SeenSession]:
        """All rows, once the whole file is known."""
        for leaf, summary in self._summaries:
            link = chain.by_uuid.get(leaf)  # often the leaf of another session, whose title it is
            if link is not None and link.session_id not in self._titles:
                self._titles[link.session_id] = (0, summary)
        for session_id, (_, title) in self._titles.items():
            if session_id in self.rows:
                self.rows[session_id].title = title
        self._link_parents(chain, links)
        for session_id in broken & self.rows.keys():
            self.rows[session_id].flags += ("broken_chain",)
        for session_id, ending in _endings(items).items():
            if session_id in self.rows:
                self.rows[session_id].ending = ending
        return list(self.rows.values())

    def _link_parents(self, chain: Chain, links: Iterable[Link]) -> None:
        """A session whose first record names a parent elsewhere continues that one."""
        begun: set[str] = set()
        for link in links:
            row = self.rows.get(link.session_id)
            if link.session_id in begun or row is None:
                continue
            begun.add(link.session_id)
            reference = link.parent or link.logical_parent
            if reference is None or reference == link.uuid:
                continue
            parent = chain.by_uuid.get(reference)
            if parent is None:
                row.parent_ref = reference
                row.relation = row.relation or Relation.CONTINUATION
            elif parent.session_id != link.session_id and parent.group == link.group and row.relation is None:
                row.parent_session_id, row.relation = parent.session_id, Relation.RESUME


def _endings(items: Iterable[SeenItem]) -> dict[str, Ending]:
    """Clean when the last thing on the active branch is an answer, and every call since the last prompt has its result."""
    last: dict[str, ItemKind] = {}
    open_calls: dict[str, set[str | None]] = {}
    for item in items:
        if not item.on_path:
            continue
        calls = open_calls.setdefault(item.session_id, set())
        if item.starts_turn or item.kind is ItemKind.USER_TEXT:
            calls.clear()
            last[item.session_id] = ItemKind.USER_TEXT
        elif item.kind is ItemKind.TOOL_CALL:
            calls.add(item.call_id)
            last[item.session_id] = item.kind
        elif item.kind is ItemKind.TOOL_RESULT:
            calls.discard(item.call_id)
            last[item.session_id] = item.kind
        elif item.kind in (ItemKind.ASSISTANT_TEXT, ItemKind.REASONING) or item.text.startswith(INTERRUPTION):
            last[item.session_id] = item.kind
    return {
        session_id: Ending.CLEAN if kind is ItemKind.ASSISTANT_TEXT and not open_calls[session_id] else Ending.MID_TURN
        for session_id, kind in last.items()
    }
