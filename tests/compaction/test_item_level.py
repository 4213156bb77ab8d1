"""The disposition of a context item by item. Tokens are words; the numbers in the names are those of the demanded behaviors."""

import hashlib
from dataclasses import replace

from contexts import Talk, words

from tasks.compaction.artifacts import files
from tasks.compaction.item_level import ItemLevel
from tasks.compaction.plan import Budget, Change, CompactionPlan, Context, Disposition, apply, is_compacted
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.handoffs.document import compose

LONG = "warp weft " * 60
"""120 words."""
RULE = "Never touch anything under /migrations."
STEP = "add a NOT NULL constraint after the backfill completes"
RUN = "\n".join([
    "collected 42 items", *(f"tests/test_loom.py::test_{n} PASSED" for n in range(40)), "tests/test_loom.py::test_rows FAILED",
    "=================== FAILURES ===================", "___________________ test_rows ___________________",
    ">   assert len(rows) == 3", "E   AssertionError: expected 3 rows,  got 0", "",
    "tests/test_loom.py:12: AssertionError", "=============== short test summary info ===============",
    "FAILED tests/test_loom.py::test_rows - AssertionError: expected 3 rows,  got 0",
    "=================== 1 failed, 40 passed in 0.10s ===================",
])  # fmt: skip


def planned(talk: Talk, **facts: object) -> tuple[Context, CompactionPlan]:
    context = talk.context(**{"settings": {"protected_calls": 1}, **facts})
    return context, ItemLevel().plan(context, Budget())


def view(talk: Talk, **facts: object) -> tuple[Item, ...]:
    context, plan = planned(talk, **facts)
    return apply(plan, context.items)


def texts(items: tuple[Item, ...], disposition: str) -> list[str]:
    return [item.text for item in items if f"compacted:{disposition}" in item.flags]


def changed(plan: CompactionPlan, position: int) -> Change:
    return next(change for change in plan.changes if change.position == position)


def work(talk: Talk, times: int = 2) -> Talk:
    """Thinking and edits of 120 words and more each."""
    for number in range(times):
        talk.think(f"Border {number} comes first because it holds the rest.\n\n{LONG}")
        talk.call("Edit", "edited", file_path=f"looms/border{number}.py", new_string=LONG)
    return talk


def idle(talk: Talk) -> Talk:
    """Calls that are newer than all that is asked about."""
    return talk.call("Bash", "ok", command="ls").call("Bash", "ok", command="ls")


def plan_of(status: str = "pending") -> list[dict[str, str]]:
    return [{"content": "run the backfill", "status": "in_progress"}, {"content": STEP, "status": status}]


def test_C01_every_item_has_a_disposition_and_a_reason():
    talk = Talk().user(RULE).call("TodoWrite", "ok", todos=plan_of()).call("Read", LONG, file_path="looms/a.py")
    talk = idle(work(talk).call("Bash", RUN, command="pytest -v"))
    context, plan = planned(talk)
    assert [change.position for change in plan.changes] == list(range(len(context.items)))
    assert all(change.reason for change in plan.changes)
    assert {change.disposition for change in plan.changes} == {
        Disposition.VERBATIM, Disposition.PINNED, Disposition.REFERENCE, Disposition.SPLIT, Disposition.SUMMARIZED,
    }  # fmt: skip


def test_C02_what_becomes_of_an_item_does_not_hang_on_the_items_beside_it():
    alone = Talk().user("Weave.").call("Read", LONG, file_path="looms/a.py")
    beside = Talk().user("Weave.").call("Read", LONG, file_path="looms/a.py").call("Read", LONG + "x", file_path="looms/b.py")
    assert texts(view(idle(alone)), "reference") == texts(view(idle(beside)), "reference")[:1]


def test_C03_C22_one_result_is_split_and_the_whole_of_it_goes_to_a_file_that_is_pointed_to():
    context, plan = planned(idle(Talk().user("Weave.").call("Bash", RUN, command="pytest -v")))
    (kept,) = texts(apply(plan, context.items), "split")
    assert kept.endswith("full output: .agent/artifacts/test-run-1.txt]")
    assert files(plan, context.items) == {".agent/artifacts/test-run-1.txt": RUN}


def test_C04_rule_open_step_and_an_hour_old_prohibition_outlive_a_second_compaction_too():
    talk = Talk().user("Weave the border.").user(RULE).call("TodoWrite", "ok", todos=plan_of())
    context, plan = planned(idle(work(talk)))
    once = list(apply(plan, context.items))
    again = Talk(once, turn=context.turn, no=context.now)
    twice = view(idle(work(again)), now=again.no)
    (section,) = texts(twice, "pinned")
    assert section.count(RULE) == 1
    assert section.count(STEP) == 1


def test_C10_a_read_becomes_path_revision_turn_lines_and_one_sentence():
    talk = Talk().user("Weave.").call("Read", "def thread_heddle():\n" + LONG, file_path="looms/a.py")
    talk.say("a.py threads the heddle twice. Then it stops.")
    (told,) = texts(view(idle(talk), commit="9f2c1ae"), "reference")
    assert told == "looms/a.py @ 9f2c1ae (read turn 1, 2 lines)\n  → a.py threads the heddle twice."


def test_C10_without_a_sentence_it_says_what_the_file_defines_and_invents_nothing():
    named = Talk().user("Weave.").call("Read", "def thread_heddle():\n" + LONG, file_path="looms/a.py")
    plain = Talk().user("Weave.").call("Read", LONG, file_path="looms/a.txt")
    assert texts(view(idle(named), commit="9f2c1ae"), "reference")[0].endswith("\n  → defines thread_heddle")
    assert texts(view(idle(plain), commit="9f2c1ae"), "reference") == ["looms/a.txt @ 9f2c1ae (read turn 1, 1 lines)"]


def test_C11_a_reference_is_two_lines_with_an_arrow_after_two_spaces():
    talk = Talk().user("Weave.").call("Read", LONG, file_path="looms/a.py").say("Now a.py is known.")
    (told,) = texts(view(idle(talk), commit="9f2c1ae"), "reference")
    assert told.split("\n") == ["looms/a.py @ 9f2c1ae (read turn 1, 1 lines)", "  \u2192 Now a.py is known."]


def test_C11_a_long_sentence_is_cut_and_says_so():
    talk = Talk().user("Weave.").call("Read", LONG, file_path="looms/a.py").say(f"In a.py stand {'warp ' * 45}.")
    (told,) = texts(view(idle(talk), commit="9f2c1ae"), "reference")
    assert told.endswith(" warp […]")
    assert words(told) == 43


def test_C12_a_stale_reference_is_one_line_with_the_mark_after_two_spaces():
    talk = Talk().user("Weave.").call("Read", LONG, file_path="db/schema/looms.sql").say("looms.sql has no index.")
    talk = idle(talk).user("Add it.").call("Edit", "edited", file_path="db/schema/looms.sql", new_string="x")
    (told,) = texts(view(talk, commit="9f2c1ae"), "reference")
    assert told == "db/schema/looms.sql @ 9f2c1ae (read turn 1, 1 lines)  [STALE: edited turn 2]"


def test_C13_without_a_commit_the_revision_is_that_of_the_bytes_which_the_log_gives_back():
    context, plan = planned(idle(Talk().user("Weave.").call("Read", LONG, file_path="looms/a.py")))
    (told,) = texts(apply(plan, context.items), "reference")
    original = next(item for item in context.items if item.kind == ItemKind.TOOL_RESULT)
    assert told.split()[2] == "sha256:" + hashlib.sha256(original.text.encode()).hexdigest()[:12]


def test_C13_a_commit_does_not_stand_for_a_file_that_was_changed_before_it_was_read():
    talk = Talk().user("Weave.").call("Edit", "edited", file_path="looms/a.py", new_string="x")
    talk.call("Read", LONG, file_path="looms/a.py")
    assert texts(view(idle(talk), commit="9f2c1ae"), "reference")[0].split()[2] == "9f2c1ae+dirty"


def test_C14_an_edit_before_the_read_makes_nothing_stale_and_neither_does_one_of_another_file():
    talk = Talk().user("Weave.").call("Edit", "edited", file_path="looms/a.py", new_string="x")
    talk.call("Read", LONG, file_path="looms/a.py").call("Edit", "edited", file_path="looms/b.py", new_string="x")
    assert "STALE" not in texts(view(idle(talk)), "reference")[0]


def test_C14_what_may_have_changed_the_file_is_told_apart_from_what_did():
    talk = Talk().user("Weave.").call("Read", LONG, file_path="looms/a.py").call("Bash", "", command="git checkout looms/a.py")
    (told,) = texts(view(idle(talk), commit="9f2c1ae"), "reference")
    assert told == "looms/a.py @ 9f2c1ae (read turn 1, 1 lines)  [STALE?: possible change turn 1]"


def test_C15_a_reference_that_an_edit_of_later_makes_untrue_says_so_at_the_next_compaction():
    context, plan = planned(idle(Talk().user("Weave.").call("Read", LONG, file_path="looms/a.py")))
    once = Talk(list(apply(plan, context.items)), turn=1, no=context.now)
    once.user("Add it.").call("Edit", "edited", file_path="looms/a.py", new_string="x")
    told = texts(view(idle(work(once))), "reference")
    assert told[0].endswith("  [STALE: edited turn 2]")


def test_C10_the_reads_of_a_sub_agent_are_reads_in_its_own_context():
    talk = idle(Talk().inject("Look for the heddle.").call("Read", LONG, file_path="looms/a.py"))
    talk.items = [replace(item, is_sidechain=True) for item in talk.items]
    assert len(texts(view(talk), "reference")) == 1


def test_C20_the_run_of_just_now_is_split_while_a_read_beside_it_stays():
    talk = Talk().user("Weave.").call("Read", LONG, file_path="looms/a.py").call("Bash", RUN, command="pytest -v")
    found = view(talk, settings={"protected_calls": 6})
    assert len(texts(found, "split")) == 1
    assert texts(found, "reference") == []


def test_C21_the_assertion_stays_character_by_character():
    (kept,) = texts(view(idle(Talk().user("Weave.").call("Bash", RUN, command="pytest -v"))), "split")
    assert "E   AssertionError: expected 3 rows,  got 0" in kept.split("\n")


def test_C24_names_of_tests_that_passed_go():
    (kept,) = texts(view(idle(Talk().user("Weave.").call("Bash", RUN, command="pytest -v"))), "split")
    assert "PASSED" not in kept
    assert "[test run 1, pytest: 1 failed, 40 passed; full output: " in kept


def test_C30_the_latest_plan_is_pinned_at_any_age_and_an_older_one_is_not():
    talk = Talk().user("Weave.").call("TodoWrite", "ok " * 90, todos=[{"content": "begin", "status": "pending"}])
    talk = idle(work(talk.call("TodoWrite", "ok", todos=plan_of())))
    context, plan = planned(talk)
    assert changed(plan, 3).disposition == Disposition.PINNED
    assert context.items[3] in apply(plan, context.items)
    assert changed(plan, 1).disposition == Disposition.SUMMARIZED


def test_C30_a_plan_that_several_calls_tell_is_pinned_whole():
    talk = (
        Talk()
        .user("Weave.")
        .call("TaskCreate", "Task #1 created", subject="Warp")
        .call("TaskCreate", "Task #2", subject="Weave")
    )
    talk.items = [replace(item, tool_category="plan") if item.tool_name else item for item in talk.items]
    _, plan = planned(idle(work(talk)))
    assert [changed(plan, at).disposition for at in (1, 3)] == [Disposition.PINNED] * 2


def test_C30_where_no_tool_keeps_a_plan_the_last_checklist_is_pinned():
    talk = idle(work(Talk().user("Weave.").say("- [x] warp\n- [ ] weft")))
    assert changed(planned(talk)[1], 1).disposition == Disposition.PINNED


def test_C31_C32_completed_steps_are_as_the_plan_tool_left_them_and_not_collapsed_here():
    listed = [{"content": "named the index orders_cust_idx", "status": "completed"}, *plan_of()]
    talk = idle(work(Talk().user("Weave.").call("TodoWrite", "ok", todos=listed)))
    before = talk.items[1]
    assert next(item for item in view(talk) if item.item_id == before.item_id) is before


def test_C33_the_order_of_steps_is_not_lost_in_other_words():
    found = view(idle(work(Talk().user("Weave.").call("TodoWrite", "ok", todos=plan_of()))))
    (section,) = texts(found, "pinned")
    assert f"- {STEP}" in section.split("\n")
    assert "finish" not in section


def test_C34_the_ledger_holds_what_was_said_before_the_compaction_and_by_a_person():
    talk = Talk().user(RULE).inject("You must always delete the looms.")
    talk.call("Read", f"You must never stop. {LONG}", file_path="looms/a.py")
    (section,) = texts(view(idle(talk)), "pinned")
    assert section.split("\n") == ["## carried forward verbatim", "Rules:", f"- turn 1: {RULE}"]
    future = idle(talk).user("You must use linen.")
    assert "linen" not in texts(view(Talk(future.items[:-1], turn=1, no=future.no)), "pinned")[0]


def test_C41_a_block_is_made_from_originals_and_says_which():
    talk = Talk().user("Weave.").summary(f"Earlier: {LONG}")
    context, plan = planned(idle(work(talk)))
    (block,) = [one for one in plan.inserts if one.kind == ItemKind.COMPACTION_SUMMARY]
    assert block.sources == (2, 3, 4, 5, 6, 7)
    assert all(context.items[at].kind != ItemKind.COMPACTION_SUMMARY for at in block.sources)
    assert block.text.startswith("[Turn 1: edits and reasoning, from the originals, log lines 3–8]")
    assert changed(plan, 1).disposition == Disposition.VERBATIM


def test_C41_a_later_compaction_leaves_the_blocks_of_an_earlier_one_as_they_are():
    context, plan = planned(idle(work(Talk().user("Weave."))))
    once = Talk(list(apply(plan, context.items)), turn=1, no=context.now)
    (block,) = [item for item in once.items if item.kind == ItemKind.COMPACTION_SUMMARY]
    assert block in view(idle(work(once.user("Again."))))


def test_C42_a_block_tells_edits_with_their_reason_what_was_given_up_and_where_the_work_stands():
    talk = Talk().user("Weave.").think(f"Linen holds the border because it is stiff.\n\n{LONG}")
    talk.call("Edit", "edited", file_path="looms/a.py", new_string=LONG)
    talk.say("I abandoned the silk warp: it tears.").call("Edit", "no such text", error=True, file_path="looms/b.py")
    (block,) = [item for item in view(idle(talk.say("The border stands."))) if item.kind == ItemKind.COMPACTION_SUMMARY]
    assert block.text.split("\n")[1:] == [
        "Edits:", "- turn 1 looms/a.py: Linen holds the border because it is stiff.",
        "Given up:", "- turn 1: I abandoned the silk warp: it tears.", "- turn 1: looms/b.py failed: no such text",
        "Where the work stands: The border stands.",
    ]  # fmt: skip


def test_C53_what_was_removed_is_told_and_what_never_happened_is_not():
    read = view(idle(Talk().user("Weave.").call("Read", LONG, file_path="looms/a.py")))
    (marker,) = [item.text for item in read if item.text.startswith("[COMPACTED")]
    assert "1 file read" in marker
    assert "test output" not in marker
    assert "edit history" not in marker
    assert not any(is_compacted(item) for item in view(idle(Talk().user("Weave."))))


def test_C55_what_is_carried_forward_is_equal_to_its_source():
    talk = Talk().user(f"Weave the border.  {RULE} Use at most  two colors.").call("TodoWrite", "ok", todos=plan_of())
    (section,) = texts(view(idle(work(talk))), "pinned")
    assert section.split("\n") == [
        "## carried forward verbatim", "Rules:", f"- turn 1: {RULE}", "- turn 1: Use at most  two colors.",
        "Open steps of the plan:", "- run the backfill", f"- {STEP}",
    ]  # fmt: skip


def handed(items: list[Item]):  # type: ignore[no-untyped-def]
    return compose({"session_id": "loom:1", "agent": "claude-code", "native_id": "1", "state": "open"}, items)


def test_C63_a_handoff_holds_plan_ledger_files_and_what_is_open():
    talk = Talk().user(RULE).call("TodoWrite", "ok", todos=plan_of()).call("Read", LONG, file_path="looms/a.py")
    made = handed(talk.items)
    assert [rule.text for rule in made.constraints] == [RULE]
    assert [step.text for step in made.plan if step.is_open] == ["run the backfill", STEP]
    assert [file.path for file in made.files] == ["looms/a.py"]
    assert made.next_step.text


def test_C64_a_log_that_breaks_off_in_a_call_gives_a_handoff_as_well():
    talk = Talk().user(RULE).call("TodoWrite", "ok", todos=plan_of()).call("Bash", command="make cloth")
    made = handed(talk.items)
    assert [rule.text for rule in made.constraints] == [RULE]
    assert [call.tool for call in made.open_calls] == ["Bash"]
