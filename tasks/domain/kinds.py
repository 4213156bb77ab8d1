"""The closed vocabularies of the lake. Raw names of the agents are kept beside them, never instead of them."""

from enum import StrEnum


class ItemKind(StrEnum):
    """What a thing in a session is, whoever logged it."""

    SYSTEM = "system"
    USER_TEXT = "user_text"
    """Typed by a person. Nothing else ever carries a person's authority."""
    ASSISTANT_TEXT = "assistant_text"
    REASONING = "reasoning"
    TOOL_CALL = "tool_call"
    """Text is the canonical JSON of the arguments."""
    TOOL_RESULT = "tool_result"
    INJECTED = "injected"
    """Put into the context by the agent program: reminders, attachments, AGENTS.md, prompts of sub-agents."""
    IMAGE = "image"
    COMPACTION_SUMMARY = "compaction_summary"
    NOTICE = "notice"
    """Written by the agent program; `in_context` says whether the model saw it."""
    UNKNOWN = "unknown"


class ToolCategory(StrEnum):
    """What a tool does, in the few words that questions are asked in."""

    READ = "read"
    SEARCH = "search"
    EDIT = "edit"
    SHELL = "shell"
    TEST = "test"
    WEB = "web"
    PLAN = "plan"
    SUBAGENT = "subagent"
    MCP = "mcp"
    OTHER = "other"


class Form(StrEnum):
    """How the bytes of a log are laid out, whoever wrote it."""

    LINES = "lines"
    """JSON objects, one a line, appended to."""
    TEXT = "text"
    """Text for people, appended to."""
    DOCUMENT = "document"
    """One JSON value, rewritten whole."""
    FOLDER = "folder"
    """Files of one folder that tell one story together, stored as one tar archive."""
    DATABASE = "database"
    """An SQLite file, with what its write-ahead log holds."""

    @property
    def grows(self) -> bool:
        """Whether yesterday's log is the beginning of today's."""
        return self in (Form.LINES, Form.TEXT)


class SourceState(StrEnum):
    """What became of a log file, seen from the night that last wrote its row."""

    NEW = "new"
    APPENDED = "appended"
    UNCHANGED = "unchanged"
    TRUNCATED = "truncated"
    REWRITTEN = "rewritten"
    MOVED = "moved"
    COPY = "copy"
    """A prefix of another present file; its bytes are in that one."""
    EMPTY = "empty"
    GONE = "gone"
    UNREADABLE = "unreadable"
    UNCLAIMED = "unclaimed"


class Relation(StrEnum):
    """Why a session names another one as its parent."""

    RESUME = "resume"
    FORK = "fork"
    SUBAGENT = "subagent"
    CONTINUATION = "continuation"


class Ending(StrEnum):
    """How the log of a session stops; with the archive's newest record it gives `sessions.state`."""

    CLEAN = "clean"
    """The model's turn was over."""
    MID_TURN = "mid_turn"
    """A prompt without an answer, a call without a result, or an interruption."""
