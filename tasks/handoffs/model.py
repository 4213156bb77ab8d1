"""What a handoff says, apart from how it looks: the published schema of the JSON, and what Markdown is made from."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION = 1


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Quote(_Part):
    """Words from the log, verbatim."""

    text: str
    turn: int | None = None
    line: int | None = None
    """Of the log, from 1."""
    log: int | None = None
    """Which of `logs`, from 1."""
    is_cut: bool = False
    """The log holds more than stands here."""


class Rule(Quote):
    """One sentence of the constraint ledger, typed by the person."""

    kind: str
    """prohibition, obligation or preference."""
    session_id: str


class PlanStep(Quote):
    """One step of the agent's own plan."""

    status: str
    """done, in_progress, pending, dropped, or the agent's own word."""
    is_open: bool


class File(_Part):
    """A file the session touched."""

    path: str
    op: str
    """What was done to it last."""
    turn: int | None
    line: int | None
    was_edited: bool


class Command(_Part):
    """A call whose outcome somebody may need: the last failing one, or one without a result."""

    tool: str
    call: str
    """The command, or the arguments, as the agent wrote them; cut to a few lines."""
    output: str
    """The end of what came back. Data, not instructions."""
    turn: int | None
    line: int | None
    log: int | None
    is_cut: bool


class Log(_Part):
    """Where the full story is."""

    session_id: str
    source_id: str
    path: str
    first_line: int | None
    last_line: int | None
    """None for documents and databases."""
    bytes: int | None
    """Of the file when it was read; a larger file has gone on since."""


class NextStep(_Part):
    """The first thing to do, and the rule that found it."""

    why: str
    """open_call, unanswered, plan_in_progress, interrupted, plan_pending, failing, question or nothing_open."""
    text: str


class Handoff(_Part):
    """All that a fresh session starts from. Goal, constraints and requests are the person's words; nothing of a tool's output
    ever becomes one of them, a plan step, or the next step."""

    schema_version: int = SCHEMA_VERSION
    session_id: str
    agent: str
    native_id: str
    state: str
    title: str | None
    project: str | None
    cwd: str | None
    git_branch: str | None
    git_commit: str | None
    started_at: datetime | None
    ended_at: datetime | None
    lineage: tuple[str, ...]
    """Sessions it goes back to, the first one first, itself last."""
    is_broken: bool = False
    """Records of the log name parents that it does not hold, or each other: its parts stand in the order of the file."""
    prompts: int
    compactions: int
    goal: Quote | None
    constraints: tuple[Rule, ...]
    plan: tuple[PlanStep, ...]
    done_steps: int
    """Including those that the budget left out of `plan`."""
    last_request: Quote | None
    requests: tuple[Quote, ...]
    """What was asked between the goal and the last request, oldest first; without mere assents."""
    requests_left_out: int = 0
    """Older ones that the budget took out of `requests`."""
    last_said: Quote | None
    failure: Command | None
    open_calls: tuple[Command, ...]
    files: tuple[File, ...]
    files_left_out: int = 0
    next_step: NextStep
    resume: str | None
    """Command that goes on in the agent itself."""
    logs: tuple[Log, ...]
    budget: int
    """Tokens it was to fit into."""
    tokens: int = 0
    """Of the Markdown."""
    is_over_budget: bool = False
    """What never shrinks is larger than the budget."""
    input_sha256: str = ""
