"""Steps of a chain that only add to its window: what scales are learned from. Pure."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from statistics import median
from zlib import crc32

from tasks.context.calibration import Sample, estimate, known, values
from tasks.context.thinking import Kept, kept
from tasks.context.window import Call, Chain, Standing, Step, steps
from tasks.domain.kinds import ItemKind

ROUNDED_TO = 64
LEAST_ROUNDED = 3
"""Steps that must show it."""


def samples(chain: Chain) -> list[tuple[str | None, Sample]]:
    """The steps of a chain that only add, inside one epoch and model, with the model of each."""
    found = []
    lacks = rounded_off(chain)
    for before, call, step in _plain(chain):
        sample = _sample(step, before, call.prompt_tokens - before.prompt_tokens, lacks)
        if sample:
            found.append((call.model, replace(sample, lot=crc32(call.request_id.encode()))))
    return found


def rounded_off(chain: Chain) -> int:
    """Tokens that each count of reasoning lacks. Some providers tell whole steps of 64, rounded down, to none too: half a step
    is missing on average. A chain does where all of its counts are such, and prompts grow by more after answers that think."""
    counts = {call.reasoning_tokens for call in chain.calls if call.reasoning_tokens is not None}
    if not any(counts) or any(count % ROUNDED_TO for count in counts):
        return 0
    extra: dict[bool, list[float]] = {True: [], False: []}
    for before, call, step in _plain(chain):
        sample = _sample(step, before, call.prompt_tokens - before.prompt_tokens, 0)
        if sample and before.output_tokens is not None:
            expected = sum(estimate(item, known(call.model)) for item in _estimated(step, before))
            extra[_thinks(step)].append(sample.told - expected)
    if len(extra[True]) < LEAST_ROUNDED:
        return 0
    more = median(extra[True]) - (median(extra[False]) if extra[False] else 0)
    return ROUNDED_TO // 2 if more * 4 > ROUNDED_TO else 0


def _plain(chain: Chain) -> Iterable[tuple[Call, Call, Step]]:
    for (before, call), step in zip(pairwise(chain.calls), steps(chain)[1:], strict=True):
        if not step.leaving and before.epoch == call.epoch and before.model == call.model:
            yield before, call, step


def _made(step: Step) -> list[Standing]:
    return [stay.item for stay in step.entering if stay.item.is_made]


def _thinks(step: Step) -> bool:
    return any(item.kind == ItemKind.REASONING for item in _made(step))


def _estimated(step: Step, before: Call) -> list[Standing]:
    """What the provider itself did not count: all but the answer, where it counted that."""
    return [stay.item for stay in step.entering if before.output_tokens is None or not stay.item.is_made]


def _sample(step: Step, before: Call, growth: int, lacks: int) -> Sample | None:
    """Growth, less what the provider itself counted of the answer; None where part of that answer did not come back."""
    found = values(_estimated(step, before))
    if before.output_tokens is None:
        return Sample(found, growth)
    thinks, forgets = _thinks(step), kept(before.model) is Kept.NEVER
    if not _made(step) or (before.reasoning_tokens and not thinks and not forgets):
        return None
    answer = before.output_tokens - (before.reasoning_tokens or 0) * forgets
    return Sample(found, growth - answer - lacks * thinks)
