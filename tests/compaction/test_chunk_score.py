"""The score of `chunk`, worked out by hand. Tokens are words; a call of the tool takes one model call."""

from math import log

import pytest
from contexts import Talk

from tasks.compaction.chunk_score import Scored, order, scored
from tasks.compaction.chunks import Part
from tasks.compaction.cutting import Cuts, Cutting

LINES = "\n".join(f"the heddle lifts thread {number}" for number in range(10))


def cutting(talk: Talk) -> Cutting:
    return Cuts().of(talk.context())


def scores(talk: Talk) -> list[float]:
    return [one.score for one in scored(cutting(talk))]


def test_each_term_counts_as_published():
    talk = Talk().user("Mind the warpCount.").call("Read", "warpCount weftWidth", file_path="a.py")
    talk.say("Look at weftWidth.").call("Bash", "ok", command="x")
    # The read: of call 1, now is 3: age 2. Two tokens, two atoms; weftWidth was said at call 2 (one ago, so recently);
    # warpCount was asked for. The shell: of call 2, one token, nothing else.
    read = -0.8 * log(3) - 0.1 * log(2) - 0.5 * log(3) + 0.4 * log(3) + 0.3 * log(2) + 1.0 * log(2) - 0.5
    assert scores(talk) == pytest.approx([read, -0.9 * log(2) - 0.5 * log(2) - 2.0])


def test_what_nobody_mentions_is_as_old_as_it_is():
    talk = Talk().user("Weave.").call("Task", "warpCount", prompt="x").say("Done.").call("Bash", "ok", command="x")
    talk.call("Bash", "ok", command="x")
    # The result: age 3, and 3 since it was mentioned, which is its age; one token, one atom.
    assert scores(talk)[0] == pytest.approx(-0.8 * log(4) - 0.1 * log(4) - 0.5 * log(2) + 0.4 * log(2))


def test_a_search_counts_less_than_a_shell_and_a_shell_less_than_a_read():
    talk = Talk().call("Grep", "warp", pattern="x").call("Bash", "warp", command="x").call("Read", "warp", file_path="x")
    grep, shell, read = scores(talk)
    assert (grep + 0.9 * log(4), shell + 0.9 * log(3), read + 0.9 * log(2)) == pytest.approx(
        (-0.5 * log(2) - 2.7, -0.5 * log(2) - 2.0, -0.5 * log(2) - 0.5)
    )


def test_what_an_edit_put_there_counts_more_and_what_it_replaced_is_free():
    talk = Talk().call("Edit", None, file_path="x", old_string="weft " * 40, new_string="warp " * 40)
    found = cutting(talk)
    new, old = scored(found)
    assert [spot.chunk.part for spot in found.spots] == [Part.NEW, Part.OLD]
    # The call is of call 1, the next is 2: age 1.
    assert (new.score, old.score) == pytest.approx((-0.9 * log(2) - 0.5 * log(41) + 1.2, -0.9 * log(2) - 0.5 * log(41)))
    assert (new.is_free, old.is_free) == (False, True)


def test_lines_that_a_later_item_shows_again_are_free_and_the_later_one_inherits():
    names = "warpCount weftWidth shedAngle pickCount heddleLift"
    talk = Talk().user(f"See {names}.").call("Read", f"{LINES}\n{names}", file_path="x").call("Task", LINES, prompt="x")
    first, second = scored(cutting(talk))
    # 10 of its 11 lines stand later. 55 tokens, 5 atoms, all asked for and said by nobody; age 2.
    assert first.repeated == pytest.approx(10 / 11)
    assert first.score == pytest.approx(-0.9 * log(3) - 0.5 * log(56) + 0.4 * log(6) + 1.0 * log(6) - 10 / 11 - 0.5)
    # By itself the later one is worth -0.9 log(2) - 0.5 log(51) = -2.59; it takes over -1.90.
    assert second.score == first.score
    assert (first.is_free, second.is_free) == (True, False)


def test_lines_count_wherever_a_later_item_says_them():
    talk = Talk().call("Read", LINES, file_path="x").user(LINES)
    assert scored(cutting(talk))[0].repeated == 1.0


def test_the_last_calls_go_last_then_what_is_free_goes_first_then_what_is_worth_least_then_what_is_first():
    spots = [
        Scored(9.0, 0.0, False, age=2), Scored(5.0, 1.0, True, age=7), Scored(1.0, 0.0, False, age=3),
        Scored(-4.0, 0.0, False, age=9), Scored(1.0, 0.0, False, age=8), Scored(-9.0, 1.0, True, age=0),
    ]  # fmt: skip
    assert order(spots) == [1, 3, 2, 4, 5, 0]
