"""How well the account of a lake explains its prompts. Run by hand on any lake, asserts nothing.

    python tests/bench/account.py DATA [--agent claude-code] [--calls 15] [--worst 10] [--held-out]

DATA is a data folder that `midwatch ingest` filled. Prints |residual| / prompt over all distinct calls of sessions with at
least so many: of the whole window, and of each step as it was foretold by the pool and the session's earlier steps. Three
times: as stored, without inferred removals, with one overhead per session. With --held-out the same again with scales that
learned nothing of the session: nor of its lineage, of its version, of its project, of any session at all (`folds.py`).
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path

from causes import told
from folds import FOLDS, Kin, Pools, alone, apart, together

from tasks.analyze import load
from tasks.context.attribution import Account, Line, Options, accounts
from tasks.context.cache import misses
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


HEAD = f"{'':50}{'sessions':>9}{'n':>7}{'whole window %: p50 p90 p99':>28}{'step %: p50 p90 p99':>24}{'step tokens':>16}"


def measured(name: str, sessions: Sequence[Session], pools: Pools, options: Options) -> list[Account]:
    """Prints one line of the table; its accounts."""
    found = [one for session in sessions for one in accounts(session, pools[session.session_id], options)]
    whole, step, tokens = shares(line for one in found for line in one.lines)
    n = sum(len(one.lines) for one in found)
    print(f"{name:<50}{len(sessions):>9,}{n:>7,}  {words(whole)}  {words(step)}  {words(tokens, '{:8.0f}')}")
    return found


def table(agent: str, sessions: Sequence[Session], pools: Pools) -> list[Account]:
    """Prints an agent's table; its accounts as stored."""
    stored: list[Account] = []
    for way, options in WAYS.items():
        found = measured(f"{agent}, {way}", sessions, pools, options)
        print(f"{'':50}{_counts(found)}")
        stored = stored or found
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


def worst(found: Sequence[Account], owner: Mapping[str, str], redacted: Set[str], top: int) -> None:
    """The sessions whose whole windows are explained worst, with their causes."""
    order = sorted(found, key=lambda one: -shares(one.lines)[0][1])[:top]
    print(f"\nworst {len(order)} by the 90th percentile of the whole window")
    for one in order:
        whole, step, _ = shares(one.lines)
        name, quality = owner[one.lines[0].request_id][:60], f"{words(whole)}  {words(step)}  factor {one.factor:.3f}"
        print(f"{name:<62}{len(one.lines):>5}  {quality}")
        moved = [f"{part.cause}@{one.lines[part.first].request_no}={part.overhead:,}" for part in one.segments]
        gone = [f"{removal.rule}@{one.lines[removal.at].request_no}" for removal in one.removals]
        print(f"      overhead {', '.join(moved)}; removals {', '.join(gone) or 'none'}")
        print(f"      why: {told(one, redacted)}")


def repaid(found: Sequence[Account]) -> None:
    """Cache misses by cause."""
    causes = [(miss.cause, miss.tokens_repaid) for one in found for miss in misses(one)]
    tokens = Counter[str]()
    for cause, repaid_tokens in causes:
        tokens[cause] += repaid_tokens
    print(f"\n{'cache misses by cause':<28}{'misses':>8}{'tokens repaid':>16}")
    for cause, count in Counter(cause for cause, _ in causes).most_common():
        print(f"{cause:<28}{count:>8,}{tokens[cause]:>16,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--agent", action="append", help="Only this agent; may be repeated.")
    parser.add_argument("--calls", type=int, default=15, help="Only sessions with at least so many calls.")
    parser.add_argument("--worst", type=int, default=10)
    parser.add_argument("--held-out", action="store_true", help="Also with scales that learned nothing of the session.")
    options = parser.parse_args()
    with catalog.connect(Layout(options.data)) as con:
        sessions, kin = load(con), Kin(con)
        redacted = {item for (item,) in con.execute("select item_id from items where contains(text, 'REDACTED')").fetchall()}
    agents = options.agent or sorted({session.agent for session in sessions if len(session.calls) >= options.calls})
    chosen = {agent: [one for one in sessions if one.agent == agent and len(one.calls) >= options.calls] for agent in agents}
    print(HEAD)
    pools = together(sessions)
    found = [one for agent, some in chosen.items() for one in table(agent, some, pools)]
    if options.held_out:
        for way, others in {
            "lineage held out": apart(sessions, kin.lineage, FOLDS),
            "version held out": apart(sessions, kin.version),
            "project held out": apart(sessions, kin.project),
            "nothing learned": alone(sessions),
        }.items():
            for agent, some in chosen.items():
                measured(f"{agent}, {way}", some, others, Options())
    owner = {call.request_id: session.session_id for session in sessions for call in session.calls}
    if options.worst:
        worst(found, owner, redacted, options.worst)
        repaid(found)


if __name__ == "__main__":
    main()
