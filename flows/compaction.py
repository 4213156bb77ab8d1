"""What a person sees of compaction: what a policy makes of a context, which policies there are, and a context restored."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from flows import console
from flows.inputs import lake
from tasks.domain.errors import UsageError

if TYPE_CHECKING:
    from tasks.compact import Compaction
    from tasks.compaction.policy import Policy
    from tasks.domain.settings import Settings
    from tasks.restore import Restoration

MOST_BYTES = 512 << 20
MOST_LISTED = 5


def run_compact(settings: "Settings", session: str, policy: str, at_tokens: int | None, *, markdown: bool) -> int:
    """Prints the compacted context: an outline, --json what `midwatch restore` reads back, or --markdown."""
    if markdown and settings.json_output:
        raise UsageError("--json or --markdown, not both")
    from flows.select import session_id
    from tasks.compact import compact
    from tasks.compaction.outline import as_markdown, outline
    from tasks.compaction.registry import by_name

    by_name(policy)
    with lake(settings) as (con, _):
        done = compact(con, session_id(con, session), policy, at_tokens=at_tokens, settings=settings.compaction)
    if settings.json_output:
        console.show(done.document().model_dump_json(exclude_none=True, indent=1))
    elif markdown:
        console.show(as_markdown(done.outcome.view))
    else:
        width = min(160, console.room() or 160)
        lines = (console.harmless(line)[:width] for line in outline(done.outcome.view, done.context.count))
        console.show("\n".join(lines))
    if not settings.quiet:
        for line in _told(done):
            console.say(line)
    return 0


def _told(done: "Compaction") -> list[str]:
    from tasks.compaction.prefix import break_even
    from tasks.compaction.registry import by_name

    before, after = done.outcome.tokens_before, done.outcome.tokens_after
    counted = f"a prompt of {done.moment.tokens:,} tokens" if done.moment.is_counted else "its end"
    calls = break_even(done.invalidated_tokens, done.outcome.freed)
    pays = "" if calls is None else f"; pays after {calls:,} calls"
    claim = by_name(done.outcome.plan.policy).claim
    beside = f"; claimed are {claim}" if claim else ""
    line = (
        f"{done.session_id} at call {done.moment.no}, {counted}: {done.outcome.plan.policy} makes {before:,} counted tokens "
        f"{after:,} ({done.freed_share:.1%} freed{beside}); {done.invalidated_tokens:,} of them no cache holds{pays}"
    )
    return [line, *done.outcome.plan.notes]


def run_policies(settings: "Settings") -> int:
    """Prints the policies there are, what each keeps, and what `[compaction]` says of it."""
    import json

    from flows.tables import table
    from tasks.compaction.config import configured
    from tasks.compaction.registry import POLICIES

    rows = [
        (
            name,
            policy.version,
            "control" if policy.is_control else "policy",
            configured(name, settings.compaction),
            _words(policy),
        )
        for name, policy in POLICIES.items()
    ]
    columns = ("policy", "version", "kind", "configured", "what it does")
    if settings.json_output:
        named = ("policy", "version", "kind", "configured", "about")
        console.show(json.dumps([dict(zip(named, row, strict=True)) for row in rows], ensure_ascii=False))
    else:
        console.show(table(columns, [(*row[:-1], row[-1].split(". ")[0].rstrip(".")) for row in rows], console.room()))
    return 0


def _words(policy: type["Policy"]) -> str:
    return " ".join((policy.__doc__ or "").split())


def run_restore(settings: "Settings", what: str, window: int | None, *, is_raw: bool) -> int:
    """Prints a compacted context with its full text, 3 when an original is nowhere; or the byte-exact log of a session."""
    if is_raw and window is not None:
        raise UsageError("--raw gives the log as it is; --window has no place there")
    return _raw(settings, what) if is_raw else _restored(settings, what, window)


def _raw(settings: "Settings", session: str) -> int:
    from flows.select import session_id
    from tasks.restore import blocks, raw_log

    with lake(settings) as (con, layout):
        chosen = session_id(con, session)
        log = raw_log(con, layout, chosen, str(Path(session).expanduser().absolute()))
    for block in blocks(log):
        sys.stdout.buffer.write(block)
    sys.stdout.buffer.flush()
    if not settings.quiet:
        forms = {"folder": " (a folder: its files as one tar archive)", "database": " (a database)"}
        more = f"; {log.others} more logs tell parts of it, name one by its path" if log.others else ""
        console.say(f"{chosen}: {log.path}{forms.get(log.form, '')}{more}")
    return 0


def _restored(settings: "Settings", what: str, window: int | None) -> int:
    from tasks.compact import counter
    from tasks.restore import restored_document

    content = _read(what)
    with lake(settings) as (con, _):
        done = restored_document(con, content, counter("", None), window=window)
    sys.stdout.buffer.write(done.content)
    sys.stdout.buffer.flush()
    if done.missing or not settings.quiet:
        for line in _told_restored(done, window):
            console.say(line)
    return 3 if done.missing else 0


def _told_restored(done: "Restoration", window: int | None) -> list[str]:
    lines = [f"{done.restored:,} restored" + (f"; {done.left:,} more do not fit into {window:,} tokens" if done.left else "")]
    if done.missing:
        named = ", ".join(done.missing[:MOST_LISTED]) + (", ..." if len(done.missing) > MOST_LISTED else "")
        lines.append(f"incomplete: the lake has no original of {len(done.missing):,}, which stay as they are: {named}")
    return lines


def _read(what: str) -> bytes:
    if what == "-":
        content = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        path = Path(what).expanduser()
        try:
            with path.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise UsageError(
                f"{what}: {error.strerror}; give a file, - for standard input, or `midwatch restore SESSION --raw` for a log"
            ) from None
    if len(content) > MOST_BYTES:
        raise UsageError(f"{what}: larger than {MOST_BYTES >> 20} MB")
    return content
