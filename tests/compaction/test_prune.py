"""yoi's first phase."""

import copy

import pytest
from contexts import Talk

from tasks.compaction.placeholder import pruned
from tasks.compaction.plan import MARK, Budget, apply
from tasks.compaction.prefix import break_even, invalidated
from tasks.compaction.prune import Prune
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind


def view(talk: Talk, **settings: object) -> tuple[Item, ...]:
    context = talk.context(settings=settings)
    return apply(Prune().plan(context, Budget()), context.items)


def turns(number: int, output: str = "warp weft warp weft") -> Talk:
    """As many turns, each with thinking and one result."""
    talk = Talk()
    for at in range(number):
        talk.user(f"Row {at}.").think("Which shuttle?").call("Read", output, file_path=f"{at}.py").say("Done.")
    return talk


def test_B01_the_history_is_as_it_was():
    talk = turns(6)
    before = copy.deepcopy(talk.items)
    view(talk)
    assert talk.items == before


def test_B02_a_turn_starts_with_what_a_person_typed_and_with_nothing_else_that_is_logged_as_the_users():
    talk = turns(1)
    for _ in range(5):
        talk.inject("Remember the selvage.").summary("[Compaction Summary — …]")
    assert view(talk, protected_turns=1) == tuple(talk.items)


@pytest.mark.parametrize("number", [0, 1, 3])
def test_B03_as_many_turns_as_are_protected_stay_and_that_is_told(number: int):
    talk = turns(number)
    assert view(talk) == tuple(talk.items)
    note = "not applicable: no more than 3 turns, and that many are protected"
    assert Prune().plan(talk.context(), Budget()).notes == (note,)


def test_B04_what_stands_before_the_third_last_turn_is_pruned():
    after = view(turns(5))
    assert [item.text == "[pruned]" for item in after if item.kind == ItemKind.TOOL_RESULT] == [True, True, False, False, False]


def test_B04_with_no_protected_turn_everything_is_pruned():
    after = view(turns(2), protected_turns=0)
    assert [item.text for item in after if item.kind == ItemKind.TOOL_RESULT] == ["[pruned]", "[pruned]"]


@pytest.mark.parametrize(
    ("output", "left"),
    [
        ("[blob:abc123] 214 rows, the first is …", "[pruned] [blob:abc123]"),
        ("[blob:]", "[pruned] [blob:]"),
        ("[blob:a]b] c", "[pruned] [blob:a]"),
        ("plain", "[pruned]"),
    ],
)
def test_B05_a_reference_at_the_very_beginning_stays_and_the_rest_goes(output: str, left: str):
    assert pruned(output) == left
    assert view(turns(4, output))[3].text == left


@pytest.mark.parametrize("output", ["[blob:abc123 without an end", "see [blob:abc123]", " [blob:abc123]"])
def test_B06_a_reference_without_end_or_further_on_is_none(output: str):
    assert pruned(output) == "[pruned]"


def test_B07_thinking_is_pruned_and_stays_an_item():
    after = view(turns(4))
    assert [item.text for item in after if item.kind == ItemKind.REASONING] == ["[pruned]"] + ["Which shuttle?"] * 3


def test_B08_what_was_said_and_every_call_with_its_arguments_stays():
    talk = turns(6)
    kept = {ItemKind.USER_TEXT, ItemKind.ASSISTANT_TEXT, ItemKind.TOOL_CALL}
    assert [item for item in view(talk) if item.kind in kept] == [item for item in talk.items if item.kind in kept]


def test_B09_pruning_again_changes_nothing():
    once = view(turns(6))
    assert view(Talk(items=list(once), turn=6)) == once


@pytest.mark.parametrize("output", ["[pruned]", "[pruned] [blob:abc123]", "[pruned] branches: 14 of 300, and these are left"])
def test_B09_an_output_that_says_pruned_itself_is_left_whole(output: str):
    after = view(turns(4, output))
    assert after[3].text == output
    assert not any(flag.startswith(MARK) for flag in after[3].flags)


def test_B10_references_to_blobs_are_counted_and_said_to_be_in_another_store():
    (note,) = Prune().plan(turns(4, "[blob:abc123] rows").context(), Budget()).notes
    assert note.startswith("1 references to blobs stay: the blobs are in the agent's own store")


def test_B11_each_call_gets_a_copy_of_its_own_of_the_same_history():
    talk = turns(4)
    first = view(talk)
    talk.user("Row 4.").call("Read", "warp", file_path="4.py")
    second = view(talk)
    assert [item.text == "[pruned]" for item in first if item.kind == ItemKind.TOOL_RESULT] == [True, False, False, False]
    pruned_now = [item.text == "[pruned]" for item in second if item.kind == ItemKind.TOOL_RESULT]
    assert pruned_now == [True, True, False, False, False]


def test_B12_all_behind_the_first_pruned_item_is_paid_for_again():
    talk = turns(4)
    context = talk.context()
    after = view(talk)
    # Of the first turn only "Row 0." stays the same before the first change: 2 of the new context's tokens.
    total = sum(len(item.text.split()) for item in after)
    assert invalidated(context.items, after, context.count) == total - 2


@pytest.mark.parametrize(("again", "freed", "calls"), [(100, 115, 10), (100, 114, 11), (0, 5, 0), (10, 0, None)])
def test_B12_a_compaction_pays_when_what_is_not_read_any_more_costs_what_was_written_again(again: int, freed: int, calls: int):
    assert break_even(again, freed) == calls
