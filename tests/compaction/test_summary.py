"""CodeCoder's structured summary: its words, and how two become one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.compaction.summary import Summary, merge, merge_items, parse, render

FULL = Summary(
    goal="Weave the border", constraints=("Never cut the warp",), progress=("Warped the loom", "Wove 3 rows"),
    key_decisions=("Linen rather than wool, because it shrinks less",), next_steps=("Weave the hem",),
    read=("looms/a.py", "looms/b.py"), modified=("looms/b.py",),
)  # fmt: skip
TEXT = """\
[Summary]
Goal: Weave the border
Constraints: Never cut the warp
Progress:
- Warped the loom
- Wove 3 rows
Key Decisions: Linen rather than wool, because it shrinks less
Next Steps: Weave the hem

[File Tracking]
Read: looms/a.py, looms/b.py
Modified: looms/b.py"""


def test_A32_A34_the_template_has_five_fields_in_order_and_the_files_at_its_end():
    assert render(FULL) == TEXT
    assert parse(TEXT) == FULL


def test_A32_empty_fields_are_there_all_the_same():
    lines = ["[Summary]", "Goal:", "Constraints:", "Progress:", "Key Decisions:", "Next Steps:", ""]
    assert render(Summary()).split("\n") == [*lines, "[File Tracking]", "Read:", "Modified:"]


def test_A32_an_answer_in_one_line_a_field_is_read():
    found = parse("Goal: Weave\nConstraints: None of the warp, please\nNext Steps: Hem\nand tassels")
    assert found == Summary(goal="Weave", constraints=("None of the warp, please",), next_steps=("Hem\nand tassels",))


def test_a_text_without_any_field_is_no_summary():
    assert parse("I cannot do that.") is None


def test_A34_a_path_with_a_comma_in_it_stays_one_path():
    paths = ("a, b.py", "c,d.py", '"quoted".py', "e.py")
    found = parse(render(Summary(read=paths)))
    assert found is not None
    assert found.read == paths


@pytest.mark.parametrize(("old", "new", "goal"), [("a", "b", "b"), ("a", "", "a"), ("", "b", "b"), ("", "", "")])
def test_A37_the_newer_goal_counts_unless_it_is_empty(old: str, new: str, goal: str):
    assert merge(Summary(goal=old), Summary(goal=new)).goal == goal


def test_A37_a_goal_that_a_newer_one_replaces_is_not_forgotten():
    first, second, third = (Summary(goal=goal) for goal in ("Warp", "Weave", "Hem"))
    both = merge(merge(first, second), third)
    assert (both.goal, both.earlier_goals) == ("Hem", ("Weave", "Warp"))
    assert parse(render(both)) == both


def test_A38_items_are_the_union_in_order_and_case_and_space_make_no_other_item():
    assert merge_items(("Never  cut", "b"), ("never cut", "c", "B")) == ("Never  cut", "b", "c")
    old = Summary(constraints=("a",), progress=("b",), key_decisions=("c",))
    new = Summary(constraints=("d",), progress=("e",), key_decisions=("f",))
    merged = merge(old, new)
    assert (merged.constraints, merged.progress, merged.key_decisions) == (("a", "d"), ("b", "e"), ("c", "f"))


def test_A39_next_steps_are_the_newer_ones_though_there_be_none():
    assert merge(Summary(next_steps=("a",)), Summary()).next_steps == ()
    assert merge(Summary(next_steps=("a",)), Summary(next_steps=("b",))).next_steps == ("b",)


def test_A40_files_accumulate():
    merged = merge(Summary(read=("a", "b"), modified=("c",)), Summary(read=("b", "A"), modified=("a",)))
    assert (merged.read, merged.modified) == (("a", "b", "A"), ("c", "a"))


WORDS = st.text(st.sampled_from('ab -:,.\n[]"'), min_size=1, max_size=20).map(str.strip).filter(bool)
ITEMS = st.lists(WORDS, max_size=3, unique=True).map(tuple)


@given(goal=WORDS, fields=st.tuples(ITEMS, ITEMS, ITEMS, ITEMS), files=st.tuples(ITEMS, ITEMS))
def test_what_is_rendered_is_read_back(goal: str, fields: tuple, files: tuple):
    summary = Summary(goal, *fields, *(tuple(path.replace("\n", " ") for path in paths) for paths in files))
    assert parse(render(summary)) == summary
