"""A read whose first lines a policy took out still shows the others."""

from contexts import Talk

from tasks.compaction.oldest import Oldest
from tasks.compaction.plan import Budget
from tasks.evaluation.future import Use
from tasks.evaluation.item_facts import Told
from tasks.evaluation.measures import Replayed, View


def test_lines_behind_a_marker_are_kept_without_their_numbers():
    text = "".join(f"{number:6}→the warp number {number} goes over\n" for number in range(1, 49))
    talk = Talk().user("Weave.").call("Read", text, file_path="a.py")
    context = talk.context()
    told = Told({item.item_id: item for item in talk.items})
    uses = [Use(f"the warp number {number} goes over", True, 0, True) for number in (3, 40)]
    plan = Oldest().plan(context, Budget(frees=100))
    assert (plan.changes[0].text or "").startswith("[elided: lines 1-24, ref 2]\n    25→the warp")
    lost, _ = View(plan, Replayed(context, uses, told)).lost()
    assert lost == {0}
