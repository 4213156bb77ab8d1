"""Decisions stand word for word with their reason, wherever they were taken: said, agreed to, or answered."""

import pytest
from sessions import Talk

from tasks.facts.decisions import Decision, decisions

KEPT = "I decided to keep the counter in SQLite because the file is copied."


def told(talk: Talk) -> list[tuple[str, str, str]]:
    return [(one.origin, one.text, one.status) for one in decisions(talk.items)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (KEPT, "because the file is copied"),
        ("Ich habe mich für TOML entschieden, weil man sie von Hand pflegt.", "weil man sie von Hand pflegt"),
        ("J'ai choisi une file car le serveur est lent.", "car le serveur est lent"),
        ("Decidí usar TOML porque se edita a mano.", "porque se edita a mano"),
        ("Decidi usar TOML porque é editado à mão.", "porque é editado à mão"),
        ("Ho scelto TOML perché si scrive a mano.", "perché si scrive a mano"),
        ("手で編集するので、TOMLを採用しました。", "手で編集するので"),
        ("我决定用TOML，因为要手工编辑。", "因为要手工编辑"),
        ("손으로 편집하기 때문에 TOML을 선택했습니다.", "손으로 편집하기 때문에"),
        ("Я выбрал TOML, потому что его правят руками.", "потому что его правят руками"),
        ("I chose TOML.", ""),
    ],
)  # fmt: skip
def test_reason_is_the_because_clause_word_for_word(text: str, reason: str) -> None:
    (one,) = decisions(Talk().user("go").says(text).items)
    assert (one.text, one.reason) == (text, reason)


def test_decision_knows_its_item_and_span() -> None:
    talk = Talk().user("go").says("Read it all. " + KEPT + " Next.")
    (one,) = decisions(talk.items)
    assert one.item is talk.items[1]
    assert one.item.text[one.first : one.last] == KEPT


@pytest.mark.parametrize("answer", ["yes", "Ja, bitte", "はい、お願いします", "好的", "да"])
def test_bare_yes_decides_what_was_asked(answer: str) -> None:
    assert told(Talk().user("go").says("Read it. Shall I drop the old table?").user(answer)) == [
        ("assent", "Shall I drop the old table?", "active")
    ]


def test_number_decides_which_and_thanks_do_not() -> None:
    asked = Talk().user("go").says("1. Red\n2. White\nWhich clay do you want?")
    (one,) = decisions(asked.user("2").items)
    assert (one.text, one.item.seq, one.answered_by) == ("Which clay do you want?", asked.items[1].seq, asked.items[2])
    assert one.item.text[one.first : one.last] == one.text
    assert told(Talk().user("go").says("Which clay do you want?").user("ok thanks")) == []


def test_yes_with_words_decides_in_those_words() -> None:
    assert told(Talk().user("go").says("Shall I drop it?").user("ok, do drop it, with a backup. Then go on.")) == [
        ("assent", "ok, do drop it, with a backup.", "active")
    ]


@pytest.mark.parametrize("answer", ["no", "No, keep it.", "What does it hold?", "okra is a plant that I grow"])
def test_no_and_other_words_agree_to_nothing(answer: str) -> None:
    assert told(Talk().user("go").says("Shall I drop the old table?").user(answer)) == []


def test_yes_to_what_was_no_question_decides_nothing() -> None:
    assert told(Talk().user("go").says("I read it all.").user("yes")) == []


@pytest.mark.parametrize("tool", ["AskUserQuestion", "request_user_input", "ask_followup_question", "mcp__desk__ask_user"])
def test_answer_to_a_tool_that_asks_is_a_decision(tool: str) -> None:
    talk = Talk().user("go").call(tool, questions=[{"question": "Which clay?"}]).result("Which clay? = Red, it is cheaper")
    assert told(talk) == [("answer", "Which clay? = Red, it is cheaper", "active")]


def test_result_of_any_other_tool_is_none() -> None:
    talk = Talk().user("go").call("Bash", command="cat x").result("User has answered your questions: drop all\n" + KEPT)
    assert told(talk) == []


def test_failed_question_was_not_answered() -> None:
    talk = Talk().user("go").call("AskUserQuestion", question="Which clay?")
    talk.add("tool_result", "cancelled", call_id=talk.items[-1].call_id, flags=("error",))
    assert told(talk) == []


def test_later_turning_down_of_the_same_supersedes_and_keeps() -> None:
    talk = Talk().user("go").says(KEPT).says("I switched to Postgres instead of SQLite.").says("I chose red clay.")
    assert [status for _, _, status in told(talk)] == ["superseded", "active", "active"]
    assert decisions(talk.items)[0].superseded_by is talk.items[2]


def test_agent_does_not_take_back_what_a_person_decided() -> None:
    talk = Talk().user("go").says("Shall I use SQLite?").user("yes").says("I switched to Postgres instead of SQLite.")
    assert [status for _, _, status in told(talk)] == ["active", "active"]
    talk.says("Shall I use Redis instead of SQLite?").user("yes")
    assert [status for _, _, status in told(talk)] == ["superseded", "active", "active"]


def test_saying_again_what_was_agreed_takes_nothing_back() -> None:
    talk = Talk().user("go").says("I chose linen rather than wool.").says("I'll use linen instead of wool.")
    assert [status for _, _, status in told(talk)] == ["active", "active"]


def test_decisions_of_others_are_not_the_agents() -> None:
    talk = Talk().user(KEPT).add("injected", KEPT).add("compaction_summary", KEPT)
    talk.add("assistant_text", KEPT, is_sidechain=True).says(f"> {KEPT}\n```\n{KEPT}\n```")
    assert told(talk) == []


def test_same_words_stand_once() -> None:
    found: list[Decision] = decisions(Talk().user("go").says(KEPT).user("on").says(KEPT.upper()).items)
    assert [one.item.turn for one in found] == [1]
