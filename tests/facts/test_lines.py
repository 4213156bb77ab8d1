"""Lines that a text shows, and those that an edit had to know."""

import json

from tasks.facts.lines import lines, replaced, strings


def test_lines_are_told_without_indent_and_short_ones_not_at_all():
    assert lines("    for thread in warp:\n  end\n\tbeat(the, weft)  ") == {"for thread in warp:", "beat(the, weft)"}


def test_numbers_that_a_read_puts_before_lines_are_no_part_of_them():
    assert lines("    9→for thread in warp:\n   10→\tbeat(the, weft)") == {"for thread in warp:", "beat(the, weft)"}
    assert lines("9\tfor thread in warp:") == {"for thread in warp:"}


def test_a_text_that_does_not_begin_with_a_number_keeps_its_numbers():
    assert lines("the shed opens\n10\tthe shed shuts") == {"the shed opens", "10\tthe shed shuts"}


def test_numbers_with_an_arrow_are_a_reads_wherever_they_stand():
    assert lines("The file was edited.\n   10→the shed shuts") == {"The file was edited.", "the shed shuts"}


def test_a_read_whose_beginning_is_gone_has_numbers_all_the_same():
    assert lines("[elided: lines 1-9]\n10\tthe shed shuts", numbered=True) == {"[elided: lines 1-9]", "the shed shuts"}


def test_strings_of_arguments_are_their_values_however_deep():
    told = json.dumps({"a": "x\ny", "b": [{"c": "z"}, 3, None, True]})
    assert sorted(strings(told)) == ["3", "True", "x\ny", "z"]


def test_arguments_that_are_no_json_are_one_string():
    assert strings("weave --all") == ["weave --all"]
    assert strings("[" * 100_000) == ["[" * 100_000]


def test_an_edit_replaces_its_old_strings_alone():
    told = {"edits": [{"old_string": "open the shed", "new_string": "close the shed"}, {"oldText": "beat the weft"}]}
    assert replaced(json.dumps(told)) == {"open the shed", "beat the weft"}


def test_a_patch_replaces_what_it_removes_and_what_it_leaves_beside_it():
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@ def weave\n open the shed\n-beat the weft\n+beat the warp\n*** End Patch"
    )
    assert replaced(json.dumps({"input": patch})) == {"open the shed", "beat the weft"}
