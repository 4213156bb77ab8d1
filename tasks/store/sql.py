"""The questions of `sql/`: found by name, described by their header, run with named parameters.

The only place that knows where the SQL files are. A header is the block of comment lines at the top of a file:

    -- Where the content tokens went, by kind of item.      the question, one sentence
    -- reads: items, archive                                views (or lake tables) it selects from
    -- params: days integer null, top integer 20            name type default; without a default it must be given; or `none`
    -- grain: kind                                          what one row of the answer is
"""

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from tasks.domain.errors import UsageError

if TYPE_CHECKING:
    import duckdb

_FIELD = re.compile(r"^(reads|params|grain):\s*(.*)$")
_PARAM = re.compile(r"\$([a-z_]+)")
_YES = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class Param:
    """A named parameter of a query."""

    name: str
    type: str
    """integer, double, text, date or boolean."""
    default: str | None
    """As written in the header; None = the caller must give it."""


@dataclass(frozen=True, slots=True)
class Query:
    """One SQL file. `name` is `room/stem`."""

    name: str
    text: str
    question: str
    reads: tuple[str, ...]
    params: tuple[Param, ...]
    grain: str


@dataclass(frozen=True, slots=True)
class Table:
    """The answer to a query, in its own order."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    def dicts(self) -> list[dict[str, Any]]:
        """The rows by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def names(room: str) -> list[str]:
    """Stems of the queries of one room (views, analysis, checks, ...), sorted."""
    folder = resources.files("sql").joinpath(room)
    if not room.isidentifier() or not folder.is_dir():
        return []
    return sorted(file.name.removesuffix(".sql") for file in folder.iterdir() if file.name.endswith(".sql"))


def load(name: str) -> Query:
    """A query by `room/stem`; a bare stem is a question or a macro. UsageError that lists the known for one that is none."""
    room, _, stem = name.rpartition("/")
    room = room or ("macros" if stem in names("macros") else "analysis")
    known = names(room)
    if stem not in known:
        raise UsageError(f"no query {name!r} in sql/{room}. Known there: {', '.join(known) or 'none'}.")
    return _parse(f"{room}/{stem}", resources.files("sql").joinpath(room, f"{stem}.sql").read_text(encoding="utf-8"))


def run(con: "duckdb.DuckDBPyConnection", query: Query, params: Mapping[str, Any] | None = None) -> Table:
    """Runs a query; parameters not given take the header's default, texts are turned into the header's type."""
    cursor = con.execute(query.text, bind(query, params or {}))
    return Table(tuple(column[0] for column in cursor.description or ()), cursor.fetchall())


def macro(query: Query) -> str:
    """The statement that makes a table macro of a query. It takes the header's parameters in their order."""
    taken = ", ".join(p.name if p.default is None else f"{p.name} := {p.default}" for p in query.params)
    body = _PARAM.sub(lambda found: f'"{found[1]}"', query.text)
    return f"create or replace macro {query.name.rpartition('/')[2]}({taken}) as table {body}"


def bind(query: Query, given: Mapping[str, Any]) -> dict[str, Any]:
    """Values for all parameters of the query, or a UsageError that shows what the query takes."""
    usage = ", ".join(f"{p.name} ({p.type}{'' if p.default is None else ', default ' + p.default})" for p in query.params)
    unknown = sorted(set(given) - {p.name for p in query.params})
    missing = [p.name for p in query.params if p.default is None and p.name not in given]
    if unknown or missing:
        wrong = f"no parameter {unknown[0]!r}" if unknown else f"parameter {missing[0]!r} is missing"
        raise UsageError(f"{query.name}: {wrong}. It takes: {usage or 'none'}.")
    values = {}
    for p in query.params:
        value = given.get(p.name, p.default)
        try:
            values[p.name] = _typed(value, p.type)
        except (ValueError, KeyError):
            raise UsageError(f"{query.name}: {value!r} is no {p.type}, which {p.name} must be. It takes: {usage}.") from None
    return values


def _typed(value: Any, kind: str) -> Any:
    if not isinstance(value, str):
        return value
    if value.lower() == "null":
        return None
    if kind == "integer":
        return _whole(value)
    if kind == "double":
        return float(value)
    if kind == "date":
        return dt.date.fromisoformat(value)
    return _YES[value.lower()] if kind == "boolean" else value


def _whole(text: str) -> int:
    """One that DuckDB takes for an `integer`: of 32 bits."""
    number = int(text)
    if not -(2**31) <= number < 2**31:
        raise ValueError(text)
    return number


def _parse(name: str, text: str) -> Query:
    fields: dict[str, str] = {}
    question: list[str] = []
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        words = line.removeprefix("--").strip()
        if match := _FIELD.match(words):
            fields[match[1]] = match[2].strip()
        elif not fields:
            question.append(words)
    return Query(
        name, text, " ".join(question), _listed(fields.get("reads", "")),
        tuple(_param(p) for p in _listed(fields.get("params", ""))), fields.get("grain", ""),
    )  # fmt: skip


def _listed(words: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in words.split(",") if part.strip() not in {"", "none"})


def _param(words: str) -> Param:
    name, kind, *default = words.split(maxsplit=2)
    return Param(name.lstrip("$"), kind, default[0] if default else None)
