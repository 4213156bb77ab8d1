"""Shrinking follows its order, and what must not shrink does not."""

import pytest
from sessions import Talk

from tasks.handoffs.budget import fit
from tasks.handoffs.document import compose
from tasks.handoffs.model import Handoff
from tasks.handoffs.render import markdown

SESSION = {"session_id": "claude-code:1", "agent": "claude-code", "native_id": "1", "state": "open"}


def long_session() -> Talk:
    talk = Talk().user("Design a kiln. Never fire at night. " + "Clay. " * 400)
    talk.call("TodoWrite", todos=[{"content": f"Step {n}", "status": "pending" if n > 30 else "completed"} for n in range(40)])
    for n in range(40):
        talk.result("ok").user(f"Request {n}: " + "more " * 20).call("Read", path=f"/far/read/{n}.py").result("x")
        talk.call("Edit", path=f"/far/edit/{n}.py").result("x")
    talk.call("Bash", command="pytest").result("\n".join(f"E   assert {n}" for n in range(60)) + "\nFAILED a - x\nexit code 1")
    return talk.says("Words. " * 400)


def fitted(budget: int) -> Handoff:
    return fit(compose(SESSION, long_session().items, budget=budget), markdown, lambda text: len(text) // 4)


def test_large_enough_budget_changes_nothing() -> None:
    made = fitted(100_000)
    assert (made.tokens, made.is_over_budget) == (len(markdown(made)) // 4, False)
    assert (len(made.requests), len(made.files), len(made.plan)) == (39, 80, 40)


@pytest.mark.parametrize("budget", [4_000, 3_000, 2_000, 1_700])
def test_document_fits_its_budget(budget: int) -> None:
    made = fitted(budget)
    assert made.tokens <= budget
    assert not made.is_over_budget


@pytest.mark.parametrize("budget", [4_000, 2_000, 100])
def test_constraints_open_steps_and_next_step_never_shrink(budget: int) -> None:
    made, whole = fitted(budget), fitted(100_000)
    assert made.constraints == whole.constraints
    assert [step for step in made.plan if step.is_open] == [step for step in whole.plan if step.is_open]
    assert made.next_step == whole.next_step
    assert made.failure and "FAILED a - x" in made.failure.output


def test_files_only_read_go_before_requests_and_those_before_edited_files() -> None:
    for budget in range(1_000, 6_000, 100):
        made = fitted(budget)
        if len(made.requests) < 39:
            assert all(file.was_edited for file in made.files)
        if sum(file.was_edited for file in made.files) < 40:
            assert made.requests == ()


def test_what_was_left_out_is_said() -> None:
    text = markdown(fitted(1_200))
    assert "more are left out here" in text
    assert "39 older ones are left out here" in text
    assert "more steps are done" in text
    assert "shortened here" in text


def test_requests_shown_and_left_out_are_all_there_were() -> None:
    assert {len(made.requests) + made.requests_left_out for made in map(fitted, range(1_000, 6_000, 500))} == {39}


def test_document_that_cannot_fit_says_so() -> None:
    made = fitted(100)
    assert made.is_over_budget
    assert "Over its budget of 100 tokens" in markdown(made)
