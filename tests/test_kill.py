"""A run that is ended anywhere leaves the last snapshot whole, and the next run ends in the lake of an undisturbed one."""

from pathlib import Path

import pytest
from kills import killed_at
from lakes import fingerprint, night
from logs import ClaudeLog, CodexLog

from tasks.store import durable, manifest
from tasks.store.layout import Layout

KILLS = 40


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Two agents, a resume and a fork, in two nights' worth of logs."""
    root = tmp_path / "archive"
    weave = (
        ClaudeLog("weave").prompt("Warp the loom.").answer("Warping.", "Done.").call("Bash", {"command": "ls"}, "loom\n" * 50)
    )
    weave.write(root)
    weave.resumed("again").prompt("Now the weft.").answer("On it.").write(root)
    dye = CodexLog("dye").prompt("Mix the madder.").answer("Mixed.")
    dye.write(root)
    dye.forked("dye-fork").prompt("Try weld.").answer("Yellow.").write(root)
    return root


def test_forty_kills_then_one_complete_run_equal_an_undisturbed_lake(archive: Path, tmp_path: Path) -> None:
    steps: list[str] = []
    expected = _undisturbed(archive, tmp_path / "whole", steps)
    data = tmp_path / "killed"
    layout = Layout(data)
    layout.prepare()
    layout.key.write_bytes(b"k" * 32)
    inside = []
    for kill in range(KILLS):
        at = 1 + kill * (len(steps) - 1) // (KILLS - 1)
        assert killed_at(at, lambda: night(archive, data)), f"the run was over before step {at}"
        if manifest.latest(layout).snapshot == 0 and steps.index("write:raw") < at:
            inside.append(steps[at - 1])
        if manifest.latest(layout).snapshot:
            _forget(layout)
        for note in layout.raw.rglob("*.json"):
            note.unlink()
    print(f"{len(inside)} of {KILLS} kills between first write and commit, at: {', '.join(sorted(set(inside)))}")

    night(archive, data)

    assert len(inside) >= 15
    assert fingerprint(data) == expected


def test_a_kill_while_logs_grow_loses_nothing_of_the_night_before(archive: Path, tmp_path: Path) -> None:
    """The second night appends to raw/; ended anywhere in it, the first night's snapshot is served until the third."""
    data = tmp_path / "lake"
    night(archive, data)
    first = fingerprint(data)
    more = (
        ClaudeLog("weave").prompt("Warp the loom.").answer("Warping.", "Done.").call("Bash", {"command": "ls"}, "loom\n" * 50)
    )
    more.prompt("Again.").answer("Again done.").write(archive)
    steps: list[str] = []
    expected = _undisturbed(archive, tmp_path / "whole", steps)
    at = 1
    while killed_at(at, lambda: night(archive, data)):
        if manifest.latest(Layout(data)).snapshot == 1:
            assert fingerprint(data) == first
        at += 3

    assert fingerprint(data) == expected


def _undisturbed(archive: Path, data: Path, steps: list[str]) -> str:
    Layout(data).prepare()
    Layout(data).key.write_bytes(b"k" * 32)
    durable.on_step = steps.append
    try:
        night(archive, data)
    finally:
        durable.on_step = lambda name: None
    return fingerprint(data)


def _forget(layout: Layout) -> None:
    """Take the commit back, so that the next kill meets a first run again, amid the litter of all before it."""
    for snapshot in manifest.snapshots(layout):
        layout.manifest(snapshot).unlink()
    layout.hints.unlink(missing_ok=True)
