"""Scales found again from sessions whose provider is invented, and held where nothing can be learned."""

import random

from windows import Story

from tasks.context import lad
from tasks.context.calibration import BOUNDS, Learned, Measure, Sample, Scale, fitted, known
from tasks.context.samples import samples
from tasks.context.window import chains
from tasks.domain.kinds import ItemKind


def learned(*stories: Story) -> Learned:
    told = []
    for story in stories:
        session = story.session()
        for chain in chains(session):
            told += [(session.agent, model, session.agent_version, sample) for model, sample in samples(chain)]
    return Learned(told)


def long_story(calls: int, seed: int = 3) -> Story:
    story, chance = Story().ask().call(), random.Random(seed)
    for _ in range(calls):
        story.add(ItemKind.ASSISTANT_TEXT, chance.randint(5, 300))
        tokens = chance.randint(20, 6_000)
        story.use(tokens, chance.randint(10, 400), marks=chance.randint(0, tokens))
        story.call()
    return story


def test_scales_of_an_invented_provider_are_found_again():
    _, scales = learned(long_story(250)).scales("claude-code", "claude-opus-4-5-20251101", "2.1.9")
    assert abs(scales[Measure.RESULT].scale - 0.9) < 0.01
    assert abs(scales[Measure.MARKS].scale - 0.45) < 0.01
    assert abs(scales[Measure.CALL].scale - 1.1) < 0.03


def test_a_few_wild_steps_change_nothing():
    quiet, wild = long_story(250), long_story(250)
    calls = wild.calls
    for at in (40, 90, 200):
        for later in range(at, len(calls)):
            calls[later] = calls[later].__class__(**{
                **{name: getattr(calls[later], name) for name in calls[later].__slots__},
                "prompt_tokens": calls[later].prompt_tokens + 15_000,
            })  # fmt: skip
    one, other = (learned(s).scales("claude-code", s.model, "2.1.9")[1][Measure.RESULT].scale for s in (quiet, wild))
    assert abs(one - other) < 0.005


def test_the_narrowest_pool_with_enough_steps_counts():
    few, many = learned(long_story(210)), learned(long_story(410))
    assert few.scales("claude-code", "claude-opus-4-5-20251101", "2.1.9")[0] == ("claude-code", "claude-opus-4-5-20251101", "")
    assert many.scales("claude-code", "claude-opus-4-5-20251101", "2.1.30")[0][2] == "2.1"
    assert many.scales("claude-code", "claude-opus-9", "2.1.9")[0] == ("claude-code", "", "")
    assert many.scales("codex", "gpt-9", None) == (("", "", ""), known("gpt-9"))


def test_of_a_large_pool_the_same_steps_are_drawn_whatever_their_order():
    """Half of 8,000 steps say 1.0 and half 1.2: those drawn are those of the lowest lots, which all say 1.2."""
    seen = [Sample({0: 1000.0, 1: 1.0}, 1_000.0 if lot >= 4_000 else 1_200.0, lot) for lot in range(8_000)]
    random.Random(1).shuffle(seen)
    assert fitted(seen, known("claude-opus-4-5"))[Measure.RESULT].scale > 1.17


def test_no_scale_leaves_its_bounds():
    seen = [Sample({0: 1000.0, 1: 1.0}, 9_000.0) for _ in range(300)]
    found = fitted(seen, known("claude-opus-4-5"))
    assert found[Measure.RESULT] == Scale(1.6, 80)
    assert all(low <= found[of].scale <= high for of, ((low, high), _) in BOUNDS.items())


def test_classes_that_nothing_was_seen_of_keep_what_is_known():
    found = fitted([Sample({0: 1000.0, 1: 1.0}, 1_128.0)] * 50, known("claude-opus-4-5"))
    assert {of: found[of] for of in (Measure.CALL, Measure.OPAQUE)} == {
        of: known("claude-opus-4-5")[of] for of in (Measure.CALL, Measure.OPAQUE)
    }


def test_large_deviations_count_by_size_and_not_squared():
    """The mean of these is 28,579; two steps that nothing explains pull as far as two small ones may."""
    rows: list[lad.Row] = [({0: 1.0}, 10.0)] * 5 + [({0: 1.0}, 100_000.0)] * 2
    (found,) = lad.fit(rows, [0.0], [0.0], [(-1e6, 1e6)])
    assert abs(found - (10 + lad.NEAR * 2 / 5)) < 1


def test_small_deviations_cancel_each_other():
    """What is a little too much in every third step does not add up over a session."""
    rows: list[lad.Row] = [({0: 1.0}, 0.0), ({0: 1.0}, 0.0), ({0: 1.0}, 60.0)] * 20
    (found,) = lad.fit(rows, [0.0], [0.0], [(-1e6, 1e6)])
    assert abs(found - 20) < 1
