"""How well the account of a lake explains its prompts. Run by hand on any lake, asserts nothing.

    python tests/bench/account.py DATA [--agent claude-code] [--calls 15] [--worst 10] [--held-out]

DATA is a data folder that `midwatch ingest` filled. Prints |residual| / prompt over all distinct calls of sessions with at
least so many: of the whole window, and of each step as it was foretold by the pool and the session's earlier steps. Three
times: as stored, without inferred removals, with one overhead per session. With --held-out no session is in the pool that its
scales come from: each half of the sessions is accounted for with the scales of the other half.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tasks.analyze import learn, load
from tasks.context.attribution import Account, Line, Options, accounts
from tasks.context.calibration import Learned
from tasks.context.window import Session
from tasks.store import catalog
from tasks.store.layout import Layout

WAYS = {
    "as stored": Options(),
    "without inferred removals": Options(infers_removals=False),
    "one overhead per session": Options(moves_overhead=False),
}


def quantiles(values: Iterable[float]) -> tuple[float, ...]:
    """Median, 90th and 99th percentile."""
    ordered = sorted(values)
    return tuple(ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.9, 0.99)) if ordered else ()


def shares(lines: Iterable[Line]) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """(percent of the prompt over whole windows, over steps, tokens a step)."""
    told = list(lines)
    steps = [(abs(line.step_residual_tokens), line.prompt_tokens) for line in told if line.step_residual_tokens is not None]
    whole = quantiles(100 * abs(line.residual_tokens) / line.prompt_tokens for line in told)
    return whole, quantiles(100 * step / prompt for step, prompt in steps), quantiles(float(step) for step, _ in steps)


def words(values: Sequence[float], form: str = "{:8.3f}") -> str:
    return "".join(form.format(value) for value in values) or "       -" * 3


def table(sessions: Sequence[Session], pools: Mapping[str, Learned], agents: Sequence[str], calls: int) -> list[Account]:
    """Prints the table of one agent after the other; the accounts as stored."""
    stored: list[Account] = []
    print(f"{'':44}{'sessions':>9}{'n':>7}  {'whole window %: p50 p90 p99':<26}{'step %: p50 p90 p99':<26}{'step tokens':<24}")
    for agent in agents:
        chosen = [session for session in sessions if session.agent == agent and len(session.calls) >= calls]
        for way, options in WAYS.items():
            found = [one for session in chosen for one in accounts(session, pools[session.session_id], options)]
            whole, step, tokens = shares(line for one in found for line in one.lines)
            n = sum(len(one.lines) for one in found)
            print(
                f"{agent + ', ' + way:<44}{len(chosen):>9,}{n:>7,}  {words(whole)}  {words(step)}  {words(tokens, '{:8.0f}')}"
            )
            print(f"{'':44}{_counts(found)}")
            stored += found if way == "as stored" else []
    return stored


def _counts(found: Sequence[Account]) -> str:
    steps = sum(len(one.lines) - 1 for one in found)
    rules = Counter(removal.rule for one in found for removal in one.removals)
    causes = Counter(part.cause for one in found for part in one.segments[1:])
    removed = sum(rules.values())
    return (
        f"removals {removed} ({100 * removed / max(1, steps):.2f} % of steps) {dict(rules)}; "
        f"moves of the overhead {sum(causes.values())} {dict(causes)}"
    )


def worst(found: Sequence[Account], owner: Mapping[str, str], top: int) -> None:
    """The sessions whose whole windows are explained worst, with their largest steps."""
    order = sorted(found, key=lambda one: -shares(one.lines)[0][1])[:top]
    print(f"\nworst {len(order)} by the 90th percentile of the whole window")
    for one in order:
        whole, step, _ = shares(one.lines)
        name, quality = owner[one.lines[0].request_id][:60], f"{words(whole)}  {words(step)}  factor {one.factor:.3f}"
        print(f"{name:<62}{len(one.lines):>5}  {quality}")
        moved = [f"{part.cause}@{one.lines[part.first].request_no}={part.overhead:,}" for part in one.segments]
        gone = [f"{removal.rule}@{one.lines[removal.at].request_no}" for removal in one.removals]
        steps = sorted(one.lines, key=lambda line: -abs(line.step_residual_tokens or 0))[:3]
        jumps = [f"@{line.request_no} {line.step_residual_tokens:+,}" for line in steps if line.step_residual_tokens]
        print(f"      overhead {', '.join(moved)}; removals {', '.join(gone) or 'none'}; largest steps {', '.join(jumps)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--agent", action="append", help="Only this agent; may be repeated.")
    parser.add_argument("--calls", type=int, default=15, help="Only sessions with at least so many calls.")
    parser.add_argument("--worst", type=int, default=10)
    parser.add_argument("--held-out", action="store_true", help="Scales from the other half of the sessions.")
    options = parser.parse_args()
    with catalog.connect(Layout(options.data)) as con:
        sessions = load(con)
    halves = [sessions[::2], sessions[1::2]]
    if options.held_out:
        told = [learn(half) for half in reversed(halves)]
        pools = {session.session_id: told[at] for at, half in enumerate(halves) for session in half}
    else:
        pools = dict.fromkeys((session.session_id for session in sessions), learn(sessions))
    agents = options.agent or sorted({session.agent for session in sessions if len(session.calls) >= options.calls})
    found = table(sessions, pools, agents, options.calls)
    owner = {call.request_id: session.session_id for session in sessions for call in session.calls}
    if options.worst:
        worst(found, owner, options.worst)


if __name__ == "__main__":
    main()
