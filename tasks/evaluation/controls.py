"""The controls of one context, cut and measured at many budgets by one walk of each order. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from tasks.compaction.cutting import Cutting
from tasks.compaction.prefix import break_even
from tasks.domain.kinds import ItemKind
from tasks.evaluation import baselines, units
from tasks.evaluation.baselines import Cut, Order, Target
from tasks.evaluation.measures import COLUMNS, Replayed

DIGITS = 9
"""Of means: chances that add up to one but for a bit would else give shares beyond it."""


@dataclass(slots=True)
class _Sums:
    """Of one control at one budget, over its seeds."""

    losses: list[float]
    freed: float = 0.0
    gross: float = 0.0
    invalidated: float = 0.0
    constraints: float = 0.0
    steps: float = 0.0
    seeds: int = 0


class Controls:
    """`oldest` and `random` evict items; `random_chunks` and `oracle` evict chunks of them."""

    def __init__(self, replayed: Replayed, cutting: Cutting, name: str) -> None:
        self._replayed, self._cutting, self._name = replayed, cutting, name
        self._before = list(accumulate(replayed.tokens, initial=0))

    def at(self, targets: Sequence[Target]) -> Iterator[list[dict[str, Any]]]:
        """For each target the rows of the controls; of one that draws, the means over its seeds."""
        sums = {control: [_Sums([0.0] * len(COLUMNS)) for _ in targets] for control in baselines.CONTROLS}
        residues: dict[int, list[int]] = {}
        for number, target in enumerate(targets):
            residues.setdefault(target.residue, []).append(number)
        for order in self._orders() if targets else ():
            for residue, numbers in residues.items():
                self._cut(order, residue, numbers, targets, sums[order.control])
        for number in range(len(targets)):
            yield [self._row(control, found[number]) for control, found in sums.items()]

    def _cut(
        self, order: Order, residue: int, numbers: Sequence[int], targets: Sequence[Target], sums: Sequence[_Sums]
    ) -> None:
        order, spared = baselines.worthwhile(order, residue)
        last = baselines.lost_at(order, len(self._replayed.uses), spared)
        for number, found in zip(numbers, baselines.cuts(order, [targets[at].frees for at in numbers], residue), strict=True):
            sums[number].seeds += 1
            for cut in found:
                self._add(sums[number], order, cut, last)

    def _orders(self) -> Iterator[Order]:
        holds = self._by_position()
        items = units.items(self._replayed.items, self._replayed.tokens, holds)
        chunks = units.chunks(self._cutting, holds, self._replayed.uses)
        yield baselines.oldest(items, self._replayed.items)
        for seed in range(baselines.SEEDS):
            yield baselines.drawn(baselines.RANDOM, items, self._name, seed)
            yield baselines.drawn(baselines.RANDOM_CHUNKS, chunks, self._name, seed)
        yield baselines.oracle(chunks, len(self._replayed.uses))

    def _by_position(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for use, positions in self._replayed.holders.items():
            for at in positions:
                found.setdefault(at, []).append(use)
        return found

    def _add(self, total: _Sums, order: Order, cut: Cut, last: Sequence[int]) -> None:
        lost = frozenset(use for use, number in enumerate(last) if number <= cut.evicted)
        for number, value in enumerate(self._replayed.losses(lost).values()):
            total.losses[number] += cut.chance * value
        gone = {unit.position for unit in order.units[: cut.evicted]}
        first = min(gone, default=len(self._replayed.tokens))
        total.freed += cut.chance * cut.freed
        total.gross += cut.chance * cut.gross
        total.invalidated += cut.chance * max(0, self._replayed.total - self._before[first] - cut.freed)
        total.constraints += cut.chance * sum(at not in gone for at, _ in self._replayed.constraints)
        total.steps += cut.chance * sum(at not in gone for at, _ in self._replayed.open_steps)

    def _row(self, control: str, total: _Sums) -> dict[str, Any]:
        seeds = total.seeds
        told, steps = len(self._replayed.constraints), len(self._replayed.open_steps)
        return {
            "policy": control, "seeds": seeds, "seed": 0 if seeds > 1 else None,
            **{name: round(value / seeds, DIGITS) for name, value in zip(COLUMNS, total.losses, strict=True)},
            "tokens_after": round(self._replayed.total - total.freed / seeds), "index_credit": 0.0,
            "break_even_requests": break_even(round(total.invalidated / seeds), round(total.freed / seeds)),
            "residue_tokens": round((total.gross - total.freed) / seeds),
            "invalidated_tokens": round(total.invalidated / seeds),
            "constraint_survival": round(total.constraints / seeds / told, DIGITS) if told else None,
            "plan_fidelity": round(total.steps / seeds / steps, DIGITS) if steps else None, "faults": [],
            "generation": sum(item.kind == ItemKind.COMPACTION_SUMMARY for item in self._replayed.items),
        }  # fmt: skip
