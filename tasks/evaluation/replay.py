"""One session, replayed: every policy at every point, at its own budget and at those asked for, beside its controls. Pure.

A policy that frees what it is asked to is tried at 40, 60 and 80 % of the context. Beside each view stand the controls, cut to
free as much as it freed. The contexts have no thinking in them: providers drop it, and of its use nothing can be known.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tasks.compaction.cutting import Cuts
from tasks.compaction.evicting import Evicting
from tasks.compaction.plan import Budget, Change, CompactionPlan, Context, Disposition, Insert, outcome
from tasks.compaction.policy import Policy
from tasks.compaction.prefix import break_even, invalidated
from tasks.compaction.window import Moments
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.evaluation import segments
from tasks.evaluation.baselines import Target
from tasks.evaluation.controls import Controls
from tasks.evaluation.future import Use, uses
from tasks.evaluation.item_facts import Told
from tasks.evaluation.measures import Replayed, View, generation, parted
from tasks.evaluation.segments import Point, Trigger

BUDGETS = (0.4, 0.6, 0.8)
"""Shares of the context's tokens that are freed."""
LOGGED = "logged"
"""Stands as the policy of the compactions that agents made themselves."""
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A session as it is replayed."""

    session_id: str
    lineage_id: str
    agent: str
    moments: Moments
    items: Mapping[str, Item]
    see: Callable[[Point, str], Context]
    """What the policy of that name would have seen there; with thinking."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is tried."""

    policies: Sequence[Policy]
    at_tokens: int | None = None
    """Prompt tokens of the one point that is tried; None for all points."""
    triggers: Mapping[str, int] = field(default_factory=dict)
    """Policy -> prompt tokens at which it would run by itself."""
    budgets: Sequence[float] = BUDGETS


def replay(recorded: Recorded, asked: Asked) -> list[Row]:
    """The rows of a session, point by point."""
    return list(_Replay(recorded, asked).rows())


class _Replay:
    def __init__(self, recorded: Recorded, asked: Asked) -> None:
        self.recorded, self.asked = recorded, asked
        self.told = Told(recorded.items)
        self.cuts = Cuts()
        for policy in asked.policies:
            if isinstance(policy, Evicting):
                policy.cuts = self.cuts
        self._tried: set[str] = set()

    def rows(self) -> Iterator[Row]:
        moments = self.recorded.moments
        if self.asked.at_tokens is not None:
            point = segments.passing(moments, self.asked.at_tokens, Trigger.ASKED)
            yield from self._at(point, self.asked.policies) if point else ()
            return
        for point in segments.grid(moments):
            yield from self._at(point, self.asked.policies)
        for policy in self.asked.policies:
            tokens = self.asked.triggers.get(policy.name)
            if tokens and (point := segments.passing(moments, tokens + 1, Trigger.OWN)):
                yield from self._at(point, [policy], is_own=True)
        for point, stood, kept in segments.logged(moments):
            yield from self._logged(point, [stay.item.item_id for stay in stood], [stay.item.item_id for stay in kept])

    def _at(self, point: Point, policies: Sequence[Policy], *, is_own: bool = False) -> Iterator[Row]:
        needs: list[Use] | None = None
        made: list[tuple[Row, Target]] = []
        replayed: Replayed | None = None
        for policy in policies:
            context = without_thinking(self.recorded.see(point, policy.name))
            if needs is None or replayed is None:
                coming = [self.recorded.items[one] for one in segments.future(self.recorded.moments, point)]
                needs = uses(context.items, coming, point.no, self.told)
                replayed = Replayed(context, needs, self.told)
            for share in (None, *(self.asked.budgets if policy.takes_budget and not is_own else ())):
                row, target = self._tried_policy(point, policy, context, replayed, share)
                made.append((row, target))
        if replayed is None:
            return
        yield from (row for row, _ in made)
        yield from self._beside(point, replayed, made, with_own=not is_own)

    def _tried_policy(
        self, point: Point, policy: Policy, context: Context, replayed: Replayed, share: float | None
    ) -> tuple[Row, Target]:
        budget = Budget() if share is None else Budget(frees=round(share * replayed.total))
        plan = policy.plan(context, budget)
        row, target = self._measured(point, plan, context, replayed)
        row |= {
            "policy": policy.name, "policy_version": policy.version, "is_control": policy.is_control, "budget": share,
        }  # fmt: skip
        row["faults"] += self._unsteady(policy, context, budget, plan)
        return row, target

    def _unsteady(self, policy: Policy, context: Context, budget: Budget, plan: CompactionPlan) -> list[str]:
        """Told at the first point of a session alone: that a plan is another one the second time."""
        if policy.name in self._tried:
            return []
        self._tried.add(policy.name)
        return [] if policy.plan(context, budget) == plan else ["not_deterministic"]

    def _measured(self, point: Point, plan: CompactionPlan, context: Context, replayed: Replayed) -> tuple[Row, Target]:
        done, view = outcome(plan, context), View(plan, replayed)
        lost, credited = view.lost()
        anew = invalidated(context.items, done.view, context.count)
        faults = [name for name, is_so in (("parted", parted(done.view, context.items)), ("larger", done.freed < 0)) if is_so]
        constraints, steps, (runs, left) = replayed.constraints, replayed.open_steps, view.residue()
        row = self._row(point, replayed) | replayed.losses(lost) | {
            "acts": bool(plan.changes or plan.inserts), "tokens_after": done.tokens_after, "index_credit": float(credited),
            "constraint_survival": view.constraints_kept() / len(constraints) if constraints else None,
            "plan_fidelity": view.steps_kept() / len(steps) if steps else None, "invalidated_tokens": anew,
            "break_even_requests": break_even(anew, done.freed), "generation": generation(plan, context.items),
            "residue_tokens": left + sum(context.count(insert.text) for insert in plan.inserts), "faults": faults,
        }  # fmt: skip
        return row, Target(done.freed, round(left / runs) if runs else 0)

    def _beside(self, point: Point, replayed: Replayed, made: Sequence[tuple[Row, Target]], *, with_own: bool) -> Iterator[Row]:
        """The controls at the budget of each view that freed anything, and at the budgets asked for by themselves."""
        wanted = [(row["policy"], row["budget"], target) for row, target in made if row["acts"] and target.frees > 0]
        if with_own:
            wanted += [(None, share, Target(round(share * replayed.total))) for share in self.asked.budgets]
        controls = Controls(replayed, self.cuts.of(replayed.context), f"{self.recorded.session_id}:{point.no}")
        for (beside, share, _), rows in zip(wanted, controls.at([target for *_, target in wanted]), strict=True):
            for row in rows:
                yield self._row(point, replayed) | row | {"beside": beside, "budget": share, "is_control": True}

    def _row(self, point: Point, replayed: Replayed) -> Row:
        atoms = [use for use in replayed.uses if not use.is_line]
        return {
            "session_id": self.recorded.session_id, "lineage_id": self.recorded.lineage_id, "agent": self.recorded.agent,
            "request_no": point.no, "trigger": point.trigger.value, "at_tokens": point.at_tokens,
            "prompt_tokens": point.prompt_tokens, "horizon": point.horizon,
            "policy_version": 1, "seeds": 1, "seed": None, "acts": True, "beside": None, "budget": None,
            "tokens_before": replayed.total, "uses": len(atoms), "weighted_uses": sum(use.weight for use in atoms),
            "hard_uses": sum(use.is_hard for use in atoms), "line_uses": len(replayed.uses) - len(atoms),
            "constraints": len(replayed.constraints), "open_steps": len(replayed.open_steps),
        }  # fmt: skip

    def _logged(self, point: Point, stood: Sequence[str], kept: Sequence[str]) -> Iterator[Row]:
        """What an agent's own compaction lost: its summary and its tail, as the view of what stood there before."""
        items, recorded = self.recorded.items, self.recorded
        before = [items[one] for one in stood if one in items]
        if point.horizon < segments.CALLS_AHEAD or not before:
            return
        after = [items[one] for one in kept if one in items]
        known = {one.item_id for one in (*before, *after)}
        now = {stay.item.item_id for stay in recorded.moments.held(recorded.moments.every[point.at])} - known
        first = sorted((items[one] for one in now if one in items), key=lambda item: item.seq)
        coming = [*first, *(items[one] for one in segments.future(recorded.moments, point))]
        seen = without_thinking(recorded.see(point, LOGGED))
        context = replace(seen, items=tuple(before), request_nos=tuple(item.request_no or 0 for item in before))
        replayed = Replayed(context, uses(before, coming, point.no, self.told), self.told)
        plan = as_plan(before, after)
        row, target = self._measured(point, plan, context, replayed)
        row |= {"policy": LOGGED, "is_control": False, "faults": []}
        yield row
        yield from self._beside(point, replayed, [(row, target)], with_own=False)


def as_plan(before: Sequence[Item], after: Iterable[Item]) -> CompactionPlan:
    """What an agent did, as the plan that does the same: what is gone is removed, what is new is inserted in front."""
    left = list(after)
    stays, known = {item.item_id for item in left}, {item.item_id for item in before}
    return CompactionPlan(
        LOGGED, 1,
        tuple(Change(at, Disposition.REMOVED, None, "") for at, item in enumerate(before) if item.item_id not in stays),
        tuple(Insert(0, item.kind, item.text, "") for item in left if item.item_id not in known),
    )  # fmt: skip


def without_thinking(context: Context) -> Context:
    """The context as providers send it on: what the model thought is dropped from it."""
    kept = [at for at, item in enumerate(context.items) if item.kind != ItemKind.REASONING]
    if len(kept) == len(context.items):
        return context
    items, numbers = context.items, context.request_nos
    return replace(context, items=tuple(items[at] for at in kept), request_nos=tuple(numbers[at] for at in kept))
