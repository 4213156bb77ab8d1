"""Every file of an archive is named once; what is not opened is named with its reason."""

import os
from pathlib import Path

import pytest

from tasks.domain.errors import UsageError
from tasks.store.walk import Found, Refused, walk


def tree(root: Path, *names: str) -> Path:
    """Files of those names, each holding its own name."""
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return root


def found(root: Path) -> list[str]:
    return [os.path.relpath(entry.path, root) for entry in walk(root) if isinstance(entry, Found)]


def refused(root: Path) -> dict[str, str]:
    return {os.path.relpath(entry.path, root): entry.reason for entry in walk(root) if isinstance(entry, Refused)}


def test_files_come_in_the_same_order_however_they_were_made(tmp_path: Path):
    names = ["b/2.jsonl", "a.jsonl", "b/1.jsonl", "b/c/3.jsonl", ".hidden/4.jsonl"]
    one, other = tree(tmp_path / "one", *names), tree(tmp_path / "other", *reversed(names))
    assert found(one) == found(other)
    assert sorted(found(one)) == sorted(names)


def test_single_file_is_an_archive_too(tmp_path: Path):
    tree(tmp_path, "only.jsonl")
    (entry,) = walk(tmp_path / "only.jsonl")
    assert isinstance(entry, Found)
    assert (entry.path, entry.stamp[0]) == (str(tmp_path / "only.jsonl"), len("only.jsonl"))


def test_archive_that_is_not_there_is_bad_usage(tmp_path: Path):
    with pytest.raises(UsageError, match=r"--archive .*nowhere: No such file or directory\. Name an existing"):
        list(walk(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("a.jsonl", "link to a place that is walked anyway, not followed"),
        ("folder", "link to a place that is walked anyway, not followed"),
        (".", "link to a place that is walked anyway, not followed"),
        ("../outside.jsonl", "link out of the archive, not followed"),
        ("../archive-twin", "link out of the archive, not followed"),
        ("gone.jsonl", "link that leads nowhere: No such file or directory"),
        ("link", "link that leads nowhere: Too many levels of symbolic links"),
    ],
)
def test_link_is_never_followed(tmp_path: Path, target: str, reason: str):
    root = tree(tmp_path / "archive", "a.jsonl", "folder/b.jsonl")
    tree(tmp_path, "outside.jsonl", "archive-twin/c.jsonl")
    (root / "link").symlink_to(target)
    assert refused(root) == {"link": reason}
    assert found(root) == ["a.jsonl", "folder/b.jsonl"]


def test_archive_named_by_a_link_is_walked_under_its_own_name(tmp_path: Path):
    tree(tmp_path / "archive", "a.jsonl")
    (tmp_path / "link").symlink_to("archive")
    assert [entry.path for entry in walk(tmp_path / "link")] == [str(tmp_path / "archive" / "a.jsonl")]


def test_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert refused(tmp_path) == {"pipe.jsonl": "not a regular file"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_named_and_the_rest_is_walked(tmp_path: Path):
    tree(tmp_path, "closed/1.jsonl", "mine.jsonl", "theirs.jsonl")
    (tmp_path / "closed").chmod(0)
    (tmp_path / "theirs.jsonl").chmod(0)
    told = refused(tmp_path)
    (tmp_path / "closed").chmod(0o700)
    assert told == {
        "closed": "folder cannot be read: Permission denied",
        "theirs.jsonl": "cannot be read: Permission denied",
    }
    assert found(tmp_path) == ["mine.jsonl"]


def test_names_with_spaces_newlines_and_other_scripts_are_names(tmp_path: Path):
    names = ["a b.jsonl", "a\nb.jsonl", "織物.jsonl", "' or 1=1 --.jsonl"]
    assert sorted(found(tree(tmp_path, *names))) == sorted(names)


def test_names_that_are_no_text_are_shown_as_texts_that_stay_distinct(tmp_path: Path):
    for name in (b"\xff.jsonl", b"\xfe.jsonl"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).symlink_to("nowhere")
    assert sorted(refused(tmp_path)) == ["\\xfe.jsonl", "\\xff.jsonl"]


def test_stamp_betrays_a_file_whose_size_and_time_were_put_back(tmp_path: Path):
    path = tree(tmp_path, "a.jsonl") / "a.jsonl"
    (before,) = walk(tmp_path)
    path.write_text("b.jsonl")
    assert isinstance(before, Found)
    os.utime(path, ns=(before.mtime_ns, before.mtime_ns))
    (after,) = walk(tmp_path)
    assert isinstance(after, Found)
    assert (before.stamp[0], before.mtime_ns) == (after.stamp[0], after.mtime_ns)
    assert before.stamp != after.stamp
