"""Which items a session came back to, in sessions whose answer is known by hand. Call n is the n-th of the story."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

from windows import Story

from tasks.context.uses import Use, uses
from tasks.context.window import Standing
from tasks.domain.kinds import ItemKind


@dataclass
class Tale(Story):
    """A story whose items have words."""

    texts: dict[str, str] = field(default_factory=dict)

    def tell(self, kind: ItemKind, text: str, **facts: Any) -> Standing:
        item = self.add(kind, 20, **facts)
        self.texts[item.item_id] = text
        return item

    def says(self, text: str) -> Standing:
        return self.tell(ItemKind.ASSISTANT_TEXT, text)

    def read(self, result: str, *, flags: frozenset[str] = frozenset(), **arguments: Any) -> Standing:
        """A call of the last answer, and what it brought back."""
        result_item = self.use(50, flags=flags)
        self.texts[self.items[-2].item_id] = json.dumps(arguments)
        self.texts[result_item.item_id] = result
        return result_item

    def used(self, item: Standing) -> Use | None:
        return uses(self.session(), self.texts).get((False, item.item_id))


def begun() -> Tale:
    tale = Tale()
    tale.tell(ItemKind.USER_TEXT, "Mend the loom.")
    tale.call()
    return tale


def test_a_name_that_came_from_a_result_is_a_use_of_it():
    tale = begun()
    read = tale.read("def warpCount")
    tale.call()
    tale.says("I shall call warpCount.")
    assert tale.used(read) == Use(1, 2)


def test_a_result_whose_names_never_come_again_was_not_used():
    tale = begun()
    read = tale.read("def warpCount")
    tale.call()
    tale.says("Done.")
    assert tale.used(read) == Use(0, None)


def test_what_shows_nothing_to_be_recognized_by_is_left_out():
    tale = begun()
    read = tale.read("all is well, 1200 of them, state-of-the-art")
    tale.call()
    tale.says("1200 are well, state-of-the-art")
    assert tale.used(read) is None


def test_each_call_counts_once_however_many_names_it_takes():
    tale = begun()
    read = tale.read("warpCount weftCount shedAngle")
    tale.call()
    tale.says("warpCount and weftCount")
    tale.call()
    tale.says("shedAngle, shedAngle")
    assert tale.used(read) == Use(2, 3)


def test_later_words_of_the_model_rest_on_its_own_words():
    tale = begun()
    read = tale.read("def warpCount")
    tale.call()
    own = tale.says("warpCount it is.")
    tale.call()
    tale.says("As I said, warpCount.")
    assert (tale.used(read), tale.used(own)) == (Use(1, 2), Use(1, 3))


def test_thinking_uses_and_holds_nothing():
    tale = begun()
    read = tale.read("def warpCount")
    tale.call()
    thought = tale.tell(ItemKind.REASONING, "warpCount?")
    tale.call()
    tale.says("warpCount.")
    assert (tale.used(read), tale.used(thought)) == (Use(2, 3), None)


def test_the_result_that_showed_it_last_has_served():
    tale = begun()
    old = tale.read("def warpCount")
    tale.call()
    new = tale.read("warpCount = 3")
    tale.call()
    tale.says("warpCount is 3")
    assert (tale.used(old), tale.used(new)) == (Use(0, None), Use(1, 3))


def test_a_name_that_the_model_coined_is_no_news_in_a_result():
    tale = begun()
    coined = tale.says("I name it weftCount.")
    read = tale.read("weftCount saved")
    tale.call()
    tale.says("weftCount is there.")
    assert (tale.used(read), tale.used(coined)) == (Use(0, None), Use(1, 2))


def test_a_result_that_repeats_what_its_call_said_shows_nothing():
    tale = begun()
    listing = tale.read("src/looms/warp.py")
    tale.call()
    edit = tale.read("src/looms/warp.py was updated", path="src/looms/warp.py")
    tale.call()
    tale.says("Now src/looms/warp.py again.")
    assert (tale.used(listing), tale.used(edit)) == (Use(1, 2), None)


def test_what_the_system_says_is_evidence_of_nothing():
    tale = Tale()
    tale.tell(ItemKind.SYSTEM, "Use warpCount.")
    tale.held.clear()
    tale.call()
    read = tale.read("warpCount")
    tale.call()
    tale.says("warpCount")
    assert tale.used(read) is None


def test_after_a_compaction_its_summary_serves():
    tale = begun()
    read = tale.read("warpCount weftCount")
    tale.call()
    tale.compact(100)
    summary = tale.items[-1]
    tale.texts[summary.item_id] = "They spoke of warpCount."
    tale.call()
    tale.says("warpCount, weftCount")
    assert (tale.used(read), tale.used(summary)) == (Use(0, None), Use(1, 3))


def test_a_name_coined_before_a_compaction_is_news_after_it():
    tale = begun()
    tale.says("weftCount")
    tale.call()
    tale.compact(100)
    tale.call()
    read = tale.read("weftCount = 4")
    tale.call()
    tale.says("weftCount is 4")
    assert tale.used(read) == Use(1, 4)


def test_a_cleared_result_serves_no_longer():
    tale = begun()
    read = tale.read("warpCount weftCount")
    tale.call()
    tale.says("warpCount")
    tale.items.append(Standing("n", len(tale.items), 3, 0, "notice", 0, turn=1, is_sent=False, clears=(read.call_id or "",)))
    tale.call()
    tale.says("weftCount")
    assert tale.used(read) == Use(1, 2)


def test_an_edit_uses_the_item_that_showed_its_old_lines_last():
    tale = begun()
    read = tale.read("  1→for thread in warp:\n  2→    pass it on")
    tale.call()
    tale.read("ok", old_string="    pass it on", new_string="    pass it over")
    assert tale.used(read) is None, "the line is too short"
    tale.read("ok", old_string="for thread in warp:\n", new_string="for thread in weft:\n")
    assert tale.used(read) == Use(1, 2)


def test_an_edit_that_failed_is_no_use_of_a_line():
    tale = begun()
    read = tale.read("for thread in warp:")
    tale.call()
    tale.read("no such string", flags=frozenset({"error"}), old_string="for thread in warp:", new_string="")
    assert tale.used(read) is None


def test_a_line_that_the_model_wrote_since_is_its_own():
    tale = begun()
    read = tale.read("for thread in warp:")
    tale.call()
    tale.read("ok", old_string="for thread in warp:", new_string="for thread in warp:\n    beat(it)")
    tale.call()
    tale.read("ok", old_string="for thread in warp:", new_string="")
    assert tale.used(read) == Use(1, 2)


def test_arguments_are_read_as_the_model_meant_them():
    """In JSON a line break before a name is a backslash and an n, which is no part of the name."""
    tale = begun()
    read = tale.read("def warpCount")
    tale.call()
    tale.read("ok", content="x\nwarpCount(3)")
    assert tale.used(read) == Use(1, 2)


def test_a_side_question_uses_what_the_conversation_shows_in_its_own_chain():
    tale = begun()
    read = tale.read("def warpCount")
    tale.call()
    tale.call()
    tale.calls[2] = replace(tale.calls[2], is_sidechain=True)
    tale.tell(ItemKind.ASSISTANT_TEXT, "warpCount?", is_sidechain=True)
    found = uses(tale.session(), tale.texts)
    assert (found[False, read.item_id], found[True, read.item_id]) == (Use(0, None), Use(1, 3))
