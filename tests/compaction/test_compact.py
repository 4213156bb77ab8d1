"""yoi's second phase, and its log."""

import pytest
from contexts import Talk

from tasks.compaction.compact import PREFIX, SYSTEM_PROMPT, Compact
from tasks.compaction.history import Compacted, Event, after_run, collect_state
from tasks.compaction.plan import Budget, CompactionPlan, Context, apply
from tasks.compaction.summarizer import Ask, Summarizer
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind


def turns(number: int) -> Talk:
    talk = Talk()
    for at in range(number):
        talk.user(f"Row {at}: " + "warp " * 50).call("Read", "weft", file_path=f"{at}.py").say("Done.")
    return talk


def compacted(talk: Talk, summarize: Summarizer = lambda _: "We wove.", **settings: object) -> tuple[Item, ...]:
    context = talk.context(settings=settings)
    return apply(Compact(summarize).plan(context, Budget()), context.items)


def broken(_: Ask) -> str:
    raise ConnectionError("model unavailable")


@pytest.mark.parametrize("number", [0, 1, 2])
def test_B24_no_more_turns_than_are_retained_is_no_change_and_no_failure(number: int):
    talk = turns(number)
    plan = Compact(broken).plan(talk.context(), Budget())
    assert (plan.changes, plan.inserts) == ((), ())
    assert plan.notes == ("CompactionSkipped: no more than 2 turns, and that many are retained",)


def test_B25_old_and_recent_together_are_the_history():
    talk = turns(5)
    context = talk.context()
    plan = Compact(lambda _: "We wove.").plan(context, Budget())
    old = [context.items[change.position] for change in plan.changes]
    assert (*old, *apply(plan, context.items)[1:]) == context.items
    assert len(old) == 3 * 4


def test_B25_with_no_retained_turn_all_is_old():
    assert [item.kind for item in compacted(turns(2), retained_turns=0)] == ["compaction_summary"]


def test_B26_the_summarizer_gets_no_tools_2048_tokens_and_temperature_0():
    asked: list[Ask] = []
    compacted(turns(3), lambda request: asked.append(request) or "We wove.")
    (request,) = asked
    assert (request.tools, request.max_tokens, request.temperature) == ((), 2_048, 0.0)
    assert request.system == SYSTEM_PROMPT
    assert request.items == tuple(turns(3).items[:4])
    assert request.prompt.startswith("User: Row 0: warp")


def test_B27_the_summary_is_the_last_thing_that_the_summarizer_said():
    assert compacted(turns(3), lambda _: "  We wove.\n")[0].text.endswith("\n\nWe wove.")


def test_B28_the_summary_stands_first_as_a_message_to_the_model_and_is_no_word_of_a_person():
    first = compacted(turns(3))[0]
    assert first.text == "[Compaction Summary \u2014 previous conversation condensed]\n\nWe wove."
    assert (first.role, first.kind) == ("user", ItemKind.COMPACTION_SUMMARY)


def test_B28_a_summary_is_no_turn():
    once = compacted(turns(4))
    assert compacted(Talk(items=list(once), turn=4)) == once


def test_B29_the_last_turns_follow_as_they_were():
    talk = turns(5)
    assert compacted(talk)[1:] == tuple(talk.items[12:])


def test_B29_the_systems_words_stay_in_front():
    talk = Talk()._add(ItemKind.SYSTEM, "You weave.")
    talk.items += turns(3).items
    assert [item.kind for item in compacted(talk)[:3]] == ["system", "compaction_summary", "user_text"]


@pytest.mark.parametrize("summarize", [broken, lambda _: "", lambda _: "warp " * 500], ids=["down", "empty", "larger"])
def test_B30_without_a_summary_the_old_history_stays(summarize: Summarizer):
    talk = turns(4)
    assert compacted(talk, summarize) == tuple(talk.items)


@pytest.mark.parametrize("summarize", [broken, lambda _: "", lambda _: "We wove."], ids=["down", "empty", "well"])
def test_B30_no_view_ever_says_that_the_compaction_failed(summarize: Summarizer):
    assert all("[compaction failed]" not in item.text for item in compacted(turns(4), summarize))


def test_B31_a_failure_is_told_and_the_next_run_tries_again():
    context = turns(4).context()
    note = "CompactionFailed: Compaction failed, continuing without: ConnectionError: model unavailable"
    answers = iter(["", "We wove."])
    policy = Compact(lambda _: next(answers))
    assert Compact(broken).plan(context, Budget()).notes == (note,)
    assert policy.plan(context, Budget()).changes == ()
    assert policy.plan(context, Budget()).changes != ()


def test_B32_the_prompt_names_the_four_sections_and_asks_for_precision():
    sections = [line for line in SYSTEM_PROMPT.split("\n") if line.startswith("## ")]
    assert sections == ["## Original Task", "## Completed Work", "## Key Discoveries", "## Current State"]
    assert SYSTEM_PROMPT.endswith(
        "Be precise about file paths, function names, and technical details.\nOmit pleasantries and conversational filler.\n"
    )


def test_B32_by_rule_the_sections_hold_task_work_rules_and_state():
    talk = Talk().user("Weave the border. You must never cut the warp.")
    talk.call("Edit", "ok", file_path="looms/a.py", old_string="a", new_string="b").say("warp " * 80)
    talk.call("TodoWrite", "ok", todos=[{"content": "Hem it", "status": "pending"}]).user("Go on.").user("Good.", turn=9)
    context = talk.say("Yes.").user("More.").context()
    first = apply(Compact().plan(context, Budget()), context.items)[0]
    assert first.text == PREFIX + "\n".join(
        [
            "## Original Task",
            "Weave the border. You must never cut the warp.",
            "",
            "## Completed Work",
            "- changed looms/a.py, last in turn 1",
            "",
            "## Key Discoveries",
            "- You must never cut the warp.",
            "",
            "## Current State",
            "- changed files: looms/a.py",
            "- open: Hem it",
        ]
    )


def test_B32_by_rule_what_an_earlier_summary_said_is_carried_on_within_2048_tokens():
    work = "\n".join(f"- wove row {at} " + "weft " * 40 for at in range(100))
    talk = Talk().summary(f"{PREFIX}## Original Task\nWeave.\n\n## Completed Work\n{work}\n\n## Current State\n- open: hem")
    talk.items += turns(3).items
    text = compacted(talk, Compact()._summarize)[0].text
    assert text.startswith(f"{PREFIX}## Original Task\nWeave.\n")
    assert "wove row 99 " in text
    assert "wove row 0 " not in text
    assert len(text.removeprefix(PREFIX).split()) <= 2_048


def test_a_history_larger_than_a_request_is_asked_for_in_parts_and_that_is_told():
    talk = Talk()
    for at in range(3):
        talk.user(f"Row {at}").say("warp", tokens=60_000)
    asked: list[Ask] = []
    plan = Compact(lambda request: asked.append(request) or "We wove.").plan(
        talk.user("a").user("b", turn=9).context(), Budget()
    )
    assert [[item.text for item in request.items] for request in asked] == [
        ["Row 0", "warp", "Row 1"],
        ["warp", "Row 2"],
        ["warp"],
    ]
    assert any("asked for in parts" in note for note in plan.notes)


def test_a_call_that_still_waits_for_its_result_stays():
    talk = Talk().user("Dye. " + "warp " * 50).call("Task", None, prompt="Dye.").user("And?")
    call = talk.items[1]
    talk._add(ItemKind.TOOL_RESULT, "Dyed.", call_id=call.call_id).user("Good.")
    assert [item.kind for item in compacted(talk)] == [
        "compaction_summary",
        "tool_call",
        "user_text",
        "tool_result",
        "user_text",
    ]


def test_summarizing_a_summary_is_told():
    talk = Talk().summary(PREFIX + "## Original Task\nWeave.")
    talk.items += turns(3).items
    notes = Compact(lambda _: "We wove.").plan(talk.context(), Budget()).notes
    assert "1 earlier summaries were summarized again" in notes


def planned(summarize: Summarizer = lambda _: "We wove."):
    """How an agent asks for a plan of its history."""

    def plan(history: tuple[Item, ...]) -> CompactionPlan:
        return Compact(summarize).plan(Context(history, (1,) * len(history), 2, lambda text: len(text.split())), Budget())

    return plan


def test_B33_the_log_only_grows_and_the_last_compacted_history_counts():
    items = tuple(turns(4).items)
    log, _ = after_run(items, 101, 100, planned(), ts=7)
    assert log[:-1] == items
    assert isinstance(log[-1], Compacted)
    assert (log[-1].ts, collect_state(log)) == (7, log[-1].history)
    later = Talk().user("New.").items[0]
    other = Compacted(8, items[:1])
    assert collect_state((*log, later)) == (*log[-1].history, later)
    assert collect_state((*log, later, other, later)) == (items[0], later)


def test_B34_start_then_done_and_done_only_when_the_log_has_it():
    _, told = after_run(tuple(turns(4).items), 101, 100, planned(), ts=7)
    assert [one.event for one in told] == [Event.START, Event.DONE] == ["CompactionStart", "CompactionDone"]


@pytest.mark.parametrize("summarize", [broken, lambda _: ""], ids=["down", "empty"])
def test_B34_a_failure_is_start_and_failed_and_no_done(summarize: Summarizer):
    items = tuple(turns(4).items)
    log, told = after_run(items, 101, 100, planned(summarize), ts=7)
    assert (log, [one.event for one in told]) == (items, [Event.START, Event.FAILED])


def test_B34_a_plan_that_cannot_be_made_is_a_failure_too():
    def plan(_: tuple[Item, ...]) -> CompactionPlan:
        raise RuntimeError("no memory")

    log, told = after_run(tuple(turns(4).items), 101, 100, plan, ts=7)
    assert ([one.event for one in told], len(log)) == ([Event.START, Event.FAILED], 16)


def test_B34_nothing_to_compact_is_skipped():
    _, told = after_run(tuple(turns(2).items), 101, 100, planned(), ts=7)
    assert [one.event for one in told] == [Event.START, Event.SKIPPED]


@pytest.mark.parametrize(("tokens", "threshold"), [(100, 100), (99, 100), (10**9, None)])
def test_B22_B23_below_the_threshold_and_without_one_nothing_is_told(tokens: int, threshold: int | None):
    items = tuple(turns(4).items)
    assert after_run(items, tokens, threshold, planned(), ts=7) == (items, ())


def test_B35_what_is_logged_has_the_numbers_and_the_words():
    _, (start, failed) = after_run(tuple(turns(4).items), 101, 100, planned(broken), ts=7)
    assert (start.text, start.fields) == ("Triggering context compaction", {"input_tokens": 101, "threshold": 100})
    assert failed.text == "Compaction failed, continuing without"
