"""What each policy frees of a lake's contexts, beside what its authors claim. Run by hand; it asserts nothing.

    PYTHONPATH=.:tests python tests/bench/release_rates.py DATA

Every session whose largest prompt has 30,000 tokens or more is compacted at its first call with 30,000, 40,000, ... of them.
Shares are of counted tokens, pooled; intervals of 95 % by resampling lineages, 1,000 times.
"""

import random
import sys
from collections import defaultdict
from pathlib import Path

from tasks.compact import Archived, archived
from tasks.compaction.plan import Budget, Outcome, outcome
from tasks.compaction.registry import POLICIES
from tasks.domain.kinds import ItemKind
from tasks.store import catalog
from tasks.store.layout import Layout

FIRST, STEP = 30_000, 10_000
SESSIONS = """
    select session_id, coalesce(lineage_id, session_id) from sessions
    where session_id in (select session_id from requests group by 1 having max(prompt_tokens) >= 30000) order by 1
"""
Pair = tuple[int, int]
"""Tokens freed, and tokens before."""


def outcomes(session: Archived, policy: str) -> list[Outcome]:
    """One for each trigger point; points that are the same call count once."""
    found, seen = list[Outcome](), set[int]()
    for tokens in range(FIRST, session.moments.largest() + 1, STEP):
        moment = session.moments.first_with(tokens)
        if moment is None or moment.at in seen:
            continue
        seen.add(moment.at)
        context = session.context(moment, policy, None, tokens)
        found.append(outcome(POLICIES[policy]().plan(context, Budget()), context))
    return found


def pooled(pairs: list[Pair]) -> float:
    before = sum(total for _, total in pairs)
    return sum(freed for freed, _ in pairs) / before if before else 0.0


def interval(by_lineage: dict[str, list[Pair]]) -> tuple[float, float]:
    lineages, chance = sorted(by_lineage), random.Random(0)
    drawn = sorted(
        pooled([pair for one in chance.choices(lineages, k=len(lineages)) for pair in by_lineage[one]]) for _ in range(1_000)
    )
    return drawn[25], drawn[974]


def main(data: str) -> None:
    freed: dict[str, dict[str, list[Pair]]] = defaultdict(lambda: defaultdict(list))
    acted: dict[str, list[Pair]] = defaultdict(list)
    thinking: list[Pair] = []
    with catalog.connect(Layout(Path(data))) as con:
        found = [(archived(con, session_id), lineage) for session_id, lineage in con.execute(SESSIONS).fetchall()]
    for session, lineage in found:
        for policy in POLICIES:
            for done in outcomes(session, policy):
                pair = (done.freed, done.tokens_before)
                freed[policy][lineage].append(pair)
                does = done.plan.inserts if policy == "tier2" else done.plan.changes
                acted[policy] += [pair] if does else []
        for tokens in range(FIRST, session.moments.largest() + 1, STEP):
            moment = session.moments.first_with(tokens)
            held = session.moments.held(moment) if moment else []
            thinking.append(
                (sum(s.item.tokens for s in held if s.item.kind == ItemKind.REASONING), sum(s.item.tokens for s in held))
            )
    points = sum(map(len, freed["tier1"].values()))
    print(f"{points} points of {len(found)} sessions, {len(freed['tier1'])} lineages")
    for policy, by_lineage in freed.items():
        low, high = interval(by_lineage)
        every = [pair for pairs in by_lineage.values() for pair in pairs]
        print(
            f"{policy:<14} {pooled(every):6.1%} [{low:.1%}, {high:.1%}]  acts at {len(acted[policy]):>3} points, "
            f"there {pooled(acted[policy]):6.1%}  claimed {POLICIES[policy].claim or '-'}"
        )
    print(f"thinking is {pooled(thinking):.1%} of the contexts; claimed 30 to 50 %")


if __name__ == "__main__":
    main(sys.argv[1])
