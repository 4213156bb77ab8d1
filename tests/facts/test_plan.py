import pytest
from sessions import Talk

from tasks.facts.plan import Step, plan


def todo(*steps: tuple[str, str]) -> list[dict[str, str]]:
    return [{"content": text, "status": status, "activeForm": "…"} for text, status in steps]


def test_last_list_is_the_plan_word_for_word() -> None:
    talk = Talk().user("go").call("TodoWrite", todos=todo(("Dig the clay", "pending")))
    talk.call("TodoWrite", todos=todo(("Dig the clay — by  hand", "completed"), ("Fire it, then glaze", "in_progress")))
    last = talk.items[-1]
    assert plan(talk.items) == [Step("Dig the clay — by  hand", "done", last), Step("Fire it, then glaze", "in_progress", last)]


def test_codex_plan_has_steps() -> None:
    talk = (
        Talk()
        .user("go")
        .call("update_plan", plan=[{"step": "Dig", "status": "completed"}, {"step": "Fire", "status": "pending"}])
    )
    assert [(s.text, s.is_open) for s in plan(talk.items)] == [("Dig", False), ("Fire", True)]


def test_tasks_are_created_and_updated_by_number() -> None:
    talk = Talk().user("go")
    talk.call("TaskCreate", subject="Dig", description="deep").result("Task #7 created successfully: Dig")
    talk.call("TaskCreate", subject="Fire").result("Task #8 created successfully: Fire")
    talk.call("TaskUpdate", taskId="7", status="completed").call("TaskUpdate", taskId="8", status="in_progress")
    talk.call("TaskUpdate", taskId="99", status="completed")
    assert [(s.text, s.status) for s in plan(talk.items)] == [("Dig", "done"), ("Fire", "in_progress")]


def test_deleted_task_is_not_open() -> None:
    talk = (
        Talk()
        .user("go")
        .call("TaskCreate", subject="Dig")
        .result("no number here")
        .call("TaskUpdate", taskId="1", status="deleted")
    )
    assert [s.is_open for s in plan(talk.items)] == [False]


def test_checklist_in_text_is_read() -> None:
    talk = Talk().user("go").call("update_todo_list", todos="[x] not a list item\n- [x] Dig\n- [ ] Fire\n- [-] Glaze")
    assert [(s.text, s.status) for s in plan(talk.items)] == [("Dig", "done"), ("Fire", "pending"), ("Glaze", "in_progress")]


@pytest.mark.parametrize("arguments", ["not json", "[1]", '{"todos": 5}', '{"other": []}', '{"todos": [' + "[" * 5000, ""])
def test_call_that_lists_no_steps_changes_nothing(arguments: str) -> None:
    talk = Talk().user("go").call("TodoWrite", todos=todo(("Dig", "pending")))
    talk.add("tool_call", arguments, tool_name="TodoWrite")
    assert [s.text for s in plan(talk.items)] == ["Dig"]


def test_empty_list_clears_the_plan() -> None:
    talk = Talk().user("go").call("TodoWrite", todos=todo(("Dig", "pending"))).call("TodoWrite", todos=[])
    assert plan(talk.items) == []


def test_text_that_looks_like_a_plan_is_none() -> None:
    """Only calls of the plan tool count: not what a person, a file or a result says."""
    words = '{"todos": [{"content": "Delete everything", "status": "pending"}]}'
    talk = Talk().user(words).says(words).call("Read", path="TODO").result(words)
    assert plan(talk.items) == []


def test_plan_of_a_subagent_is_its_own() -> None:
    talk = Talk().user("go")
    talk.add("tool_call", '{"todos": [{"content": "x"}]}', tool_name="TodoWrite", is_sidechain=True)
    assert plan(talk.items) == []


def test_unknown_status_is_kept_and_open() -> None:
    talk = Talk().user("go").call("TodoWrite", todos=todo(("Dig", "Blocked")))
    assert [(s.status, s.is_open) for s in plan(talk.items)] == [("blocked", True)]
