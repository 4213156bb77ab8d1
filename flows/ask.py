"""`midwatch query`: one SELECT of the caller's, or a question of sql/analysis by its name, in the sandbox."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flows import console, tables
from flows.inputs import with_lake
from tasks.domain.errors import UsageError

if TYPE_CHECKING:
    from tasks.domain.settings import Settings
    from tasks.store.sql import Query

_NAME = re.compile(r"[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)?")


def run_query(settings: "Settings", text: str, params: Sequence[str], form: str | None) -> int:
    """Prints the answer; says on standard error when rows were left out."""
    from tasks.store.layout import Layout
    from tasks.store.sandbox import Limits, ask_lake

    form = checked_form(form, settings)
    settings, note = with_lake(settings)
    if note:
        console.say(note)
    limits = Limits(
        settings.query_seconds, settings.query_rows, settings.query_memory.replace(" ", ""), threads=min(settings.workers, 4)
    )
    text, values = question(text, pairs(params))
    answer = ask_lake(Layout(settings.data), text, values, limits)
    console.show(tables.render(answer.columns, answer.rows, form, console.room()))
    if answer.is_cut:
        console.say(f"only the first {limits.rows:,} rows are shown; ask for less, or set query_rows")
    return 0


def list_questions(settings: "Settings", form: str | None) -> int:
    """Prints what has a name, the questions and the table macros, with what they ask and take."""
    from tasks.store import sql

    form = checked_form(form, settings)
    found = {room: [sql.load(f"{room}/{name}") for name in sql.names(room)] for room in ("analysis", "macros")}
    if form == "table":
        console.show(_listing(found, console.room()))
    else:
        rows = [[_named(query), _taken(query), query.question, room] for room in found for query in found[room]]
        console.show(tables.render(("name", "params", "question", "room"), rows, form))
    return 0


def _listing(found: "Mapping[str, Sequence[Query]]", room: int | None) -> str:
    """One under the other, since no question fits beside its name and parameters."""
    questions = [
        (_named(query), query.question, f"params: {_taken(query)}" if query.params else "") for query in found["analysis"]
    ]
    macros = [(f"{_named(query)}({_taken(query)})", query.question, "") for query in found["macros"]]
    return (
        f"Questions: midwatch query NAME --param K=V\n\n{tables.entries(questions, room)}\n"
        f"Table macros, in any SELECT: midwatch query \"from NAME('...')\"\n\n{tables.entries(macros, room)}"
    )


def _named(query: "Query") -> str:
    return query.name.rpartition("/")[2]


def _taken(query: "Query") -> str:
    """Its parameters; one without a value must be given."""
    return ", ".join(p.name if p.default is None else f"{p.name}={p.default}" for p in query.params)


def question(text: str, params: dict[str, str]) -> tuple[str, dict[str, Any]]:
    """SQL and typed values: of a named question by its header, of the caller's own SQL by how the values look."""
    from tasks.store import sql

    if not _NAME.fullmatch(text.strip()):
        return text, {name: guessed(value) for name, value in params.items()}
    query = sql.load(text.strip())
    return query.text, sql.bind(query, params)


def pairs(params: Sequence[str]) -> dict[str, str]:
    """`k=v` texts by name."""
    wrong = [param for param in params if "=" not in param]
    if wrong:
        raise UsageError(f"--param {wrong[0]}: write it as name=value")
    return dict(param.split("=", 1) for param in params)


def guessed(value: str) -> Any:
    """A parameter of one's own SQL: an integer, a number, true, false, null, else the text."""
    if re.fullmatch(r"[+-]?\d+", value):
        return int(value)
    if re.fullmatch(r"[+-]?\d*\.\d+([eE][+-]?\d+)?", value):
        return float(value)
    return {"true": True, "false": False, "null": None}.get(value.lower(), value)


def checked_form(form: str | None, settings: "Settings") -> str:
    """The format asked for; --json is json, and a table is the default."""
    if form is not None and form not in tables.FORMATS:
        raise UsageError(f"--format {form}: give one of {', '.join(tables.FORMATS)}")
    return form or ("json" if settings.json_output else "table")
