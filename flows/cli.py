"""The `midwatch` command. Each command imports what it needs when it runs, so that --help is quick."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows import console
from flows.command import command

if TYPE_CHECKING:
    from tasks.domain.settings import Settings

app = typer.Typer(
    name="midwatch",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _version(is_asked: bool) -> None:
    if is_asked:
        from flows.doctor import installed

        console.show(f"midwatch {installed('midwatch')}")
        raise typer.Exit


@app.callback()
def midwatch(
    _: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")] = False,
) -> None:
    """Keep the logs of coding agents, say where the context tokens went, and have a handoff ready for the next session."""


Runner = Annotated[
    str | None, typer.Option("--runner", metavar="local|prefect", help="Force one; else Prefect where configured.")
]
Agent = Annotated[str | None, typer.Option("--agent", metavar="AGENT", help="Only this agent, e.g. claude-code.")]
Since = Annotated[str | None, typer.Option("--since", metavar="DAY", help="Not older than this day, as 2026-01-31.")]
Limit = Annotated[int, typer.Option("--limit", min=1, metavar="N", help="At most so many.")]


@command(app)
def nightly(settings: "Settings", runner: Runner = None) -> int:
    """Do the whole night: ingest, handoffs, report."""
    from flows.night import run_nightly

    return run_nightly(settings, runner)


@command(app)
def ingest(settings: "Settings", runner: Runner = None) -> int:
    """Keep the logs and commit what is new.

    What is new or changed in them becomes the next snapshot of the lake; with nothing new there is none.
    """
    from flows.night import run_ingest

    return run_ingest(settings, runner)


@command(app)
def analyze(settings: "Settings") -> int:
    """Account for the tokens of every prompt.

    For sessions that are new or changed; a night does it by itself.
    """
    from flows.night import run_analyze

    return run_analyze(settings)


@command(app)
def evaluate(
    settings: "Settings",
    policy: Annotated[
        str | None, typer.Option("--policy", metavar="P|FILE.py", help="Only this one, or the one that a file of yours holds.")
    ] = None,
    at_tokens: Annotated[
        int | None, typer.Option("--at-tokens", min=1, metavar="N", help="At the first call whose context is that large.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="SESSION", help="Only this one: an id, its beginning, or a log's path.")
    ] = None,
) -> int:
    """Try policies on sessions, with hindsight.

    What each would have freed, and what of it the session needed later, beside controls that free as much.
    """
    from flows.evaluation import run_evaluate

    return run_evaluate(settings, policy, at_tokens, session)


@command(app)
def report(
    settings: "Settings",
    session: Annotated[
        str | None, typer.Argument(metavar="SESSION", help="An id, its beginning, or the path of a log; without it, the night.")
    ] = None,
    form: Annotated[
        str, typer.Option("--format", metavar="F", help="html writes a page and prints where; markdown is printed.")
    ] = "html",
) -> int:
    """Write the report, or that of one session.

    The page says where the context tokens went. Markdown says it for terminals, issues and pull requests.
    """
    from flows.report import run_report

    return run_report(settings, session, form)


@command(app)
def maintain(settings: "Settings") -> int:
    """Rewrite many small parts into few.

    A night does it by itself when it pays; every question is answered as before.
    """
    from flows.night import run_maintain

    return run_maintain(settings)


@command(app)
def migrate(
    settings: "Settings",
    files: Annotated[list[Path] | None, typer.Argument(metavar="FILE...", help="Session documents.")] = None,
    lake: Annotated[bool, typer.Option("--lake", help="The lake's old parts, instead of documents.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show before and after, and write nothing.")] = False,
) -> int:
    """Bring session documents, or the lake, to today's version.

    A document is replaced as a whole, with a backup beside it. A lake's old parts are written anew.
    """
    from flows.migrate import run_migrate_files, run_migrate_lake
    from tasks.domain.errors import UsageError

    if lake == bool(files):
        raise UsageError("name what to migrate: midwatch migrate FILE... [--dry-run], or midwatch migrate --lake [--dry-run]")
    return run_migrate_files(settings, files, dry_run=dry_run) if files else run_migrate_lake(settings, dry_run=dry_run)


@command(app)
def serve(
    settings: "Settings",
    cron: Annotated[str, typer.Option("--cron", metavar="LINE", help="When, as a cron line.")] = "0 2 * * *",
    timezone: Annotated[
        str | None, typer.Option("--timezone", metavar="ZONE", help="Zone of the cron line; else of the settings.")
    ] = None,
) -> int:
    """Run the night on a schedule until ended.

    A Prefect server is started on this machine if none is configured.
    """
    from flows.deployments import serve_nightly

    return serve_nightly(settings, cron, timezone or settings.timezone)


@command(app)
def query(
    settings: "Settings",
    text: Annotated[str | None, typer.Argument(metavar="SELECT|NAME", help="A statement, or the name of a question.")] = None,
    param: Annotated[list[str] | None, typer.Option("--param", metavar="K=V", help="Value of $K; may be repeated.")] = None,
    form: Annotated[str | None, typer.Option("--format", metavar="F", help="table, csv, json, jsonl or markdown.")] = None,
    is_list: Annotated[bool, typer.Option("--list", help="List the questions that have a name.")] = False,
) -> int:
    """Ask the lake one question, in a sandbox."""
    from flows import ask
    from tasks.domain.errors import UsageError

    if is_list:
        return ask.list_questions(settings, form)
    if text is None:
        raise UsageError("nothing to ask; give a SELECT or a name: `midwatch query --list` shows the names")
    return ask.run_query(settings, text, param or [], form)


@command(app)
def search(
    settings: "Settings",
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Words as they were said.")],
    *,
    agent: Agent = None,
    kind: Annotated[str | None, typer.Option("--kind", metavar="KIND", help="Only this kind of item, e.g. user_text.")] = None,
    since: Since = None,
    limit: Limit = 50,
) -> int:
    """Find where a text was said."""
    from flows import show
    from tasks.domain.errors import UsageError

    if not text.strip():
        raise UsageError("nothing to search for; give the words as they were said")
    text = os.fsencode(text).decode("utf-8", "replace")  # under another locale Python takes other bytes for stand-ins

    return show.answer(
        settings, "search_items", {"text": text, "agent": agent, "kind": kind, "since": show.day(since), "top": limit}
    )


@command(app)
def sessions(
    settings: "Settings",
    cwd: Annotated[Path | None, typer.Option("--cwd", metavar="DIR", help="Only those of this folder and below.")] = None,
    agent: Agent = None,
    since: Since = None,
    limit: Limit = 50,
) -> int:
    """List the sessions, newest first."""
    from flows import show

    folder = str(cwd.expanduser().absolute()) if cwd else None
    return show.answer(settings, "list_sessions", {"cwd": folder, "agent": agent, "since": show.day(since), "top": limit})


@command(app)
def sources(
    settings: "Settings",
    state: Annotated[str | None, typer.Option("--state", metavar="STATE", help="Only this state, e.g. gone.")] = None,
    problems: Annotated[bool, typer.Option("--problems", help="Only those that could not be read whole.")] = False,
    limit: Limit = 1000,
) -> int:
    """List the log files and what became of each."""
    from flows import show

    return show.answer(settings, "list_sources", {"state": state, "only_problems": problems, "top": limit})


@command(app)
def outline(
    settings: "Settings",
    session: Annotated[str, typer.Argument(metavar="SESSION", help="An id, its beginning, or the path of a log.")],
    at: Annotated[int | None, typer.Option("--at", metavar="REQUEST_NO", help="What the window held at that call.")] = None,
) -> int:
    """Show a session, one line per item."""
    from flows import show

    return show.outline(settings, session, at)


@command(app)
def compact(
    settings: "Settings",
    session: Annotated[str, typer.Argument(metavar="SESSION", help="An id, its beginning, or the path of a log.")],
    policy: Annotated[str, typer.Option("--policy", metavar="P", help="How; `midwatch policies` lists them.")],
    at_tokens: Annotated[
        int | None, typer.Option("--at-tokens", min=1, metavar="N", help="At the first call whose context is that large.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="The whole text, to read.")] = False,
) -> int:
    """Show what a policy makes of a context.

    Without --at-tokens: at the trigger that [compaction] gives the policy, else at the session's end. --json is what
    `midwatch restore` reads back.
    """
    from flows.compaction import run_compact

    return run_compact(settings, session, policy, at_tokens, markdown=markdown)


@command(app)
def policies(settings: "Settings") -> int:
    """List the ways to compact a context."""
    from flows.compaction import run_policies

    return run_policies(settings)


@command(app)
def restore(
    settings: "Settings",
    what: Annotated[str, typer.Argument(metavar="FILE|-|SESSION", help="A compacted context; with --raw a session.")],
    window: Annotated[int | None, typer.Option("--window", min=1, metavar="N", help="Tokens there is room for.")] = None,
    raw: Annotated[bool, typer.Option("--raw", help="The byte-exact log of a session, secrets included.")] = False,
) -> int:
    """Bring a compacted context back to full text.

    From `midwatch compact --json`, or a CodeCoder document with placeholders; newest first, as far as the window goes.
    """
    from flows.compaction import run_restore

    return run_restore(settings, what, window, is_raw=raw)


@command(app)
def handoff(
    settings: "Settings",
    session: Annotated[
        str | None, typer.Argument(metavar="SESSION", help="An id, its beginning, or the path of a log.")
    ] = None,
    cwd: Annotated[Path | None, typer.Option("--cwd", metavar="DIR", help="The newest session of this folder.")] = None,
    last: Annotated[bool, typer.Option("--last", help="The newest session of all.")] = False,
    budget: Annotated[int | None, typer.Option("--budget", min=1, metavar="TOKENS", help="At most so long.")] = None,
) -> int:
    """Print what a fresh session starts from."""
    from flows import show

    return show.handoff(settings, session, cwd, last=last, budget=budget)


@command(app)
def export(
    settings: "Settings",
    session: Annotated[str, typer.Argument(metavar="SESSION", help="An id, its beginning, or the path of a log.")],
    form: Annotated[str, typer.Option("--format", metavar="F", help="atif, markdown or jsonl.")] = "atif",
    output: Annotated[Path | None, typer.Option("--output", metavar="FILE", help="Write there instead of printing.")] = None,
) -> int:
    """Give a session in a format others read.

    Redacted like the lake, with its sub-agents: atif is one JSON document, markdown is for people, jsonl is one item a line.
    """
    from flows import show

    return show.export(settings, session, form, output)


@command(app)
def doctor(settings: "Settings") -> int:
    """Say what is here and what stands in the way."""
    from flows.doctor import examine

    return examine(settings)


def main() -> None:
    """Entry point of the `midwatch` script."""
    console.speak_utf8()
    app()


if __name__ == "__main__":
    main()
