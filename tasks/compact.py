"""Compacts the context of an archived session, as a policy would have done it at one of its calls."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tasks.compaction import config
from tasks.compaction.document import CompactedContext, document
from tasks.compaction.plan import Budget, Context, Outcome, outcome
from tasks.compaction.prefix import invalidated
from tasks.compaction.registry import by_name
from tasks.compaction.window import Moment, context, moments
from tasks.context.rows import sessions
from tasks.domain.compaction import CompactionSettings
from tasks.domain.errors import UsageError
from tasks.domain.item import from_rows
from tasks.store import sql

if TYPE_CHECKING:
    import duckdb

    from tasks.tokens.counter import Counter


@dataclass(frozen=True, slots=True)
class Compaction:
    """What a policy made of a context."""

    session_id: str
    moment: Moment
    context: Context
    outcome: Outcome
    invalidated_tokens: int
    """Of the new context, which no cache holds."""

    @property
    def freed_share(self) -> float:
        """Of the counted tokens; 0 for an empty context."""
        return self.outcome.freed / self.outcome.tokens_before if self.outcome.tokens_before else 0.0

    def document(self) -> CompactedContext:
        """What `midwatch restore` reads back."""
        return document(self.session_id, self.moment.no, self.context.items, self.outcome, self.invalidated_tokens)


def compact(
    con: "duckdb.DuckDBPyConnection", session_id: str, policy: str, *, at_tokens: int | None,
    settings: CompactionSettings | None,
) -> Compaction:  # fmt: skip
    """At the first call whose context is that large; without a size at the policy's own trigger, where `[compaction]` gives
    one, else after the end of the session. UsageError where no context is as large."""
    made = by_name(policy)()
    at_tokens = at_tokens or config.trigger_of(policy, settings)
    moment, found = context_at(con, session_id, at_tokens, config.settings_of(policy, settings))
    if "trigger_tokens" in found.settings and at_tokens:
        found = _triggered(found, moment, at_tokens)
    done = outcome(made.plan(found, Budget()), found)
    return Compaction(session_id, moment, found, done, invalidated(found.items, done.view, found.count))


def context_at(
    con: "duckdb.DuckDBPyConnection", session_id: str, at_tokens: int | None, settings: Mapping[str, object]
) -> tuple[Moment, Context]:
    """The window of a session at its first call with so many tokens, or after its end."""
    rows = sql.run(con, sql.load("compaction/items_to_compact"), {"session": session_id}).dicts()
    calls = sql.run(con, sql.load("compaction/calls_to_compact"), {"session": session_id}).dicts()
    facts = _facts(con, session_id)
    (session,) = sessions([facts], calls, rows)
    found = moments(session)
    moment = found.every[-1] if at_tokens is None else found.first_with(at_tokens)
    if moment is None:
        raise UsageError(
            f"{session_id}: no context of {at_tokens:,} tokens; the largest has {found.largest():,}. Give a smaller --at-tokens"
        )
    items = {item.item_id: item for item in from_rows(rows)}
    told: dict[str, str | None] = {"cwd": facts["cwd"], "commit": facts["git_commit"], "log_path": facts["log_path"]}
    model = next((call.model for call in reversed(session.calls) if call.model), None)
    return moment, context(moment, found.held(moment), items, counter(session.agent, model), settings, **told)


def _triggered(found: Context, moment: Moment, at_tokens: int) -> Context:
    """A trigger is met by a whole prompt; a policy sees its items alone, so what else was in the prompt is taken off."""
    beside = max(0, moment.tokens - sum(found.tokens(at) for at in range(len(found.items))))
    trigger = max(1, at_tokens - beside)
    told = {**found.settings, "trigger_tokens": trigger, "target_tokens": config.target(trigger)}
    return replace(found, settings=told)


def _facts(con: "duckdb.DuckDBPyConnection", session_id: str) -> dict[str, Any]:
    query = "select session_id, agent, agent_version, cwd, git_commit from sessions where session_id = $1"
    row = con.execute(query, [session_id]).fetchone()
    if row is None:
        raise UsageError(f"no session {session_id!r} in the lake. `midwatch sessions` lists them.")
    logs = sql.run(con, sql.load("compaction/raw_of_session"), {"session": session_id}).dicts()
    names = ("session_id", "agent", "agent_version", "cwd", "git_commit")
    return dict(zip(names, row, strict=True)) | {"log_path": logs[0]["path"] if logs else None}


def counter(agent: str, model: str | None) -> Callable[[str], int]:
    """Counts a text by the encoding that is nearest to the model's."""
    from tasks.tokens.counter import encoding_for

    made = _counter(encoding_for(agent, model))
    return lambda text: made.count(text).tokens


@lru_cache(maxsize=4)
def _counter(encoding: str) -> "Counter":
    from tasks.tokens.counter import Counter

    return Counter(encoding)
