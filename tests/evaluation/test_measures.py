"""What a view lost, and what of it names alone keep."""

import pytest
from contexts import Talk, words
from replays import OLD, READ, Removes, edit, needed, then

from tasks.compaction.plan import Budget, Change, CompactionPlan, Context, Disposition, Insert
from tasks.compaction.policy import Policy
from tasks.domain.kinds import ItemKind
from tasks.evaluation.item_facts import Told
from tasks.evaluation.measures import Replayed, View, generation, parted


def replayed(before: Talk, after: Talk) -> Replayed:
    told = Told({item.item_id: item for item in (*before.items, *after.items)})
    return Replayed(before.context(), needed(before, after), told)


def lost(found: Replayed, policy: Policy) -> tuple[list[str], int]:
    numbers, credited = View(policy.plan(found.context, Budget()), found).lost()
    return sorted(found.uses[number].what for number in numbers), credited


def loom() -> Replayed:
    before = Talk().user("Weave.").call("Bash", "index warp_tension_idx on the warps of the great loom", command="show")
    return replayed(before, then(before).say("warp_tension_idx can go."))


def test_M6_what_is_taken_out_and_used_is_lost_and_what_stays_is_not():
    assert lost(loom(), Removes(2)) == (["warp_tension_idx"], 0)
    assert lost(loom(), Removes(1)) == ([], 0)


def test_M6_not_where_the_agent_had_quoted_it_in_what_stays():
    before = Talk().user("Weave.").call("Bash", "index warp_tension_idx", command="show").say("There is warp_tension_idx.")
    assert lost(replayed(before, then(before).say("warp_tension_idx can go.")), Removes(2)) == ([], 0)


def test_M6_a_name_in_an_index_is_lost_all_the_same_and_credited_apart():
    assert lost(loom(), Removes(2, leaves="[elided: Bash, names: warp_tension_idx, loom]")) == (["warp_tension_idx"], 1)


def test_M6_a_line_of_the_original_is_kept():
    text = "[shortened]\nindex warp_tension_idx on the warps of the great loom"
    assert lost(loom(), Removes(2, leaves=text)) == ([], 0)


@pytest.mark.parametrize(
    ("leaves", "is_lost"),
    [(f"[elided]\n{OLD}", False), (f"[elided: 1]\n     2→{OLD}", False), ("weft_of return warp", True), (None, True)],
)
def test_M6b_an_edit_needs_the_line_itself_and_no_index_of_it(leaves: str | None, is_lost: bool):
    before = Talk().user("Mend it.").call("Read", READ, file_path="a.py")
    gone, _ = lost(replayed(before, edit(then(before))), Removes(2, leaves=leaves))
    assert (OLD.strip() in gone) == is_lost


class Summarizes(Policy):
    """Everything in a summary."""

    name = "summarizes"

    def __init__(self, text: str) -> None:
        self.text = text

    def plan(self, context: Context, budget: Budget) -> CompactionPlan:
        every = tuple(range(len(context.items)))
        gone = tuple(Change(at, Disposition.SUMMARIZED, None, "old") for at in every)
        return self.decided(
            changes=gone, inserts=(Insert(0, ItemKind.COMPACTION_SUMMARY, self.text, "summary", sources=every),)
        )


def test_M6_a_summary_in_other_words_is_credited_and_one_that_quotes_keeps():
    assert lost(loom(), Summarizes("The schema has warp_tension_idx.")) == (["warp_tension_idx"], 1)
    assert lost(loom(), Summarizes("- index warp_tension_idx on the warps of the great loom")) == ([], 0)


def ruled() -> Talk:
    return Talk().user("You must never cut the warp. Weave the border.").say("I weave.").user("Always use the red yarn.")


def test_M9_constraints_survive_word_for_word_or_not_at_all():
    found = replayed(ruled(), then(ruled()))
    assert [sentence for _, sentence in found.constraints] == ["You must never cut the warp.", "Always use the red yarn."]
    for text, kept in (("You must never cut the warp.\nAlways use the  red yarn.", 2), ("Never cut warps; red yarn.", 0)):
        assert View(Summarizes(text).plan(found.context, Budget()), found).constraints_kept() == kept
    assert View(Removes(0).plan(found.context, Budget()), found).constraints_kept() == 1


def test_M9_a_rule_said_after_the_moment_is_not_in_its_ledger():
    before, later = ruled(), then(ruled()).user("You must not touch the shed roof.")
    assert len(replayed(before, later).constraints) == 2


def test_M11_open_steps_of_the_plan_survive_word_for_word():
    steps = [{"content": "Warp the loom", "status": "completed"}, {"content": "Dye the yarn", "status": "pending"}]
    before = Talk().user("Weave.").call("TodoWrite", "ok", todos=steps)
    found = replayed(before, then(before))
    assert [text for _, text in found.open_steps] == ["Dye the yarn"]
    assert View(Removes(2).plan(found.context, Budget()), found).steps_kept() == 1
    assert View(Removes(1).plan(found.context, Budget()), found).steps_kept() == 0
    assert View(Removes(1, leaves='{"todos":"Dye the yarn"}').plan(found.context, Budget()), found).steps_kept() == 1


def test_M15_a_summary_made_from_a_summary_is_one_further_from_the_words():
    before = Talk().summary("Once we wove.").user("Go on.")
    plan = Summarizes("Twice.").plan(before.context(), Budget())
    assert generation(plan, before.items) == 2
    assert generation(CompactionPlan("x", 1), before.items) == 1
    assert generation(CompactionPlan("x", 1), before.items[1:]) == 0


def test_M17_a_result_without_its_call_is_a_fault_unless_it_was_one_before():
    before = Talk().user("Weave.").call("Bash", "ok", command="show")
    assert parted([before.items[0], before.items[2]], before.items)
    assert not parted([before.items[0]], before.items)
    assert not parted([before.items[2]], [before.items[2]])


def test_what_stands_where_something_was_taken_out_is_counted_without_what_was_kept():
    """Two runs: five words, and none."""
    found = loom()
    plan = CompactionPlan("x", 1, (
        Change(1, Disposition.REMOVED, None, ""),
        Change(2, Disposition.SPLIT, "[elided: lines 2-90 of it]\nindex warp_tension_idx on the warps of the great loom", ""),
    ))  # fmt: skip
    assert words("[elided: lines 2-90 of it]") == 5
    assert View(plan, found).residue() == (2, 5)


PLANTED = [[f"knot_{chr(97 + at)}_{number}_tied" for number in range(at % 4)] for at in range(12)]


@pytest.mark.parametrize("at", range(12))
def test_F6_taking_one_item_out_loses_exactly_what_was_planted_in_it(at: int):
    before = Talk().user("Weave.")
    for names in PLANTED:
        before.call("Read", " ".join(names) or "plain", file_path="cloth")
    after = then(before)
    for names in PLANTED:
        after.say(" ".join(names) or "plain")
    found = replayed(before, after)
    assert len(found.uses) == sum(map(len, PLANTED))
    assert lost(found, Removes(2 + 2 * at)) == (sorted(PLANTED[at]), 0)
