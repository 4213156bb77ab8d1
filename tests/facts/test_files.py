from sessions import Talk

from tasks.facts.files import FileTouch, files


def test_last_touch_comes_first_and_an_edit_is_remembered() -> None:
    talk = Talk().user("go").call("Read", path="a.py").call("Edit", path="a.py").call("Grep", path="src").user("on")
    talk.call("Read", path="a.py")
    assert files(talk.items) == [
        FileTouch("a.py", "read", 2, 6, 3, was_edited=True),
        FileTouch("src", "search", 1, 4, 1, was_edited=False),
    ]


def test_whole_file_written_is_a_write() -> None:
    assert [(f.op, f.was_edited) for f in files(Talk().user("go").call("Write", path="b.py").items)] == [("write", True)]


def test_patch_names_its_files() -> None:
    patch = (
        "*** Begin Patch\n*** Add File: new.py\n+x\n*** Update File: old one.py\n@@\n*** Delete File: gone.py\n*** End Patch"
    )
    talk = Talk().user("go").call("apply_patch", input=patch)
    assert {(f.path, f.op) for f in files(talk.items)} == {("new.py", "add"), ("old one.py", "edit"), ("gone.py", "delete")}


def test_path_in_a_result_or_in_talk_is_no_touch() -> None:
    talk = Talk().user("see a.py").says("*** Update File: a.py").call("Bash", command="ls").result("*** Add File: b.py")
    assert files(talk.items) == []


def test_files_of_a_shell_are_touched_like_any_other() -> None:
    talk = Talk().user("go").call("Bash", command="cat a.py && sed -i s/a/b/ b.py && ruff format c.py && git checkout main")
    assert [(f.path, f.op, f.was_edited) for f in files(talk.items)] == [
        ("c.py", "format", False), ("b.py", "edit", True), ("a.py", "read", False),
    ]  # fmt: skip
