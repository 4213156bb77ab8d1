"""What is open stands word for word until it is answered or settled."""

import pytest
from sessions import Talk

from tasks.facts.questions import questions


def told(talk: Talk) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in questions(talk.items)]


def test_question_of_a_person_is_open_until_the_agent_speaks() -> None:
    talk = Talk().user("How hot is the kiln?").call("Read", path="kiln.log").result("900")
    assert told(talk) == [("asked", "How hot is the kiln?")]
    assert told(talk.says("It has 900 degrees.")) == []


def test_question_that_was_passed_over_stays_open() -> None:
    talk = Talk().user("How hot is the kiln?").call("Read", path="a").user("Weave the border.").says("It is woven.")
    assert told(talk) == [("asked", "How hot is the kiln?")]


@pytest.mark.parametrize(
    "question", ["Welcher Ton?", "¿Qué arcilla usamos?", "どの粘土を使いますか。", "用哪种粘土？", "어떤 흙을 쓸까요?"]
)
def test_last_question_of_the_agent_is_open_until_somebody_types(question: str) -> None:
    talk = Talk().user("go").says(f"Done with the loom.\n{question}")
    assert told(talk) == [("asking", question)]
    assert told(talk.user("Red")) == []


@pytest.mark.parametrize(
    "courtesy",
    ["How can I assist you today?", "Comment puis-je vous aider ?", "¿En qué puedo ayudarte hoy?", "还有什么可以帮您的吗？"],
)
def test_offer_of_service_is_no_open_question(courtesy: str) -> None:
    assert told(Talk().user("go").says(courtesy)) == []


def test_question_of_a_tool_is_open_until_its_result() -> None:
    talk = Talk().user("go").call("AskUserQuestion", questions=[{"question": "Which clay?", "options": ["red"]}])
    assert told(talk) == [("asking", "Which clay?")]
    assert told(talk.result("red")) == []


def test_what_is_blocked_or_unclear_is_open_until_it_is_settled() -> None:
    talk = Talk().user("go").says("The glaze export is blocked by a missing key.").says("TODO: label the pear trees.")
    assert told(talk) == [
        ("undone", "The glaze export is blocked by a missing key."),
        ("undone", "TODO: label the pear trees."),
    ]
    assert told(talk.says("The missing key is there, the glaze export is fixed.")) == [
        ("undone", "TODO: label the pear trees.")
    ]


def test_open_steps_and_failures_come_last() -> None:
    steps = [{"content": "Dig", "status": "completed"}, {"content": "Fire", "status": "pending"}]
    talk = Talk().user("go").call("TodoWrite", todos=steps).result("ok").says("Shall I fire?")
    found = questions(talk.items, [(talk.items[2], "FAILED test_kiln.py::test_door")])
    assert [(one.kind, one.text) for one in found] == [
        ("asking", "Shall I fire?"), ("step", "Fire"), ("failure", "FAILED test_kiln.py::test_door"),
    ]  # fmt: skip


def test_span_is_of_the_message() -> None:
    talk = Talk().user("Thanks. How hot is it?")
    (one,) = questions(talk.items)
    assert one.item.text[one.first : one.last] == one.text


def test_questions_in_quotations_results_and_sub_agents_are_nobodys() -> None:
    talk = Talk().user("See:\n> How hot?\n```\nTODO: what?\n```").call("Read", path="a").result("TODO: who? blocked by you")
    talk.add("user_text", "Which clay?", is_sidechain=True).says("Read.")
    assert told(talk) == []
