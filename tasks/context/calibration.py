"""How many of the provider's tokens a counted token is, by class of item: learned from the growth between calls. Pure.

Pooled over the sessions of one agent, model and version, and held within stated bounds, so that no scale can hide what a log
does not explain. Nothing here is about a single session; what a session adds of its own is one factor (`sizes.py`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tasks.context import lad
from tasks.context.window import Standing
from tasks.domain.kinds import ItemKind

OWN_VERSION, OWN_MODEL, OWN_AGENT = 400, 200, 30
"""Steps that a pool needs; with fewer the wider one counts, and at last what is known beforehand."""
MOST_STEPS = 3_000
"""Of a larger pool so many steps are looked at: nine classes need no more, and a night costs no more."""
GRAIN, FRAMING_GRAIN = 0.005, 1.0
"""Scales are told in such steps: what a new session changes below them does not write every account anew."""


class Measure(StrEnum):
    """Classes of items that have a scale of their own."""

    RESULT = "result"
    MARKS = "marks"
    """Of results: capitals and punctuation. Identifiers, hashes and addresses are more tokens for some than for others."""
    CALL = "call"
    TEXT = "text"
    PROMPT = "prompt"
    """What came in and is no result: typed, injected, summaries, notices that were sent, the system's words."""
    REASONING = "reasoning"
    OPAQUE = "opaque"
    """Reasoning by the length of what the log keeps of it for the model alone."""
    IMAGE = "image"
    """Of unknown size: a constant."""
    SIZED_IMAGE = "sized_image"
    """By what its provider publishes for its size."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Tokens = scale x measure + framing, for each item of a class; for marks the framing is none."""

    scale: float
    framing: float


BOUNDS: dict[Measure, tuple[tuple[float, float], tuple[float, float]]] = {
    Measure.RESULT: ((0.7, 1.6), (0, 80)),
    Measure.MARKS: ((0.0, 0.8), (0, 0)),
    Measure.CALL: ((0.8, 1.8), (0, 120)),
    Measure.TEXT: ((0.8, 1.8), (0, 40)),
    Measure.PROMPT: ((0.8, 1.8), (0, 60)),
    Measure.REASONING: ((0.5, 4.0), (0, 60)),
    Measure.OPAQUE: ((0.1, 0.35), (-80, 20)),
    Measure.IMAGE: ((0.0, 0.0), (200, 3000)),
    Measure.SIZED_IMAGE: ((0.8, 1.3), (0, 60)),
}
"""Lowest and highest scale and framing. The same are in sql/checks/fail__scales_out_of_bounds.sql."""
_CLAUDE = {
    Measure.RESULT: Scale(0.9, 18), Measure.MARKS: Scale(0.45, 0), Measure.CALL: Scale(1.1, 80),
    Measure.TEXT: Scale(1.12, 2), Measure.PROMPT: Scale(1.11, 4),
    Measure.REASONING: Scale(1.5, 0), Measure.OPAQUE: Scale(0.21, -35), Measure.IMAGE: Scale(0, 1500),
    Measure.SIZED_IMAGE: Scale(1.0, 10),
}  # fmt: skip
_OTHERS = {
    Measure.RESULT: Scale(1.0, 6), Measure.MARKS: Scale(0, 0), Measure.CALL: Scale(1.0, 12),
    Measure.TEXT: Scale(1.0, 2), Measure.PROMPT: Scale(1.0, 4),
    Measure.REASONING: Scale(1.0, 0), Measure.OPAQUE: Scale(0.2, -35), Measure.IMAGE: Scale(0, 1000),
    Measure.SIZED_IMAGE: Scale(1.0, 10),
}  # fmt: skip
_PULL_TOKENS, _PULL_FRAMING = 200.0, 2.0
"""How many tokens, and how many items, the known scale and framing weigh beside what is seen (per unit of deviation)."""
_ORDER = tuple(Measure)
Scales = Mapping[Measure, Scale]
Pool = tuple[str, str, str]
"""Agent, model, version; the later ones empty in a wider pool."""


def known(model: str | None) -> dict[Measure, Scale]:
    """Scales before anything was seen."""
    return dict(_CLAUDE if is_claude(model) else _OTHERS)


def is_claude(model: str | None) -> bool:
    """Its provider counts with a tokenizer that nobody else has."""
    return "claude" in (model or "").lower()


Term = tuple[Measure, float, int]
"""A class, the size in the unit of that class, and how many items it counts as."""


def terms(item: Standing) -> tuple[Term, ...]:
    """What the tokens of an item are estimated from."""
    if item.kind == ItemKind.REASONING:
        return ((Measure.OPAQUE, item.opaque_chars, 1),) if item.opaque_chars else ((Measure.REASONING, item.tokens, 1),)
    if item.kind == ItemKind.TOOL_RESULT:
        return (Measure.RESULT, item.tokens, 1), (Measure.MARKS, item.marks, 0)
    if item.kind == ItemKind.TOOL_CALL:
        return ((Measure.CALL, item.tokens, 1),)
    if item.kind == ItemKind.IMAGE:
        return ((Measure.SIZED_IMAGE, item.image_tokens, 1),) if item.image_tokens else ((Measure.IMAGE, 0, 1),)
    return ((Measure.TEXT if item.kind == ItemKind.ASSISTANT_TEXT else Measure.PROMPT, item.tokens, 1),)


def estimate(item: Standing, scales: Scales) -> float:
    """Tokens of an item by its scale; never less than none."""
    return max(0.0, sum(scales[of].scale * size + scales[of].framing * count for of, size, count in terms(item)))


def pools(agent: str, model: str | None, version: str | None) -> tuple[Pool, Pool, Pool]:
    """From the narrowest to the widest."""
    short = ".".join((version or "").split(".")[:2])
    return (agent, model or "", short), (agent, model or "", ""), (agent, "", "")


@dataclass(frozen=True, slots=True)
class Sample:
    """One step to learn from: measures and counts by the index of their coefficient, and the tokens they were."""

    values: dict[int, float]
    told: float
    lot: int = 0
    """Says which steps of a large pool are looked at: by chance, and the same in every night."""


def values(items: Iterable[Standing]) -> dict[int, float]:
    """What the coefficients are multiplied with: scale and framing of each class, in the order of `Measure`."""
    found: dict[int, float] = {}
    for item in items:
        for of, size, count in terms(item):
            at = 2 * _ORDER.index(of)
            found[at] = found.get(at, 0) + size
            found[at + 1] = found.get(at + 1, 0) + count
    return found


class Learned:
    """Scales by pool, fitted when they are first asked for."""

    def __init__(self, seen: Iterable[tuple[str, str | None, str | None, Sample]]) -> None:
        self._samples: dict[Pool, list[Sample]] = {}
        for agent, model, version, sample in seen:
            for pool in pools(agent, model, version):
                self._samples.setdefault(pool, []).append(sample)
        self._fitted: dict[tuple[Pool, bool], dict[Measure, Scale]] = {}

    def scales(self, agent: str, model: str | None, version: str | None) -> tuple[Pool, dict[Measure, Scale]]:
        """The narrowest pool with enough steps, and its scales."""
        for pool, least in zip(pools(agent, model, version), (OWN_VERSION, OWN_MODEL, OWN_AGENT), strict=True):
            if len(self._samples.get(pool, ())) >= least:
                key = pool, is_claude(model)
                if key not in self._fitted:
                    self._fitted[key] = fitted(self._samples[pool], known(model))
                return pool, self._fitted[key]
        return ("", "", ""), known(model)


def fitted(seen: Sequence[Sample], start: Scales) -> dict[Measure, Scale]:
    """Scales by least absolute deviations, held near what is known where little is seen of a class."""
    drawn = sorted(seen, key=lambda sample: (sample.lot, sample.told))[:MOST_STEPS] if len(seen) > MOST_STEPS else seen
    at_start = [value for of in _ORDER for value in (start[of].scale, start[of].framing)]
    bounds = [pair for of in _ORDER for pair in BOUNDS[of]]
    pull = [value for _ in _ORDER for value in (_PULL_TOKENS**2 / 30, _PULL_FRAMING**2 / 30)]
    found = lad.fit([(sample.values, sample.told) for sample in drawn if sample.values], at_start, pull, bounds)
    return {
        of: Scale(round(round(found[2 * at] / GRAIN) * GRAIN, 4), round(found[2 * at + 1] / FRAMING_GRAIN) * FRAMING_GRAIN)
        for at, of in enumerate(_ORDER)
    }
