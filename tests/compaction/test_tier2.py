"""CodeCoder's second tier. Tokens are words."""

import pytest
from contexts import Talk

from tasks.compaction.plan import Budget, CompactionPlan, Context, Disposition, apply, outcome
from tasks.compaction.summarizer import Ask, Circuit, Summarizer, SummaryError
from tasks.compaction.tier1 import Tier1
from tasks.compaction.tier2 import Tier2
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind

ANSWER = "[Summary]\nGoal: Weave\nConstraints: Never cut the warp\nProgress: Row 0\nKey Decisions: Linen\nNext Steps: Row 1"


class Scribe:
    """A summarizer that remembers what it was asked."""

    def __init__(self, answer: str = ANSWER) -> None:
        self.answer, self.asked = answer, list[Ask]()

    def __call__(self, request: Ask) -> str:
        self.asked.append(request)
        return self.answer


class Broken(Scribe):
    """One whose model is down."""

    def __call__(self, request: Ask) -> str:
        self.asked.append(request)
        raise TimeoutError("no answer in 30 s")


def turns(number: int, words: int = 100) -> Talk:
    """Turns of a prompt of so many words, a call and an answer."""
    talk = Talk()
    for at in range(number):
        talk.user(f"Row {at}: " + "warp " * words).call("Read", "weft", file_path=f"{at}.py").say("Done.")
    return talk


def planned(context: Context, summarize: Summarizer, budget: Budget | None = None) -> CompactionPlan:
    return Tier2(summarize).plan(context, budget or Budget())


def summaries(items: tuple[Item, ...]) -> list[Item]:
    return [item for item in items if item.kind == ItemKind.COMPACTION_SUMMARY]


def test_A30_nothing_is_asked_while_the_first_tier_is_enough():
    scribe = Scribe()
    context = turns(4).context(settings={"trigger_tokens": 500})
    plan = planned(context, scribe)
    assert scribe.asked == []
    assert plan.changes == Tier1().plan(context, Budget()).changes
    # Each turn: "Row n:" 2, 100, the call's arguments 1, "weft" 1, "Done." 1.
    assert plan.notes == ("tier1 was enough: 420 tokens of 500",)


def test_A30_the_trigger_that_is_just_met_is_not_passed():
    scribe = Scribe()
    planned(turns(4).context(settings={"trigger_tokens": 420}), scribe)
    assert scribe.asked == []
    planned(turns(4).context(settings={"trigger_tokens": 419}), scribe)
    assert len(scribe.asked) == 1


def test_A31_the_oldest_whole_turns_but_the_first_request_are_what_is_summarized():
    talk = turns(4)
    scribe = Scribe()
    context = talk.context(settings={"trigger_tokens": 100})
    after = apply(planned(context, scribe), context.items)
    assert [item.kind for item in after] == [
        "user_text",
        "compaction_summary",
        "user_text",
        "tool_call",
        "tool_result",
        "assistant_text",
    ]
    assert (after[0], after[2:]) == (talk.items[0], tuple(talk.items[12:]))
    assert scribe.asked[0].items == tuple(talk.items[1:12])


def test_A31_no_more_turns_are_taken_than_the_target_needs():
    talk = turns(6, words=2_000)
    scribe = Scribe()
    settings = {"trigger_tokens": 10_000, "target_tokens": 9_000}
    planned(talk.context(settings=settings), scribe)
    # 12,030 tokens and room of 2,048 for the summary: 5,078 must go. Of the first turn 3 may, so three of 2,005 must follow.
    assert scribe.asked[0].items == tuple(talk.items[1:16])


def test_A31_a_call_and_its_result_are_never_parted():
    talk = Talk().user("Weave.").call("Task", None, prompt="Dye the yarn.").say("warp " * 50)
    call = talk.items[1]
    talk.user("And?")._add(ItemKind.TOOL_RESULT, "Dyed.", call_id=call.call_id).user("Good.")
    # A target that is met at once: the span ends before "And?", where the call still waits.
    context = talk.context(settings={"trigger_tokens": 20, "target_tokens": 10_000})
    after = apply(planned(context, Scribe("Goal: x")), context.items)
    assert [item.kind for item in after] == [
        "user_text", "tool_call", "compaction_summary", "user_text", "tool_result", "user_text",
    ]  # fmt: skip
    assert after[1] is call


def test_A31_one_turn_is_no_whole_turn_before_the_last():
    plan = planned(turns(1, words=300).context(settings={"trigger_tokens": 100}), Scribe())
    assert (plan.changes, plan.notes) == ((), ("not applicable: no whole turn before the last one is left",))


def test_A31_what_another_program_summarized_stays_and_is_not_read_again():
    talk = Talk().summary("Claude's own: we wove the border.").user("Go on.")
    for at in range(3):
        talk.say("word " * 60).user(f"Row {at}.")
    scribe = Scribe()
    talk.summary("And another one.").say("word " * 60).user("Last.")
    context = talk.context(settings={"trigger_tokens": 50})
    after = apply(planned(context, scribe), context.items)
    assert [item.text for item in summaries(after) if item in talk.items] == [
        "Claude's own: we wove the border.",
        "And another one.",
    ]
    assert summaries(scribe.asked[0].items) == []


def test_A33_by_rule_each_field_holds_what_it_is_for():
    talk = Talk().user("Weave the border. You must never cut the warp.")
    talk.call("Read", "old", file_path="looms/a.py").call("Edit", "ok", file_path="looms/a.py", old_string="a", new_string="b")
    talk.call("TodoWrite", "ok", todos=[{"content": "Warp", "status": "completed"}, {"content": "Hem it", "status": "pending"}])
    talk.say("I use linen rather than wool, because it shrinks less.").user("Now the hem, as I drew it.").say("word " * 200)
    talk.user("Thanks.")
    context = talk.context(settings={"trigger_tokens": 20})
    (summary,) = summaries(apply(Tier2().plan(context, Budget()), context.items))
    # The first request is no part of what is summarized: it stays.
    assert summary.text == "\n".join(
        [
            "[Summary]",
            "Goal: Now the hem, as I drew it.",
            "Constraints:",
            "Progress:",
            "- Warp",
            "- changed looms/a.py, last in turn 1",
            "Key Decisions: I use linen rather than wool, because it shrinks less.",
            "Next Steps: Hem it",
            "",
            "[File Tracking]",
            "Read: looms/a.py",
            "Modified: looms/a.py",
        ]
    )


def test_A35_the_prompt_is_the_one_that_was_published():
    scribe = Scribe()
    planned(turns(3).context(settings={"trigger_tokens": 100}), scribe)
    start = (
        "Please summarize the following conversation segment into a structured format.\n"
        "Fields: Goal, Constraints, Progress, Key Decisions, Next Steps.\n\nConversation content:\nTool call (Read): "
    )
    assert scribe.asked[0].prompt.startswith(start)


def test_A36_what_came_since_the_last_summary_is_summarized_and_merged_and_no_summary_is_read():
    context = turns(3).context(settings={"trigger_tokens": 100})
    once = apply(planned(context, Scribe()), context.items)
    talk = Talk(items=list(once), turn=3)
    for at in range(3, 6):
        talk.user(f"Row {at}: " + "warp " * 100).say(f"Wove {at}.")
    scribe = Scribe("Goal: Hem\nConstraints: never CUT the warp\nProgress: Row 4\nKey Decisions:\nNext Steps:")
    again = talk.context(settings={"trigger_tokens": 100})
    (summary,) = summaries(apply(planned(again, scribe), again.items))
    assert summary.text.startswith(
        "[Summary]\nGoal:\n- Hem\n- before: Weave\nConstraints: Never cut the warp\nProgress:\n- Row 0\n- Row 4\n"
        "Key Decisions: Linen\nNext Steps:\n"
    )
    assert summaries(scribe.asked[0].items) == []
    assert scribe.asked[0].items[0].text.startswith("Row 2:")


def test_A41_a_summary_that_is_no_smaller_is_refused():
    context = turns(3).context(settings={"trigger_tokens": 100})
    plan = planned(context, Scribe("Goal: " + "warp " * 500))
    assert plan.changes == ()
    assert plan.notes == ("fell back to tier1: the summary is no smaller than its turns",)


def test_A41_freed_is_the_turns_less_the_summary():
    context = turns(4).context(settings={"trigger_tokens": 100})
    done = outcome(planned(context, Scribe()), context)
    (summary,) = summaries(done.view)
    # The first request (102), the summary and the last turn (105) are left of 420.
    assert done.freed == 420 - 102 - 105 - len(summary.text.split())


@pytest.mark.parametrize("answer", ["", "  \n", "I am sorry, I cannot do that."])
def test_A42_an_answer_that_is_no_summary_leaves_the_first_tier(answer: str):
    context = turns(3).think("Hm.").context(settings={"trigger_tokens": 100})
    plan = planned(context, Scribe(answer))
    assert plan.changes == Tier1().plan(context, Budget()).changes != ()
    assert plan.notes[0].startswith("fell back to tier1, to be tried again next time: ")


def test_A42_a_model_that_is_down_leaves_the_first_tier_and_is_asked_again_next_time():
    broken = Broken()
    policy = Tier2(broken)
    context = turns(3).context(settings={"trigger_tokens": 100})
    notes = {policy.plan(context, Budget()).notes for _ in range(5)}
    assert notes == {("fell back to tier1, to be tried again next time: TimeoutError: no answer in 30 s",)}
    assert len(broken.asked) == 5


def test_A42_after_three_failures_in_a_row_a_circuit_asks_no_more_and_the_first_tier_stands():
    broken = Broken()
    policy = Tier2(Circuit(broken))
    context = turns(3).context(settings={"trigger_tokens": 100})
    notes = [policy.plan(context, Budget()).notes[0] for _ in range(4)]
    assert len(broken.asked) == 3
    assert notes[3].endswith("not asked: it failed 3 times in a row")


def test_A42_one_success_closes_the_circuit():
    class Moody(Scribe):
        def __call__(self, request: Ask) -> str:
            super().__call__(request)
            if len(self.asked) % 3:
                raise ConnectionError
            return self.answer

    circuit = Circuit(Moody())
    request = Ask((), "", len)
    for _ in range(9):
        try:
            circuit(request)
        except SummaryError:
            continue
    assert circuit.failures == 0


def test_A43_what_was_claimed_is_kept_beside_and_nothing_goes_by_it():
    assert (Tier1.claim, Tier2.claim) == ("30 to 50 %", "70 to 80 %")


def test_A71_the_reason_of_a_decision_is_kept_with_it():
    talk = Talk().user("Weave.").say("I chose linen because wool shrinks in the dye bath. " + "Then on. " * 80).user("Go on.")
    context = talk.say("Done.").user("Good.").context(settings={"trigger_tokens": 30})
    (summary,) = summaries(apply(Tier2().plan(context, Budget()), context.items))
    assert "Key Decisions: I chose linen because wool shrinks in the dye bath." in summary.text


def test_a_window_takes_the_place_of_the_trigger():
    scribe = Scribe()
    planned(turns(4).context(), scribe, Budget(window=419))
    assert len(scribe.asked) == 1


def test_what_is_gone_stands_in_the_summary():
    context = turns(3).context(settings={"trigger_tokens": 100})
    plan = planned(context, Scribe())
    (insert,) = plan.inserts
    gone = {change.position for change in plan.changes if change.disposition == Disposition.SUMMARIZED}
    assert set(insert.sources) == gone
