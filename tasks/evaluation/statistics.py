"""From rows of evaluations to claims: pooled rates, differences from the controls on the same points, and intervals. Pure.

Rates are pooled over all points: lost of needed. An interval holds 95 % of what resampling whole lineages gives, 1,000 times
with one seed; a difference is resampled with both sides on the same lineages. Below twelve lineages (twenty for lines), or
fifty uses, nothing is claimed: the number stands, its interval is None, and a reader is told `insufficient`.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tasks.evaluation.baselines import CONTROLS, OLDEST, ORACLE, RANDOM, RANDOM_CHUNKS

RESAMPLES = 1_000
LEAST_LINEAGES = {"atoms": 12, "lines": 20}
LEAST_USES = 50
RATES = {"atoms": ("atom_regret", "uses"), "lines": ("line_regret", "line_uses")}
SUMMED = (
    "tokens_before", "tokens_after", "uses", "atom_regret", "index_credit", "weighted_uses", "weighted_regret", "hard_uses",
    "hard_regret", "line_uses", "line_regret", "refetch_calls", "refetch_tokens", "regret_unrecoverable", "invalidated_tokens",
    "constraints", "constraints_kept", "open_steps", "steps_kept",
)  # fmt: skip
Row = Mapping[str, Any]
Key = tuple[str, str | None, float | None]
"""Policy, the policy that it stands beside, budget."""
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rate:
    """A share, or the difference of two."""

    value: float | None
    """None where there was nothing to count."""
    interval: Interval | None = None
    """None where too little is known to claim anything."""


@dataclass(frozen=True, slots=True)
class Line:
    """One policy at one budget, beside its controls."""

    policy: str
    is_control: bool
    budget: float | None
    """Share of the context that was to be freed; None for the policy's own measure."""
    points: int
    """Where it freed anything."""
    tried: int
    lineages: int
    freed: float
    rates: Mapping[str, Rate]
    """Of `atoms` and `lines`."""
    beside: Mapping[str, Mapping[str, Rate]]
    """Control -> the policy's rates less the control's; below zero is better than the control."""
    oracle: Mapping[str, float | None]
    """Rates of the control that knows the future."""
    position: Mapping[str, float | None]
    """Between random items (0) and the oracle (1)."""
    index_credit: float | None
    """Points of atom regret that only names left behind would take off."""
    weighted: float | None
    hard: float | None
    refetch_calls: float
    refetch_tokens: float
    unrecoverable: float
    invalidated_tokens: float
    break_even_requests: float | None
    constraint_survival: float | None
    plan_fidelity: float | None


class Sums:
    """Sums over points, by lineage."""

    def __init__(self) -> None:
        self.of: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self.points = 0
        self.tried = 0

    def add(self, row: Row) -> None:
        total = self.of[row["lineage_id"]]
        self.points += 1
        for name in SUMMED:
            total[name] += _value(row, name)

    def total(self, name: str) -> float:
        return sum(one[name] for one in self.of.values())

    def share(self, part: str, whole: str) -> float | None:
        """None of nothing."""
        return self.total(part) / self.total(whole) if self.total(whole) else None


def _value(row: Row, name: str) -> float:
    if name == "constraints_kept":
        return float((row["constraint_survival"] or 0) * (row["constraints"] or 0))
    if name == "steps_kept":
        return float((row["plan_fidelity"] or 0) * (row["open_steps"] or 0))
    return float(row[name] or 0)


def table(rows: Iterable[Row], trigger: str = "grid") -> list[Line]:
    """A line for each policy and budget of one kind of trigger: own budgets first, then by budget; controls behind."""
    sums: dict[Key, Sums] = defaultdict(Sums)
    controls: dict[str, bool] = {}
    for row in rows:
        if row["trigger"] != trigger or row["policy"] is None:
            continue
        key = (row["policy"], row["beside"], row["budget"])
        if row["beside"] is None:
            controls[row["policy"]] = row["is_control"]
            sums[key].tried += 1
        if row["acts"] and row["tokens_after"] < row["tokens_before"]:
            sums[key].add(row)
    own = sorted((key for key in sums if key[1] is None), key=lambda key: (key[2] or 0, controls[key[0]], key[0]))
    return [_line(key, sums, controls[key[0]]) for key in own]


def _line(key: Key, sums: Mapping[Key, Sums], is_control: bool) -> Line:
    policy, _, budget = key
    mine = sums[key]
    others = {name: sums.get(_beside(key, name), Sums()) for name in CONTROLS}
    rates = {name: _rate(mine, name) for name in RATES}
    oracle = {name: others[ORACLE].share(*RATES[name]) for name in RATES}
    random_rates = {name: others[RANDOM].share(*RATES[name]) for name in RATES}
    events = max(1, mine.points)
    freed = mine.total("tokens_before") - mine.total("tokens_after")
    uses = mine.total("uses")
    return Line(
        policy, is_control, budget, mine.points, mine.tried, len(mine.of),
        freed / mine.total("tokens_before") if mine.points else 0.0, rates,
        {name: {of: _difference(mine, others[name], of) for of in RATES} for name in (OLDEST, RANDOM, RANDOM_CHUNKS)},
        oracle, {of: _position(rates[of].value, random_rates[of], oracle[of]) for of in RATES},
        mine.total("index_credit") / uses if uses else None,
        mine.share("weighted_regret", "weighted_uses"), mine.share("hard_regret", "hard_uses"),
        mine.total("refetch_calls") / events, mine.total("refetch_tokens") / events,
        mine.total("regret_unrecoverable") / events, mine.total("invalidated_tokens") / events,
        _break_even(mine.total("invalidated_tokens"), freed),
        mine.share("constraints_kept", "constraints"), mine.share("steps_kept", "open_steps"),
    )  # fmt: skip


def _beside(key: Key, control: str) -> Key:
    """Where a control stands: beside the policy; and beside another control at the same budget asked for."""
    policy, _, budget = key
    return (control, None, budget) if policy in CONTROLS else (control, policy, budget)


def _break_even(invalidated: float, freed: float) -> float | None:
    from tasks.compaction.prefix import break_even

    return break_even(round(invalidated), round(freed))


def _position(mine: float | None, worst: float | None, best: float | None) -> float | None:
    if mine is None or worst is None or best is None or worst <= best:
        return None
    return (worst - mine) / (worst - best)


def _rate(sums: Sums, of: str) -> Rate:
    lost, needed = RATES[of]
    value = sums.share(lost, needed)
    if value is None or not _is_enough(sums, of):
        return Rate(value)
    pairs = [(one[lost], one[needed]) for _, one in sorted(sums.of.items())]
    return Rate(value, _interval([_pooled(pairs, drawn) for drawn in _draws(len(pairs))]))


def _difference(mine: Sums, other: Sums, of: str) -> Rate:
    lost, needed = RATES[of]
    ours, theirs = mine.share(lost, needed), other.share(lost, needed)
    if ours is None or theirs is None:
        return Rate(None)
    if not _is_enough(mine, of) or mine.of.keys() != other.of.keys():
        return Rate(ours - theirs)
    names = sorted(mine.of)
    one, two = ([(sums.of[name][lost], sums.of[name][needed]) for name in names] for sums in (mine, other))
    return Rate(ours - theirs, _interval([_pooled(one, drawn) - _pooled(two, drawn) for drawn in _draws(len(names))]))


def _is_enough(sums: Sums, of: str) -> bool:
    return len(sums.of) >= LEAST_LINEAGES[of] and sums.total(RATES[of][1]) >= LEAST_USES


@cache
def _draws(lineages: int) -> tuple[tuple[int, ...], ...]:
    """Which lineages each resampling draws; the same for all that is compared."""
    chance = random.Random(0)
    return tuple(tuple(chance.choices(range(lineages), k=lineages)) for _ in range(RESAMPLES))


def _pooled(pairs: Sequence[tuple[float, float]], drawn: Sequence[int]) -> float:
    lost = needed = 0.0
    for at in drawn:
        lost += pairs[at][0]
        needed += pairs[at][1]
    return lost / needed if needed else 0.0


def _interval(values: list[float]) -> Interval:
    values.sort()
    return values[round(0.025 * (len(values) - 1))], values[round(0.975 * (len(values) - 1))]
