"""What a future needed: later uses of what the context showed, and of nothing else."""

import pytest
from contexts import Talk
from replays import OLD, READ, edit, needed, then, wove

from tasks.domain.kinds import ItemKind


def schema() -> Talk:
    """A result that prints the name of an index."""
    return Talk().user("Drop what nobody needs.").call("Bash", "index warp_tension_idx on warps", command="show")


def test_M6_the_worked_example_a_name_used_six_calls_later_counts_once_with_a_seventh():
    before = schema()
    after = wove(then(before), 6).call("Bash", "done", command="DROP INDEX warp_tension_idx")
    (use,) = needed(before, after)
    assert (use.what, use.delay, use.is_line, use.is_hard) == ("warp_tension_idx", 6, False, True)
    assert use.weight == pytest.approx(1 / 7)


def test_M5_what_was_read_again_before_its_use_is_no_need():
    before = schema()
    after = wove(then(before), 5).call("Bash", "index warp_tension_idx on warps", command="show")
    assert needed(before, after.call("Bash", "done", command="DROP INDEX warp_tension_idx")) == []


def test_M5_what_the_model_says_itself_shows_it_nothing_new_and_a_thought_is_a_use():
    before = schema()
    after = (
        wove(then(before), 2).think("So warp_tension_idx can go.").call("Bash", "done", command="DROP INDEX warp_tension_idx")
    )
    assert [(use.what, use.delay, use.is_hard) for use in needed(before, after)] == [("warp_tension_idx", 2, True)]


def test_M5_a_person_who_says_it_again_spares_the_need():
    before = schema()
    assert needed(before, then(before).user("Now warp_tension_idx.").call("Bash", "ok", command="DROP warp_tension_idx")) == []


def test_M5_what_the_agent_itself_said_before_is_of_use_too():
    before = Talk().user("Name the loom.").say("I call it borderLoomNine.")
    assert [use.what for use in needed(before, then(before).say("borderLoomNine is warped."))] == ["borderLoomNine"]


def test_M5_what_first_comes_after_the_compaction_is_no_use_of_what_was_before():
    before = Talk().user("Weave.")
    assert needed(before, then(before).call("Bash", "newShuttleName", command="ls").say("I take newShuttleName.")) == []


def test_M4_names_in_arguments_are_taken_as_meant_and_not_as_escaped():
    """In JSON the line break before a name is written `\\n`, which would glue an n to it."""
    before = Talk().user("Weave.").call("Bash", "wovenBorder", command="ls")
    after = then(before).call("Write", "ok", file_path="a.py", content="first\nwovenBorder = 1\n\twovenBorder")
    assert [use.what for use in needed(before, after)] == ["wovenBorder"]


def test_M4_numbers_are_no_evidence_and_what_the_systems_words_say_needs_no_keeping():
    before = (
        Talk()._add(ItemKind.SYSTEM, "Use loomKeeper always.").user("Weave.").call("Bash", "loomKeeper 8675309", command="ls")
    )
    assert needed(before, then(before).say("loomKeeper says 8675309.")) == []


def lines_of(before: Talk, after: Talk) -> list[str]:
    return [use.what for use in needed(before, after) if use.is_line]


def test_M6b_a_line_that_a_later_edit_replaces_was_needed_without_the_number_before_it():
    before = Talk().user("Mend it.").call("Read", READ, file_path="a.py")
    assert lines_of(before, edit(wove(then(before), 3))) == [OLD.strip()]


def test_M6b_not_for_an_edit_that_failed():
    before = Talk().user("Mend it.").call("Read", READ, file_path="a.py")
    assert lines_of(before, edit(then(before), error=True)) == []


def test_M6b_not_where_the_line_was_read_or_written_again_before():
    before = Talk().user("Mend it.").call("Read", READ, file_path="a.py")
    assert lines_of(before, edit(then(before).call("Read", READ, file_path="a.py"))) == []
    assert lines_of(before, edit(then(before).call("Write", "ok", file_path="b.py", content=OLD))) == []
