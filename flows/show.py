"""What stands in the lake, for a person: sessions, sources, outline, search, handoff. Trusted questions of sql/analysis."""

import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows import console, tables
from flows.inputs import lake
from tasks.domain.errors import StorageError, UsageError

if TYPE_CHECKING:
    import duckdb

    from tasks.domain.settings import Settings


def answer(settings: "Settings", name: str, params: dict[str, Any]) -> int:
    """Prints the answer to a question of sql/analysis: a table for a person, --json for a program."""
    from tasks.store import sql
    from tasks.store.sandboxed import plain

    with lake(settings) as (con, _):
        found = sql.run(con, sql.load(f"analysis/{name}"), {k: v for k, v in params.items() if v is not None})
    rows = [[plain(value) for value in row] for row in found.rows]
    console.show(tables.render(found.columns, rows, "json" if settings.json_output else "table", console.room()))
    if not rows and not settings.quiet:
        console.say("nothing was found")
    return 0


def day(text: str | None) -> date | None:
    """A day as given on the command line."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise UsageError(f"{text!r} is no day; write it as 2026-01-31") from None


def outline(settings: "Settings", session: str, at_request: int | None) -> int:
    """Prints one line per item of a session, or of its window at one call."""
    from flows.select import session_id
    from tasks.store import sql

    with lake(settings) as (con, _):
        chosen = session_id(con, session)
        if at_request is not None and not _has_request(con, chosen, at_request):
            raise UsageError(
                f"{chosen} has no call {at_request}; `midwatch query context_growth --param session={chosen}` lists them"
            )
        query = sql.load("analysis/outline_of_session")
        items = sql.run(con, query, {"session": chosen, "at_request": at_request}).dicts()
    if settings.json_output:
        console.show(json.dumps({"session_id": chosen, "at_request": at_request, "items": items}, ensure_ascii=False))
    else:
        console.show("\n".join([f"{chosen}: {len(items):,} items", *map(outline_line, items)]))
    return 0


def outline_line(item: dict[str, Any]) -> str:
    """Position, turn, kind, tool, tokens, marks, and the beginning of the text, all on one line."""
    marks = [
        mark
        for mark, applies in {
            "left branch": not item["on_path"],
            "not sent": not item["in_context"],
            "inherited": item["inherited"],
            str(item["form"]): item["form"] not in (None, "full"),
            "inferred": item["inferred"],
        }.items()
        if applies
    ]
    what = " ".join(str(part) for part in (item["kind"], item["tool_name"], item["path"]) if part)
    tokens = "" if item["tokens"] is None else f"{item['tokens']:,}"
    note = f"  [{', '.join(marks)}]" if marks else ""
    return console.harmless(
        f"{item['position']:>5} t{item['turn'] or 0:<4} {tokens:>7}  {what}{note}  {item['text_start'] or ''}"
    )[: min(160, console.room() or 160)]


def _has_request(con: "duckdb.DuckDBPyConnection", session: str, request_no: int) -> bool:
    found = con.execute("select 1 from requests where session_id = $1 and request_no = $2", [session, request_no])
    return found.fetchone() is not None


def handoff(settings: "Settings", session: str | None, cwd: Path | None, *, last: bool, budget: int | None) -> int:
    """Prints the document that a fresh session starts from; 3 when what may not be left out exceeds the budget."""
    if sum((session is not None, cwd is not None, last)) != 1:
        raise UsageError("say which session: midwatch handoff SESSION, or --cwd DIR, or --last")
    from flows.select import newest, session_id
    from tasks.handoff import DEFAULT_BUDGET, document
    from tasks.handoffs.render import markdown

    with lake(settings) as (con, _):
        chosen = session_id(con, session) if session is not None else newest(con, cwd)
        made = document(con, chosen, budget=budget or DEFAULT_BUDGET)
    console.show(made.model_dump_json() if settings.json_output else markdown(made))
    if made.is_over_budget:
        console.say("what may not be shortened (goal, constraints, open steps, next step, logs) is over the budget")
    return 3 if made.is_over_budget else 0


def export(settings: "Settings", session: str, form: str, output: Path | None) -> int:
    """Prints a session in a format that others read, or writes it to a file, whole or not at all."""
    from flows.select import session_id
    from tasks.export import document
    from tasks.exports.registry import by_name

    by_name(form)
    with lake(settings) as (con, _):
        chosen = session_id(con, session)
        made = document(con, chosen, form)
    if output is None:
        if made:
            console.show(made)
        return 0
    _write(output, made)
    if settings.json_output:
        console.show(json.dumps({"session_id": chosen, "format": form, "path": str(output), "bytes": len(made.encode())}))
    elif not settings.quiet:
        console.say(f"wrote {chosen} to {output}")
    return 0


def _write(output: Path, text: str) -> None:
    from tasks.store import durable

    if output.is_dir() or not output.absolute().parent.is_dir():
        raise UsageError(f"--output {output}: name a file in a folder that exists")
    try:
        durable.write_whole(output.absolute(), text.encode("utf-8", "replace"))
    except StorageError:
        raise UsageError(f"--output {output}: nothing can be written there; name a file elsewhere") from None
