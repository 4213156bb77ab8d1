"""The context that a policy is given: what stood in a session's window at one of its calls. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from tasks.compaction.plan import Context
from tasks.context.window import Call, Chain, Form, Session, Stay, chains
from tasks.domain.item import Item

CLEARED = "[cleared]"
"""Stands for the few words that a program put in the place of an old result."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A call of a session, just before it was sent."""

    at: int
    """Index into the chain."""
    no: int
    tokens: int
    """Of its prompt, as the provider counted it; where none did, those of the items, counted here."""
    is_counted: bool
    """By the provider."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Every call of a conversation, in order, and last the one that would come next, which nobody counted."""

    chain: Chain
    every: tuple[Moment, ...]

    def first_with(self, tokens: int) -> Moment | None:
        """The first whose context is at least that large, among those that are counted alike."""
        is_counted = any(moment.is_counted for moment in self.every)
        return next((one for one in self.every if one.is_counted == is_counted and one.tokens >= tokens), None)

    def largest(self) -> int:
        """Tokens of the largest context."""
        is_counted = any(moment.is_counted for moment in self.every)
        return max((one.tokens for one in self.every if one.is_counted == is_counted), default=0)

    def held(self, moment: Moment) -> list[Stay]:
        """What its prompt held, in order."""
        return [stay for stay in self.chain.stays if stay.first <= moment.at <= stay.last]


def moments(session: Session) -> Moments:
    """The calls of the conversation; where none counted its prompt, one for each that made something."""
    chain = _whole(session)
    sizes = _sizes(chain)
    every = (
        Moment(at, call.no, call.prompt_tokens or sizes[at], call.prompt_tokens > 0) for at, call in enumerate(chain.calls)
    )
    return Moments(chain, tuple(every))


def context(
    moment: Moment, stood: Sequence[Stay], items: Mapping[str, Item], count: Callable[[str], int],
    settings: Mapping[str, object], **facts: str | None,
) -> Context:  # fmt: skip
    """What a policy may know at a moment. `items` by id; `facts` are `cwd`, `commit` and `log_path`."""
    known = [stay for stay in stood if stay.item.item_id in items]
    return Context(
        tuple(_as_it_stood(items[stay.item.item_id], stay) for stay in known),
        tuple(stay.item.no for stay in known),
        now=moment.no, count=count, turn=max((stay.item.turn for stay in known), default=0), settings=settings, **facts,
    )  # fmt: skip


def _as_it_stood(item: Item, stay: Stay) -> Item:
    if stay.form is not Form.CLEARED:
        return item
    return replace(item, text=CLEARED, tokens=None, flags=(*item.flags, "cleared"))


def _whole(session: Session) -> Chain:
    """The conversation, with a call behind its end."""
    items, calls = session.items, session.calls
    if len({call.is_sidechain for call in calls}) > 1:
        items = tuple(item for item in items if not item.is_sidechain)
        calls = tuple(call for call in calls if not call.is_sidechain)
    if not calls:
        made = {item.no: item.epoch for item in items if item.is_made}
        calls = tuple(Call("", no, 0, epoch) for no, epoch in sorted(made.items()))
    no = max([1, *(call.no + 1 for call in calls), *(item.enters for item in items)])
    epoch = max([0, *(call.epoch for call in calls), *(item.epoch for item in items)])
    model, is_side = (calls[-1].model, calls[-1].is_sidechain) if calls else (None, False)
    end = Call("", no, 0, epoch, model=model, is_sidechain=is_side)
    return chains(replace(session, calls=(*calls, end), items=items))[0]


def _sizes(chain: Chain) -> list[int]:
    """Counted tokens of what each call's prompt held."""
    grown = [0] * (len(chain.calls) + 1)
    for stay in chain.stays:
        grown[stay.first] += stay.item.tokens
        grown[stay.last + 1] -= stay.item.tokens
    return list(accumulate(grown[:-1]))
