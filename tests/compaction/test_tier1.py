"""CodeCoder's first tier. Tokens are words; the numbers in the names are those of the demanded behaviors."""

from contexts import Talk

from tasks.compaction import degrade
from tasks.compaction.config import settings_of
from tasks.compaction.extract import repeated_decisions
from tasks.compaction.placeholder import head_of
from tasks.compaction.plan import Budget, Disposition, apply, outcome
from tasks.compaction.tier1 import Tier1
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind

LONG = "warp weft " * 60
"""120 words, 600 characters."""


def view(talk: Talk, **settings: object) -> tuple[Item, ...]:
    context = talk.context(settings=settings)
    return apply(Tier1().plan(context, Budget()), context.items)


def reads(results: int, talk: Talk | None = None) -> Talk:
    talk = talk or Talk().user("Weave the border.")
    for number in range(results):
        talk.call("Read", f"{number} {LONG}", file_path=f"looms/{number}.py")
    return talk


def results(items: tuple[Item, ...]) -> list[Item]:
    return [item for item in items if item.kind == ItemKind.TOOL_RESULT]


def test_A06_a_day_of_a_hundred_calls_fills_200_000_tokens_and_the_oldest_ninety_results_are_what_goes():
    talk = Talk().user("Weave.")
    for _ in range(100):
        talk.call("Bash", "thread " * 1_999, command="weave")
    context = talk.context()
    done = outcome(Tier1().plan(context, Budget()), context)
    assert done.tokens_before == 1 + 100 * (1 + 1_999)
    # Bracket (5 words), command (1), and 29 words of the first 200 characters: 28 whole ones and "thre", cut in the middle.
    assert done.freed == 90 * (1_999 - 5 - 1 - 29)


def test_A10_the_trigger_is_80_000_tokens_unless_the_user_says_otherwise():
    assert settings_of("tier1", None) == {"trigger_tokens": 80_000, "target_tokens": 48_000}


def test_A11_all_thinking_goes_the_newest_too():
    talk = Talk().user("Weave.").think("Old thought.").say("Woven.").user("Again.").think("Thought of just now.")
    assert [item.kind for item in view(talk)] == ["user_text", "assistant_text", "user_text"]


def test_A12_the_newest_ten_results_of_the_whole_context_stay_whatever_message_they_are_in():
    talk = reads(12)
    found = results(view(talk))
    assert [item.text.startswith("[TRUNCATED:") for item in found] == [True] * 2 + [False] * 10


def test_A13_A14_the_placeholder_says_bytes_and_kept_chars_then_the_path_then_the_beginning():
    talk = reads(11)
    (first, *_) = results(view(talk))
    original = f"0 {LONG}"
    assert first.text == f"[TRUNCATED: {len(original)} bytes, 200 chars]\nlooms/0.py\n{original[:200]}"


def test_A13_bytes_are_those_of_utf_8_and_chars_are_characters():
    talk = Talk().user("Weave.").call("Read", "織" * 300 + " a b c d e f g h i", path="布.md")
    found = results(view(reads(10, talk)))[0]
    assert found.text.split("\n")[0] == "[TRUNCATED: 918 bytes, 200 chars]"


def test_A14_of_a_command_the_command_stands_where_a_path_would():
    talk = Talk().user("Weave.").call("Bash", LONG, command="make cloth\n  --fast")
    assert results(view(reads(10, talk)))[0].text.split("\n")[1] == "make cloth --fast"


def test_A14_without_head_the_bracket_stands_alone():
    assert results(view(reads(11), head=0))[0].text == "[TRUNCATED: 602 bytes, 0 chars]"


def test_A15_parts_are_cut_to_200_characters_each_and_joined_by_a_space_and_what_is_no_text_is_called_binary():
    assert head_of(["a" * 300, None, "b"], 200) == "a" * 200 + " [binary] b"


def test_A15_a_picture_of_an_old_result_is_called_binary():
    talk = Talk().user("Weave.").call("Screenshot", "taken of the whole loom")
    talk._add(ItemKind.IMAGE, "", role="tool", call_id=talk.items[-1].call_id, tokens=1_500)
    assert [item.text for item in view(reads(10, talk)) if item.kind == ItemKind.IMAGE] == ["[binary]"]


def test_A16_ten_results_or_fewer_stay():
    for number in (0, 1, 10):
        assert view(reads(number)) == tuple(reads(number).items)


def test_A16_how_many_stay_is_the_users_choice():
    found = results(view(reads(5), recent_count=3))
    assert [item.text.startswith("[TRUNCATED:") for item in found] == [True, True, False, False, False]


def test_A17_what_people_and_the_agent_said_and_did_stays():
    talk = reads(12, Talk().user("Weave.").say("I begin with the border."))
    kept = [item for item in view(talk) if item.kind != ItemKind.TOOL_RESULT]
    assert kept == [item for item in talk.items if item.kind != ItemKind.TOOL_RESULT]


def test_A18_freed_is_measured_and_pays_for_the_placeholder():
    talk = reads(11, Talk().user("Weave.").think("one two three"))
    context = talk.context()
    done = outcome(Tier1().plan(context, Budget()), context)
    kept = f"0 {LONG}"[:200]
    assert done.freed == 3 + 121 - (5 + 1 + len(kept.split()))


def test_A18_a_result_that_is_shorter_than_its_placeholder_stays():
    talk = Talk().user("Weave.").call("Bash", "ok", command="true")
    assert results(view(reads(10, talk)))[0].text == "ok"


def test_A18_what_is_a_placeholder_already_is_not_counted_twice():
    once = view(reads(12))
    again = Talk(items=list(once)).context()
    assert Tier1().plan(again, Budget()).changes == ()


def test_A19_every_change_names_the_item_that_stays_in_the_session():
    talk = reads(12, Talk().user("Weave.").think("Hm."))
    context = talk.context()
    plan = Tier1().plan(context, Budget())
    assert {change.disposition for change in plan.changes} == {Disposition.REMOVED, Disposition.PLACEHOLDER}
    after = {item.item_id for item in apply(plan, context.items)}
    assert {item.item_id for item in context.items} - after == {"t:1"}


def test_A20_what_was_decided_in_thinking_alone_is_told():
    thought = "I keep the old heddles because the new ones snag."
    talk = Talk().user("Weave.").think(thought)
    note = f"1 decisions are in the thinking alone, the last: {thought}"
    assert Tier1().plan(talk.context(), Budget()).notes == (note,)
    assert Tier1().plan(talk.say(thought).context(), Budget()).notes == ()


def test_A70_a_decision_that_is_taken_again_in_a_later_turn_is_found():
    decided = "We use linen rather than wool."
    talk = Talk().user("Weave.").say(decided).say("We use linen rather than wool").user("Go on.").say(f"Hm. {decided.upper()}")
    talk.user("Go on.").say("We use silk rather than wool.")
    assert [(one.item_id, other.item_id, text) for one, other, text in repeated_decisions(talk.items)] == [
        ("t:1", "t:4", decided.upper())
    ]


def test_the_defaults_are_those_of_the_text():
    assert (degrade.RECENT, degrade.HEAD) == (10, 200)
