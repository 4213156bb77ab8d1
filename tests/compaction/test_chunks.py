"""Items cut into chunks. Tokens are words."""

import json

from contexts import Talk, words

from tasks.compaction.chunks import Chunk, Cut, Cutter, Part
from tasks.compaction.cutting import source_of
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind, ToolCategory


def cut(item: Item) -> Cut:
    return Cutter(words).cut(item, None)


def result(text: str) -> Item:
    return Talk().call("Read", text, file_path="loom.go").items[1]


def call(tool: str, **arguments: object) -> Item:
    return Talk().call(tool, None, **arguments).items[0]


def places(chunks: tuple[Chunk, ...]) -> list[tuple[int, int]]:
    return [chunk.lines_at for chunk in chunks]


def test_a_short_result_is_one_chunk():
    made = cut(result("warp weft\n" * 60))
    assert [(chunk.part, chunk.lines_at, chunk.tokens) for chunk in made.chunks] == [(Part.WHOLE, (1, 60), 120)]


def test_a_long_result_without_any_mark_goes_in_blocks_of_24_lines():
    assert places(cut(result("the warp goes\n" * 60)).chunks) == [(1, 24), (25, 48), (49, 60)]


def test_a_block_ends_before_an_empty_line_or_a_definition_once_it_has_eight_lines():
    line = "\tthe warp goes over the weft and under\n"
    text = (
        line * 4
        + "\n"
        + line * 5
        + "\n"
        + line * 3
        + "func early() {\n"
        + line * 7
        + "\tfunc indented\n"
        + line
        + "func late() {\n"
        + line
    )
    # Line 5 is empty and too early; 11 ends ten lines; 15 is a definition after four lines; 23 is an indented one; 25 ends it.
    assert places(cut(result(text)).chunks) == [(1, 10), (11, 24), (25, 26)]
    assert [chunk.defines for chunk in cut(result(text)).chunks] == [False, True, True]


def test_the_chunks_of_a_result_are_its_text():
    text = "the warp goes over\n\n" * 70 + "and ends"
    chunks = cut(result(text)).chunks
    assert "".join(text[chunk.start : chunk.end] for chunk in chunks) == text


def test_lines_are_those_of_the_file_where_a_read_numbers_them():
    text = "".join(f"{number:6}→the warp goes over the weft\n" for number in range(101, 131))
    made = cut(result(text))
    assert places(made.chunks) == [(101, 124), (125, 130)]
    assert made.chunks[0].lines == {"the warp goes over the weft"}


def test_an_edit_has_its_head_and_its_old_and_new_part():
    item = call("Edit", file_path="loom.go", old_string="warp " * 40, new_string="weft " * 30)
    made = cut(item)
    assert [(chunk.part, chunk.leaf, chunk.tokens) for chunk in made.chunks] == [
        (Part.NEW, ("new_string",), 30),
        (Part.OLD, ("old_string",), 40),
    ]
    assert made.kept_tokens == 1


def test_each_edit_of_several_has_its_own_parts():
    edits = [{"old_string": "warp " * 20, "new_string": "weft " * 20}, {"old_string": "shed " * 20, "new_string": "pick " * 20}]
    chunks = cut(call("Edit", file_path="loom.go", edits=edits)).chunks
    assert [(chunk.part, chunk.leaf[1]) for chunk in chunks] == [(Part.NEW, 0), (Part.OLD, 0), (Part.NEW, 1), (Part.OLD, 1)]


def test_a_short_edit_is_one_chunk():
    chunks = cut(call("Edit", file_path="loom.go", old_string="warp " * 20, new_string="weft " * 20)).chunks
    assert [chunk.part for chunk in chunks] == [Part.WHOLE]


def test_what_is_written_goes_in_blocks_of_sixteen_lines():
    chunks = cut(call("Write", file_path="loom.go", content="the warp goes over\n" * 50)).chunks
    assert [(chunk.part, chunk.lines_at) for chunk in chunks] == [
        (Part.NEW, (1, 16)), (Part.NEW, (17, 32)), (Part.NEW, (33, 48)), (Part.NEW, (49, 50)),
    ]  # fmt: skip


def test_atoms_and_lines_of_arguments_are_those_of_the_text_and_not_of_its_json():
    text = '\tfooBarLoom\n\tif (a == "b c") then weave\n'
    item = call("Edit", file_path="l.go", old_string=text + "warp " * 60, new_string="weft")
    (old,) = [chunk for chunk in cut(item).chunks if chunk.part == Part.OLD]
    assert json.loads(item.text)["old_string"].startswith(text)
    assert "fooBarLoom" in old.atoms and not {one for one in old.atoms if one.startswith("n")}
    assert 'if (a == "b c") then weave' in old.lines


def test_every_other_call_is_one_chunk_of_what_is_long_in_it():
    made = cut(call("Bash", command="make weave " * 10, timeout=5))
    assert [(chunk.part, chunk.leaf) for chunk in made.chunks] == [(Part.WHOLE, ("command",))]
    assert cut(call("Read", file_path="a/path/that/is/longer/than/twenty/four")).chunks == ()
    assert cut(call("Bash", command="ls")).chunks == ()


def test_arguments_that_are_no_json_stay():
    item = Item("t:0", "loom:1", 0, ItemKind.TOOL_CALL, "weave " * 200, tool_name="apply", tool_category="edit")
    assert cut(item).chunks == ()


def test_what_people_and_the_agent_said_has_no_chunks():
    talk = Talk().user("warp " * 200).say("warp " * 200).think("warp " * 200).inject("warp " * 200).summary("warp " * 200)
    assert [cut(item).chunks for item in talk.items] == [()] * 5


def test_a_result_is_of_a_read_where_a_shell_only_read():
    talk = (
        Talk()
        .call("Bash", "warp", command="cat loom.go")
        .call("Bash", "warp", command="rg warp")
        .call("Bash", "x", command="make")
    )
    found = [source_of(result, call) for call, result in zip(talk.items[::2], talk.items[1::2], strict=True)]
    assert found == [ToolCategory.READ, ToolCategory.SEARCH, ToolCategory.SHELL]
    assert source_of(talk.items[0], None) is None
