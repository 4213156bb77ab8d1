"""What a reader yields: the facts of one log file, before identity across files is resolved.

Grain and owner: every row belongs to one source. The same item may be seen in several sources (resume, fork, replay);
`sql/identity` decides which session is its home and counts it once.
"""

from dataclasses import dataclass, field
from datetime import datetime

from tasks.domain.kinds import Ending, ItemKind, Relation, ToolCategory


@dataclass(slots=True)
class SeenRecord:
    """A raw record without its text: one row per record, known or not."""

    line_no: int
    byte_offset: int
    byte_length: int
    sha256: str
    """Of the record's bytes as logged."""
    type: str
    """The agent's own name for it, as `type` or `type/subtype`."""
    native_id: str | None
    """The id the log gives the record."""
    shape: str
    """Hash of the sorted keys (top level, payloads, token counts), for schema drift as a query."""
    agent_version: str | None
    session_id: str | None
    flags: tuple[str, ...] = ()
    origin: str = ""
    """Which part of the log it is, as `Record.origin` says."""


@dataclass(slots=True)
class SeenItem:
    """One thing said or done, as one file tells it."""

    item_id: str
    """Agent + native record id + block index; sha256 of the record's bytes where the log has no id."""
    session_id: str
    """`agent:native_id` of the session whose log this is, home or not."""
    line_no: int
    byte_offset: int
    byte_length: int
    block_no: int
    kind: ItemKind
    role: str
    """As logged: user, assistant, developer, system, tool."""
    text: str
    native_id: str | None = None
    """Id of the record that holds it, for links between records (parents, leaves)."""
    content_key: str | None = None
    """Hash of the content without stamps of its own; set where copies get new ids or times (Codex forks)."""
    is_replay: bool = False
    """The file itself suggests that this is a re-stamped copy of the parent's history; used when the parent is absent."""
    is_sidechain: bool = False
    starts_turn: bool = False
    """True on the first item of a prompt typed by a person (or of a sub-agent's task)."""
    on_path: bool = True
    """On the active branch at the end of this file."""
    in_context: bool = True
    """Was sent to the model at some request."""
    request_id: str | None = None
    """The call that produced it (assistant text, reasoning, tool calls)."""
    tool_name: str | None = None
    """Also on results, by their call."""
    tool_category: ToolCategory | None = None
    call_id: str | None = None
    path: str | None = None
    """The file it touches, as logged."""
    at: datetime | None = None
    """UTC, naive; None when the log gives none or an impossible one."""
    flags: tuple[str, ...] = ()
    opaque_chars: int | None = None
    """Length of what the log keeps of it for the model alone: signatures of thinking, encrypted reasoning."""
    image_width: int | None = None
    """In pixels, of an image whose bytes the log holds."""
    image_height: int | None = None
    cleared_at: datetime | None = None
    """When its text left the window without a compaction (`pruned`), where the log says it. UTC, naive."""
    branch: str | None = None
    """Off the path: the first item of the branch that was left. None where the log does not tell branches apart."""
    branch_after: str | None = None
    """The item that this branch goes on from; None at the session's start."""
    place: int = 0
    """Order in the session as it happened, where line numbers do not say it (documents, folders, databases); 0: they do."""


@dataclass(slots=True)
class SeenRequest:
    """One paid call to a model, its streamed records folded into one. Token buckets are disjoint; None = not reported."""

    request_id: str
    session_id: str
    line_no: int
    """Of its first record in this file."""
    at: datetime | None = None
    model: str | None = None
    input_uncached_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    """Total; the two below are its parts where the log splits it."""
    cache_write_5m_tokens: int | None = None
    cache_write_1h_tokens: int | None = None
    output_tokens: int | None = None
    """As reported, reasoning included."""
    reasoning_tokens: int | None = None
    output_origin: str = "reported"
    """`reported`, or `lower_bound` where the log was written before the answer was complete."""
    is_sidechain: bool = False
    stop_reason: str | None = None
    service_tier: str | None = None
    context_limit: int | None = None
    web_search_requests: int | None = None
    call_key: str | None = None
    """Names the call in every copy of it, where copies may have other request ids (gateways, side questions)."""
    content_key: str | None = None
    is_replay: bool = False
    flags: tuple[str, ...] = ()
    place: int = 0
    """As that of items."""


@dataclass(slots=True)
class SeenCompaction:
    """One compaction that the log records."""

    compaction_id: str
    session_id: str
    line_no: int
    at: datetime | None = None
    trigger: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    items_removed: int | None = None
    summary_item_id: str | None = None
    content_key: str | None = None
    is_replay: bool = False
    place: int = 0
    """As that of items."""


@dataclass(slots=True)
class SeenSession:
    """One session as one file tells it; a file may hold several (inline sub-agents, old resumes)."""

    session_id: str
    agent: str
    native_id: str
    project: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    git_commit: str | None = None
    title: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    parent_session_id: str | None = None
    """Named by the log itself. A fork (`relation`) without it does not say whose it is: its `content_key`s do."""
    parent_ref: str | None = None
    """Native id of a record in another file that this session says it continues from."""
    relation: Relation | None = None
    ending: Ending = Ending.CLEAN
    agent_version: str | None = None
    """The last one seen in the file."""
    context_limit: int | None = None
    flags: tuple[str, ...] = ()


@dataclass(slots=True)
class Reading:
    """All that a reader saw in one file, in file order."""

    records: list[SeenRecord] = field(default_factory=list)
    sessions: list[SeenSession] = field(default_factory=list)
    requests: list[SeenRequest] = field(default_factory=list)
    items: list[SeenItem] = field(default_factory=list)
    compactions: list[SeenCompaction] = field(default_factory=list)
