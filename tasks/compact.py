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
from tasks.compaction.window import Moment, Moments, context, moments
from tasks.context.rows import sessions
from tasks.domain.compaction import CompactionSettings
from tasks.domain.errors import UsageError
from tasks.domain.item import Item, from_rows
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


@dataclass(frozen=True, slots=True)
class Archived:
    """A session with all its moments, and what a policy may know at any of them."""

    session_id: str
    moments: Moments
    items: Mapping[str, Item]
    count: Callable[[str], int]
    facts: Mapping[str, str | None]
    """cwd, commit and log_path."""

    def context(self, moment: Moment, policy: str, settings: CompactionSettings | None, at_tokens: int | None) -> Context:
        """What a policy sees. The trigger is met by a whole prompt, and a policy sees its items alone: what else was in the
        prompt is taken off."""
        told = config.settings_of(policy, settings)
        found = context(moment, self.moments.held(moment), self.items, self.count, told, **self.facts)
        if "trigger_tokens" not in told or not at_tokens:
            return found
        beside = max(0, moment.tokens - sum(found.tokens(at) for at in range(len(found.items))))
        trigger = max(1, at_tokens - beside)
        return replace(found, settings={**told, "trigger_tokens": trigger, "target_tokens": config.target(trigger)})


def compact(
    con: "duckdb.DuckDBPyConnection", session_id: str, policy: str, *, at_tokens: int | None,
    settings: CompactionSettings | None,
) -> Compaction:  # fmt: skip
    """At the first call whose context is that large; without a size at the policy's own trigger, where `[compaction]` gives
    one, else after the end of the session. UsageError where no context is as large."""
    made = by_name(policy)()
    at_tokens = at_tokens or config.trigger_of(policy, settings)
    session = archived(con, session_id)
    moment = session.moments.every[-1] if at_tokens is None else session.moments.first_with(at_tokens)
    if moment is None:
        raise UsageError(
            f"{session_id}: no context of {at_tokens:,} tokens; the largest has {session.moments.largest():,}. Give a smaller "
            "--at-tokens"
        )
    found = session.context(moment, policy, settings, at_tokens)
    done = outcome(made.plan(found, Budget()), found)
    return Compaction(session_id, moment, found, done, invalidated(found.items, done.view, found.count))


def archived(con: "duckdb.DuckDBPyConnection", session_id: str) -> Archived:
    """A session of the lake. UsageError where it has no such session."""
    facts = _facts(con, session_id)
    rows = sql.run(con, sql.load("compaction/items_to_compact"), {"session": session_id}).dicts()
    calls = sql.run(con, sql.load("compaction/calls_to_compact"), {"session": session_id}).dicts()
    (session,) = sessions([facts], calls, rows)
    model = next((call.model for call in reversed(session.calls) if call.model), None)
    told = {"cwd": facts["cwd"], "commit": facts["git_commit"], "log_path": facts["log_path"]}
    items = {item.item_id: item for item in from_rows(rows)}
    return Archived(session_id, moments(session), items, counter(session.agent, model), told)


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
