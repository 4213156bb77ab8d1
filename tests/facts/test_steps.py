"""How plans went, and plans in words where no plan tool was used."""

import pytest
from contexts import Talk
from hypothesis import given
from hypothesis import strategies as st

from tasks.facts.checklists import steps_with_status
from tasks.facts.plan import plan
from tasks.facts.steps import history, produced


def todo(talk: Talk, **steps: str) -> Talk:
    return talk.call("TodoWrite", "ok", todos=[{"content": text, "status": status} for text, status in steps.items()])


def kiln() -> Talk:
    talk = todo(Talk().user("go"), Dig="pending", Fire="pending")
    todo(talk, Dig="in_progress", Fire="pending").call("Write", "ok", file_path="pit.py").call("Bash", "1", command="make pit")
    todo(talk, Dig="completed", Fire="in_progress").call("Edit", "ok", file_path="cone.py").call("Read", "x", file_path="a.py")
    return talk


def test_history_tells_every_change_of_a_step_once():
    told = [(change.step, change.before, change.after) for change in history(kiln().items)]
    assert told == [
        ("Dig", "", "pending"), ("Fire", "", "pending"), ("Dig", "pending", "in_progress"), ("Dig", "in_progress", "done"),
        ("Fire", "pending", "in_progress"),
    ]  # fmt: skip


def test_a_step_that_is_gone_was_there():
    talk = todo(todo(Talk().user("go"), Dig="pending"), Fire="pending")
    assert [(c.step, c.before, c.after) for c in history(talk.items)][1:] == [("Fire", "", "pending"), ("Dig", "pending", "")]


def test_a_step_in_other_letters_is_the_same_step():
    talk = todo(todo(Talk().user("go"), dig="pending"), **{"**Dig**.": "completed"})
    assert [(c.before, c.after) for c in history(talk.items)] == [("", "pending"), ("pending", "done")]


def test_a_done_step_produced_what_was_changed_and_run_while_it_was_in_progress():
    (dug,) = produced(kiln().items)
    assert (dug.step.text, dug.files, dug.commands) == ("Dig", ("pit.py",), ("make pit",))


def test_a_step_never_begun_starts_where_the_one_before_it_ended():
    talk = todo(kiln(), Dig="completed", Fire="completed", Glaze="pending").call("Write", "ok", file_path="glaze.py")
    todo(talk, Dig="completed", Fire="completed", Glaze="completed")
    assert [(one.step.text, one.files) for one in produced(talk.items)] == [
        ("Dig", ("pit.py",)), ("Fire", ("cone.py",)), ("Glaze", ("glaze.py",)),
    ]  # fmt: skip


def test_a_step_that_came_done_produced_nothing_that_the_log_tells_of():
    talk = todo(Talk().user("go").call("Write", "ok", file_path="pit.py"), Dig="completed")
    assert [(one.step.text, one.files, one.commands) for one in produced(talk.items)] == [("Dig", (), ())]


LISTS = {
    "- [x] Dig\n- [ ] Fire": "Dig done, Fire pending",
    "1. [x] Dig\n2. [-] Fire": "Dig done, Fire in_progress",
    "1. Dig the clay - done\n2. Fire it (in progress)\n3. Glaze: TODO": "Dig the clay done, Fire it in_progress, Glaze pending",
    "- ✅ Dig\n- ⏳ Fire": "Dig done, Fire in_progress",
    "1. [done] Dig\n2. **Pending**: Fire": "Dig done, Fire pending",
    "1. Dig\n2. Fire": "",
    "- [x] Dig": "",
    "It is done.\nI am done - pending review.": "",
}


@pytest.mark.parametrize("words", LISTS)
def test_a_list_with_status_that_the_agent_says_is_its_plan(words: str):
    steps = plan(Talk().user("go").say(f"The plan:\n\n{words}\n\nOn we go.").items)
    assert ", ".join(f"{step.text} {step.status}" for step in steps) == LISTS[words]


def test_the_same_list_from_a_person_or_a_file_that_was_read_is_no_plan():
    words = "- [x] Dig\n- [ ] Fire"
    assert plan(Talk().user(words).call("Read", words, file_path="PLAN.md").inject(words).items) == []


def test_a_list_in_a_plan_file_that_was_written_is_one_and_in_another_file_is_none():
    words = "# Plan\n- [ ] Dig\n- [ ] Fire\n"
    assert [s.text for s in plan(Talk().user("go").call("Write", "ok", file_path="docs/PLAN.md", content=words).items)] == [
        "Dig",
        "Fire",
    ]
    assert plan(Talk().user("go").call("Write", "ok", file_path="plan.py", content=words).items) == []


def test_a_proposal_lists_what_is_still_to_do():
    talk = Talk().user("go").call("ExitPlanMode", "approved", plan="## Plan\n1. Dig the clay\n2. Fire it\n")
    assert [(step.text, step.status) for step in plan(talk.items)] == [("Dig the clay", "pending"), ("Fire it", "pending")]


def test_part_of_the_list_said_again_changes_these_steps_alone():
    talk = Talk().user("go").say("- [ ] Dig\n- [ ] Fire\n- [ ] Glaze").say("- [x] Dig\n- [x] Fire")
    assert [(step.text, step.status) for step in plan(talk.items)] == [("Dig", "done"), ("Fire", "done"), ("Glaze", "pending")]


def test_plan_tool_goes_before_anything_that_is_said():
    talk = todo(Talk().user("go"), Dig="pending").say("- [x] Dig\n- [x] Fire")
    assert [(step.text, step.status) for step in plan(talk.items)] == [("Dig", "pending")]


@given(
    words=st.lists(
        st.sampled_from(["- [x] ", "1. ", "done", "(", ")", "✅", "\n", " - ", "**", "Dig"]) | st.text(max_size=4)
    ).map("".join)
)
def test_any_text_has_two_steps_or_none(words: str):
    steps = steps_with_status(words)
    assert len(steps) != 1
    assert all(step["content"] for step in steps)
    assert len(produced(Talk().user("go").say(words).items)) <= len(steps)
