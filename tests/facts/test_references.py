"""What a read leaves behind: path, revision, lines, what it established, and whether the file changed since."""

import hashlib
from typing import Any

import pytest
from contexts import Talk
from hypothesis import given
from hypothesis import strategies as st

from tasks.facts.references import Reference, definitions, references


def only(talk: Talk, **more: Any) -> Reference:
    (found,) = references(talk.items, **more)
    return found


def stale(talk: Talk) -> tuple[str, int | None] | None:
    found = references(talk.items)[0].stale
    return (found.certainty, found.turn) if found else None


def test_a_read_tells_path_lines_turn_and_the_digest_of_what_came_back():
    reference = only(Talk().user("go").call("Read", "a\nb\n", file_path="db/orders.sql"))
    digest = hashlib.sha256(b"a\nb\n").hexdigest()[:12]
    assert (reference.path, reference.op, reference.turn, reference.request_no) == ("db/orders.sql", "read", 1, 2)
    assert (reference.first_line, reference.last_line, reference.lines) == (1, 2, 2)
    assert (reference.revision, reference.stale, reference.established) == (f"sha256:{digest}", None, "")


LINES = {
    "numbers of the result": (({"file_path": "a.py"}, "    12→x\n    13→y\n"), (12, 13, 2)),
    "numbers before a tab": (({"file_path": "a.py", "offset": 3}, "  3\tx\n  4\ty"), (3, 4, 2)),
    "offset and limit": (({"file_path": "a.py", "offset": 5, "limit": 10}, "x\ny\nz"), (5, 7, 3)),
    "range of a view": (({"file_path": "a.py", "view_range": [4, 5]}, "x\ny"), (4, 5, 2)),
    "start and end": (({"file_path": "a.py", "start_line": 2, "end_line": 3}, "x\ny\nfooter"), (2, 3, 2)),
    "odd offset": (({"file_path": "a.py", "offset": "five", "limit": -1}, "x"), (1, 1, 1)),
    "no text": (({"file_path": "a.py"}, ""), (None, None, None)),
}


@pytest.mark.parametrize("case", LINES)
def test_lines_come_from_the_result_or_from_what_was_asked(case: str):
    (arguments, result), expected = LINES[case]
    reference = only(Talk().user("go").call("Read", result, **arguments))
    assert (reference.first_line, reference.last_line, reference.lines) == expected


SHELL_LINES = {
    "cat a.py": (1, 3, 3),
    "sed -n '10,25p' a.py": (10, 12, 3),
    "head -n 2 a.py": (1, 2, 2),
    "tail -3 a.py": (None, None, 3),
}


@pytest.mark.parametrize("command", SHELL_LINES)
def test_lines_of_a_shell_read_are_known_only_where_its_words_tell(command: str):
    reference = only(Talk().user("go").call("Bash", "x\ny\nz\n", command=command))
    assert (reference.first_line, reference.last_line, reference.lines) == SHELL_LINES[command]


def test_two_files_of_one_call_share_its_text_and_have_no_lines():
    found = references(Talk().user("go").call("Bash", "x\ny\n", command="cat a.py b.py").items)
    assert [(one.path, one.lines, one.established) for one in found] == [("a.py", None, ""), ("b.py", None, "")]


REVISIONS: dict[str, tuple[list[tuple[str, str]], str]] = {
    "rev-parse": ([("git rev-parse HEAD", "9f2c1ae0d3b4\n")], "9f2c1ae0d3b4"),
    "commit": ([("git commit -m x", "[main 9f2c1ae] x\n 1 file changed\n")], "9f2c1ae"),
    "log": ([("git log --oneline -3", "9f2c1ae weave\n1111111 spin\n")], "9f2c1ae"),
    "log of a path says nothing of the tree": ([("git log --oneline -- a.py", "9f2c1ae weave\n")], ""),
    "an edit since": ([("git rev-parse HEAD", "9f2c1ae0\n"), ("echo x > b.py", "")], "9f2c1ae0+dirty"),
    "an edit before": ([("echo x > b.py", ""), ("git rev-parse HEAD", "9f2c1ae0\n")], "9f2c1ae0+dirty"),
    "all is committed": ([("echo x > b.py", ""), ("git add -A && git commit -m x", "[main 9f2c1ae] x")], "9f2c1ae"),
    "a file is committed": ([("echo x > b.py", ""), ("git add b.py && git commit -m x", "[main 9f2c1ae] x")], "9f2c1ae"),
    "another is committed": ([("echo x > b.py", ""), ("git add c.py && git commit -m x", "[main 9f2c1ae] x")], "9f2c1ae+dirty"),
    "elsewhere by now": ([("git rev-parse HEAD", "9f2c1ae0\n"), ("git checkout main", "Switched")], ""),
    "words like a commit": ([("echo hello", "9f2c1ae0\n")], ""),
}


@pytest.mark.parametrize("case", REVISIONS)
def test_revision_is_what_git_printed(case: str):
    commands, expected = REVISIONS[case]
    talk = Talk().user("go")
    for command, result in commands:
        talk.call("Bash", result, command=command)
    revision = only(talk.call("Read", "x", file_path="a.py")).revision
    assert revision == (expected or f"sha256:{hashlib.sha256(b'x').hexdigest()[:12]}")


def test_revision_that_the_log_knows_at_its_start_holds():
    assert only(Talk().user("go").call("Read", "x", file_path="a.py"), commit="9f2c1ae").revision == "9f2c1ae"


ESTABLISHED = {
    "names the file": ("Good. Now orders.sql has no index! Next.", "Now orders.sql has no index!"),
    "names what is in it": ("Look. The query of list_orders() has no limit.", "The query of list_orders() has no limit."),
    "names neither": ("I see what is wrong here.", "list_orders"),
}


@pytest.mark.parametrize("case", ESTABLISHED)
def test_what_a_read_established_is_what_the_assistant_said_of_it(case: str):
    said, expected = ESTABLISHED[case]
    reference = only(Talk().user("go").call("Read", "def list_orders():\n    pass\n", file_path="db/orders.sql").say(said))
    assert (reference.established, reference.is_outline) == (expected, expected == "list_orders")


def test_sentence_that_comes_too_late_is_not_taken():
    talk = (
        Talk().user("go").call("Read", "x", file_path="orders.sql").think("a").think("b").think("c").say("In orders.sql it is.")
    )
    assert only(talk).established == ""


def test_outline_is_the_first_three_definitions_of_the_outermost_level():
    code = "import os\n\nclass Loom:\n    def weave(self): pass\n\nasync def spin(): pass\ndef dye(): pass\ndef cut(): pass\n"
    assert definitions(code) == ["Loom", "spin", "dye"]
    assert definitions("     1\tcreate table if not exists orders (\n     2\texport const warp = 1") == ["orders", "warp"]
    assert definitions("nothing to see") == []


READ = {"file_path": "/srv/looms/db/orders.sql"}
STALE: dict[str, tuple[list[tuple[str, dict[str, Any]]], tuple[str, int] | None]] = {
    "edited": ([("Edit", READ)], ("certain", 2)),
    "edited under a shorter name": ([("Edit", {"file_path": "db/orders.sql"})], ("certain", 2)),
    "edited twice": ([("Edit", READ), ("Edit", READ)], ("certain", 3)),
    "another of that name": ([("Edit", {"file_path": "/srv/looms/old/orders.sql"})], None),
    "written by a shell": ([("Bash", {"command": "cd /srv/looms && sed -i s/a/b/ db/orders.sql"})], ("certain", 2)),
    "patched": ([("apply_patch", {"input": "*** Begin Patch\n*** Update File: db/orders.sql\n@@\n"})], ("certain", 2)),
    "moved away": ([("Bash", {"command": "git mv db/orders.sql db/old.sql"})], ("certain", 2)),
    "formatted": ([("Bash", {"command": "npx prettier --write db"})], ("possible", 2)),
    "another branch": ([("Bash", {"command": "git checkout main"})], ("possible", 2)),
    "edited and then formatted": ([("Edit", READ), ("Bash", {"command": "npx prettier --write ."})], ("certain", 2)),
    "folder deleted": ([("Bash", {"command": "rm -r /srv/looms/db"})], ("possible", 2)),
    "only looked at": ([("Bash", {"command": "cat db/orders.sql; git status"})], None),
}


@pytest.mark.parametrize("case", STALE)
def test_reference_is_stale_when_its_file_changed_after_the_read(case: str):
    changes, expected = STALE[case]
    talk = Talk().user("go").call("Read", "x", **READ)
    for tool, arguments in changes:
        talk.user("on").call(tool, "ok", **arguments)
    assert stale(talk) == expected


def test_edit_before_the_read_makes_nothing_stale():
    assert stale(Talk().user("go").call("Edit", "ok", **READ).call("Read", "x", **READ)) is None


def test_edit_that_failed_changed_nothing_and_a_shell_that_failed_may_have():
    talk = Talk().user("go").call("Read", "x", **READ).call("Edit", "no such text", error=True, **READ)
    assert stale(talk) is None
    assert stale(talk.call("Bash", "oops", error=True, command="sed -i s/a/b/ db/orders.sql; false")) == ("possible", 1)


def test_read_that_failed_or_has_no_result_leaves_no_reference():
    assert references(Talk().user("go").call("Read", "gone", error=True, **READ).call("Read", **READ).items) == []


def test_reads_of_a_subagent_are_not_ours_but_its_edits_are():
    talk = Talk().user("go").call("Read", "x", **READ).call("Edit", "ok", **READ, is_sidechain=True)
    assert len(references(talk.items)) == 1


TEXTS = st.text(max_size=40) | st.sampled_from(
    ["*** Begin Patch\n*** Update File: a.py\n", "git commit -m x", "cat a.py", "[" * 3000]
)


@given(calls=st.lists(st.tuples(st.sampled_from(["Read", "Edit", "Bash", "Write", "Odd"]), TEXTS, TEXTS), max_size=8))
def test_any_session_gives_references_in_its_order(calls: list[tuple[str, str, str]]):
    talk = Talk().user("go")
    for tool, argument, result in calls:
        talk.call(tool, result, command=argument, file_path=argument)
    found = references(talk.items)
    assert [one.item.seq for one in found] == sorted(one.item.seq for one in found)
    assert all(one.revision and one.path for one in found)
