"""What was in the model's window at each call of a session, from what the lake knows of it. Pure; counts no tokens.

A session's calls form chains (the conversation, and side questions asked beside it). For each chain every item has stays:
unbroken runs of calls whose prompt held it. An answer enters with the call after the one that gave it, everything else with the
first call that could see it; an item leaves at a compaction, a rewind, when it is cleared, or when the provider drops thinking.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tasks.context import images
from tasks.context.standing import Call, Chain, Form, Session, Standing, Stay
from tasks.context.walk import Walk
from tasks.domain.kinds import ItemKind

__all__ = ["Call", "Chain", "Form", "Session", "Standing", "Stay", "Step", "chains", "steps"]


def chains(session: Session) -> list[Chain]:
    """The chains of a session, the conversation first. A side question sees the conversation; nothing of it goes back there."""
    sides = {call.is_sidechain for call in session.calls}
    if len(sides) < 2:
        return [_chain(session.calls, session.items)]
    main = _chain([c for c in session.calls if not c.is_sidechain], [i for i in session.items if not i.is_sidechain])
    return [main, _chain([c for c in session.calls if c.is_sidechain], session.items)]


def _chain(calls: Iterable[Call], items: Iterable[Standing]) -> Chain:
    ordered = sorted(calls, key=lambda call: call.no)
    walk = Walk(ordered, [_sized(item, ordered) for item in sorted(items, key=lambda item: item.position)])
    stays = tuple(stay for item in walk.items for stay in walk.stays(item))
    return Chain(tuple(ordered), stays, tuple(item for item in walk.items if item.is_made))


def _sized(item: Standing, calls: Sequence[Call]) -> Standing:
    """An image with its tokens, by the model of the first call that could see it."""
    if item.kind != ItemKind.IMAGE or not item.image_width:
        return item
    model = next((call.model for call in calls if call.no >= item.enters), None)
    return replace(item, image_tokens=images.tokens(model, item.image_width, item.image_height))


@dataclass(frozen=True, slots=True)
class Step:
    """What changed in the window from one call of a chain to the next."""

    entering: tuple[Stay, ...]
    leaving: tuple[Stay, ...]


def steps(chain: Chain) -> list[Step]:
    """One for each call of a chain; in the first everything enters."""
    entering: dict[int, list[Stay]] = defaultdict(list)
    leaving: dict[int, list[Stay]] = defaultdict(list)
    for stay in chain.stays:
        entering[stay.first].append(stay)
        leaving[stay.last + 1].append(stay)
    return [Step(tuple(entering[at]), tuple(leaving[at])) for at in range(len(chain.calls))]
