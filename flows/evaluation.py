"""What a person sees of an evaluation: a table of policies beside their controls, with what may be claimed of it."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from flows import console
from flows.inputs import lake, with_lake
from flows.runner import LocalRunner
from flows.tables import table

if TYPE_CHECKING:
    from collections.abc import Callable

    from tasks.domain.settings import Settings
    from tasks.evaluation.replay import Row
    from tasks.evaluation.statistics import Line, Rate

LEGEND = """\
Shares in percent, with 95 % intervals by lineage. `less oldest` and so on: the rate less that of a control that freed as much;
below zero is better. `named`: points that names left behind would take off. `between`: 0 is random, 1 the oracle, which knows
the future. Per event: `reread` tokens to read again what was lost, `gone` uses that no file shows, `anew` tokens that no cache
holds. `insufficient`: too few sessions to claim anything. The future was made with the full context; presence is not use."""
WORDS = {
    "grid": "contexts of 20,000, 25,000, ... counted tokens", "own": "the policy's own trigger", "asked": "the size asked for",
    "logged": "compactions that agents made themselves",
}  # fmt: skip
NOTHING = "no context is large enough with ten calls ahead of it"
_NAMED = ("policy", "asked")
_RATES = ("less oldest", "less random", "less chunks", "oracle", "between")
_COSTS = (
    "points", "lineages", "freed", "named", "hard", "reread", "gone", "rules", "steps", "anew", "pays after",
)  # fmt: skip


def run_evaluate(settings: "Settings", policy: str | None, at_tokens: int | None, session: str | None) -> int:
    """Brings the evaluations up to date and prints them; with a size, a session or a file tries just that and keeps nothing."""
    from flows.select import session_id
    from tasks import evaluate
    from tasks.load_policy import default_policies, policy_of
    from tasks.try_policies import try_out

    settings, note = with_lake(settings)
    if policy:
        policy_of(policy)
    if note:
        console.say(note)
    chosen = None
    if session:
        with lake(settings) as (con, _):
            chosen = session_id(con, session)
    runner, progress = LocalRunner(settings.workers), console.progress(quiet=settings.quiet)
    names = [policy] if policy else default_policies()
    if at_tokens is not None or chosen or (policy and policy not in default_policies()):
        rows = try_out(settings, runner, progress, policies=names, at_tokens=at_tokens, session_id=chosen)
        show(settings, rows)
        return 0
    done = evaluate.evaluate(settings, runner, progress)
    if not settings.quiet:
        console.say(f"{done.sessions:,} sessions evaluated now, {done.current:,} before; {done.seconds:.0f} s")
    with lake(settings) as (con, _):
        rows = evaluate.stored(con, [policy] if policy else [])
    show(settings, rows)
    return 0


def show(settings: "Settings", rows: list["Row"]) -> None:
    """The tables of all triggers that have rows."""
    from tasks.evaluation.segments import Trigger
    from tasks.evaluation.statistics import table as lines_of

    found = {trigger.value: lines_of(rows, trigger.value) for trigger in Trigger}
    if settings.json_output:
        told = [{"trigger": name, **asdict(line)} for name, lines in found.items() for line in lines]
        console.show(json.dumps(told, ensure_ascii=False))
        return
    for name, lines in found.items():
        if lines:
            console.show(f"{WORDS[name]}\n")
            for columns, cells in _TABLES:
                console.show(table((*_NAMED, *columns), [(*_name(line), *cells(line)) for line in lines], None) + "\n")
    console.show(LEGEND if any(found.values()) else NOTHING)


def _name(line: "Line") -> tuple[str, str]:
    return line.policy, "own" if line.budget is None else f"{line.budget:.0%}"


def _lost(line: "Line", of: str) -> list[str]:
    beside = [_rate(line.beside[control][of], signed=True) for control in ("oldest", "random", "random_chunks")]
    position = line.position[of]
    return [
        _rate(line.rates[of]), *beside, _percent(line.oracle[of]), "-" if position is None else f"{position:.2f}"
    ]  # fmt: skip


def _costs(line: "Line") -> list[str]:
    return [
        f"{line.points:,} of {line.tried:,}", f"{line.lineages}", _percent(line.freed), _percent(line.index_credit),
        _percent(line.hard), f"{line.refetch_tokens:,.0f}", f"{line.unrecoverable:.2f}", _percent(line.constraint_survival),
        _percent(line.plan_fidelity), f"{line.invalidated_tokens:,.0f}",
        "-" if line.break_even_requests is None else f"{line.break_even_requests:,.0f}",
    ]  # fmt: skip


_TABLES: tuple[tuple[tuple[str, ...], "Callable[[Line], list[str]]"], ...] = (
    (_COSTS, _costs),
    (("atoms lost", *_RATES), lambda line: _lost(line, "atoms")),
    (("lines lost", *_RATES), lambda line: _lost(line, "lines")),
)


def _rate(rate: "Rate", *, signed: bool = False) -> str:
    if rate.value is None:
        return "-"
    form = "+.1f" if signed else ".1f"
    told = format(100 * rate.value, form)
    if rate.interval is None:
        return f"{told} insufficient" if not signed else "insufficient"
    low, high = (format(100 * edge, form) for edge in rate.interval)
    return f"{told} [{low}, {high}]"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"
