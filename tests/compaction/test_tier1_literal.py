"""CodeCoder's first tier as its code is printed."""

from contexts import Talk

from tasks.compaction.plan import Budget, apply
from tasks.compaction.tier1_literal import Tier1Literal
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind


def view(talk: Talk) -> tuple[Item, ...]:
    context = talk.context()
    return apply(Tier1Literal().plan(context, Budget()), context.items)


def test_A12_results_are_counted_in_each_message_so_logs_of_one_result_a_message_lose_their_thinking_alone():
    talk = Talk().user("Weave.").think("Hm.")
    for _ in range(30):
        talk.call("Read", "thread " * 200, file_path="a.py")
    assert view(talk) == tuple(item for item in talk.items if item.kind != ItemKind.REASONING)


def test_A12_of_twelve_results_in_one_message_the_first_two_are_replaced():
    talk = Talk().user("Weave.")
    for _ in range(12):
        talk._add(ItemKind.TOOL_RESULT, "糸 " * 150, line_no=7)
    texts = [item.text for item in view(talk)[1:]]
    # Of the first 200 characters 100 have three bytes: the printed code takes the length in bytes and calls it chars.
    assert texts == ["[TRUNCATED: 600 bytes, 400 chars]"] * 2 + ["糸 " * 150] * 10


def test_it_is_a_control():
    assert Tier1Literal.is_control
