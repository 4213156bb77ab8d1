"""The account of a session: every prompt, as the provider counted it, as items in the window + overhead + residual. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import accumulate, pairwise

from tasks.context import overhead, removals
from tasks.context.calibration import Learned, Pool
from tasks.context.overhead import Segment
from tasks.context.removals import Evidence, Removal
from tasks.context.sizes import Factor, Sizes, factor_of
from tasks.context.window import Chain, Form, Session, Stay, Step, chains, steps

COMPACTION, MODEL_CHANGE, RESUME, PREFIX_CHANGE = "compaction", "model_change", "resume", "prefix_change"
RESUME_PAUSE = timedelta(minutes=5)
"""After a pause of the cache's lifetime, and with nothing read from it, the program may have been started anew."""


@dataclass(frozen=True, slots=True)
class Options:
    """How an account is made; other than as it is only to show what its parts are worth."""

    infers_removals: bool = True
    moves_overhead: bool = True


@dataclass(frozen=True, slots=True)
class Line:
    """One call: `prompt_tokens` = explained + overhead + residual."""

    request_id: str
    request_no: int
    prompt_tokens: int
    explained_tokens: int
    overhead_tokens: int
    residual_tokens: int
    step_residual_tokens: int | None
    """What the step grew by more than was foretold before it was seen; None where there is no step before in the same epoch."""
    content_tokens: int
    """Counted tokens of the items in the window, before any scale."""
    items: int
    overhead_cause: str | None
    """On the first call of a new overhead."""
    removal_rule: str | None = None


@dataclass(frozen=True, slots=True)
class Sojourn:
    """A stay with its tokens."""

    stay: Stay
    tokens: int
    first_no: int
    last_no: int

    @property
    def calls(self) -> int:
        return self.stay.last - self.stay.first + 1


@dataclass(frozen=True, slots=True)
class Account:
    """One chain of a session, accounted for."""

    chain: Chain
    pool: Pool
    factor: float
    lines: tuple[Line, ...]
    sojourns: tuple[Sojourn, ...]
    segments: tuple[Segment, ...]
    removals: tuple[Removal, ...]


def accounts(session: Session, learned: Learned, options: Options = Options()) -> list[Account]:
    """The accounts of all chains of a session."""
    return [_account(session, chain, learned, options) for chain in chains(session) if chain.calls]


def _account(session: Session, chain: Chain, learned: Learned, options: Options) -> Account:
    told = {call.model: learned.scales(session.agent, call.model, session.agent_version) for call in chain.calls}
    sizes = Sizes(chain, [told[call.model][1] for call in chain.calls])
    growth = [0, *(b.prompt_tokens - a.prompt_tokens for a, b in pairwise(chain.calls))]
    factor = factor_of(_evidence(chain, steps(chain), sizes, growth))
    found: list[Removal] = []
    if options.infers_removals:
        found = removals.infer(chain, _what_shrinks(chain, sizes, growth, factor))
        chain = removals.applied(chain, found)
    explained = _explained(chain, sizes, factor)
    levels = [call.prompt_tokens - held for call, held in zip(chain.calls, explained, strict=True)]
    prompts = [call.prompt_tokens for call in chain.calls]
    told_of = overhead.Levels(levels, prompts, _causes(chain), removals.untold(chain, found))
    parts = overhead.segments(told_of) if options.moves_overhead else overhead.one_segment(told_of)
    lines = _lines(chain, explained, parts, _foretold(chain, sizes, growth))
    rules = {one.at: one.rule for one in found}
    marked = tuple(replace(line, removal_rule=rules.get(at)) for at, line in enumerate(lines))
    pool = told[chain.calls[0].model][0]
    return Account(chain, pool, factor, marked, _sojourns(chain, sizes, factor), tuple(parts), tuple(found))


def _explained(chain: Chain, sizes: Sizes, factor: float) -> list[int]:
    return list(accumulate(_net(step, sizes, factor) for step in steps(chain)))


def _what_shrinks(chain: Chain, sizes: Sizes, growth: Sequence[int], factor: float) -> Evidence:
    missing = [_net(step, sizes, factor) - grown for step, grown in zip(steps(chain), growth, strict=True)]
    held = _explained(chain, sizes, factor)
    levels = [call.prompt_tokens - tokens for call, tokens in zip(chain.calls, held, strict=True)]
    is_anew = [cause in (RESUME, MODEL_CHANGE, PREFIX_CHANGE) for cause in _causes(chain)]

    def size(stay: Stay, is_cleared: bool) -> int:
        return sizes.of(replace(stay, form=Form.CLEARED) if is_cleared else stay, factor)

    return Evidence(missing, levels, removals.turns(chain), is_anew, size)


def _net(step: Step, sizes: Sizes, factor: float) -> int:
    entering = sum(sizes.of(stay, factor) for stay in step.entering)
    return entering - sum(sizes.of(stay, factor) for stay in step.leaving)


def _is_plain(chain: Chain, at: int, step: Step) -> bool:
    """A step that only adds, inside one epoch and one model."""
    before, call = chain.calls[at - 1], chain.calls[at]
    return at > 0 and before.epoch == call.epoch and before.model == call.model and not step.leaving


def _evidence(chain: Chain, changes: Sequence[Step], sizes: Sizes, growth: Sequence[int]) -> list[tuple[float, float]]:
    """(growth, expected) of what the scales had to estimate, in plain steps."""
    found: list[tuple[float, float]] = []
    for at, step in enumerate(changes):
        if _is_plain(chain, at, step):
            exact, estimated = sizes.added(step)
            found.append((growth[at] - exact, estimated))
    return found


def _foretold(chain: Chain, sizes: Sizes, growth: Sequence[int]) -> list[int | None]:
    """How far each step is from what the pool and the session's earlier steps say. No move of the overhead is foretold."""
    factor, found = Factor(), list[int | None]()
    for at, step in enumerate(steps(chain)):
        is_step = at > 0 and chain.calls[at - 1].epoch == chain.calls[at].epoch
        found.append(growth[at] - _net(step, sizes, factor.value) if is_step else None)
        if _is_plain(chain, at, step):
            exact, estimated = sizes.added(step)
            factor.learn(growth[at] - exact, estimated)
    return found


def _causes(chain: Chain) -> list[str | None]:
    """What the log names, before each call, that may move the overhead."""
    causes: list[str | None] = [None]
    for before, call in pairwise(chain.calls):
        pause = call.at - before.at if call.at and before.at else timedelta()
        if call.epoch != before.epoch:
            causes.append(COMPACTION)
        elif call.model != before.model:
            causes.append(MODEL_CHANGE)
        elif pause >= RESUME_PAUSE and not call.cache_read_tokens:
            causes.append(RESUME)
        elif call.cache_read_tokens == 0 and (before.cache_read_tokens or before.cache_write_tokens):
            causes.append(PREFIX_CHANGE)
        else:
            causes.append(None)
    return causes


def _lines(chain: Chain, explained: Sequence[int], parts: Sequence[Segment], foretold: Sequence[int | None]) -> list[Line]:
    starts = {part.first: part for part in parts}
    content = accumulate(_content(step) for step in steps(chain))
    items = accumulate(len(step.entering) - len(step.leaving) for step in steps(chain))
    lines, part = list[Line](), parts[0]
    for at, (call, tokens, count) in enumerate(zip(chain.calls, content, items, strict=True)):
        part = starts.get(at, part)
        cause = part.cause if at in starts else None
        residual = call.prompt_tokens - explained[at] - part.overhead
        counts = call.prompt_tokens, explained[at], part.overhead, residual, foretold[at]
        lines.append(Line(call.request_id, call.no, *counts, tokens, count, cause))
    return lines


def _content(step: Step) -> int:
    return sum(stay.item.tokens for stay in step.entering) - sum(stay.item.tokens for stay in step.leaving)


def _sojourns(chain: Chain, sizes: Sizes, factor: float) -> tuple[Sojourn, ...]:
    numbers = [call.no for call in chain.calls]
    return tuple(Sojourn(stay, sizes.of(stay, factor), numbers[stay.first], numbers[stay.last]) for stay in chain.stays)
