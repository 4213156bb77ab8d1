"""The command itself, ended by the system at any moment: fifty times, then once left alone."""

import contextlib
import os
import random
import stat
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from lakes import fingerprint
from logs import ClaudeLog, CodexLog

from tasks.store import manifest
from tasks.store.layout import Layout

ROOT = Path(__file__).resolve().parents[1]
KILLS = 50
KEY = b"k" * 32


def _archive(root: Path) -> Path:
    for n in range(100):
        log = ClaudeLog(f"loom-{n}")
        for row in range(12):
            log.prompt(f"Row {row}.").answer(f"Woven {row} of {n}.").call(
                "Read", {"file_path": f"{row}.py"}, f"x = {row}\n" * 200
            )
        log.write(root)
        CodexLog(f"dye-{n}").prompt("Mix.").answer("Mixed.").write(root)
    return root


def _ingest(archive: Path, data: Path) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "flows",
        "ingest",
        "--archive",
        str(archive),
        "--data",
        str(data),
        "--quiet",
        "--workers",
        "1",
    ]
    return subprocess.Popen(command, cwd=ROOT, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _prepared(data: Path) -> Layout:
    layout = Layout(data)
    layout.prepare()
    layout.key.write_bytes(KEY)
    return layout


def _last_written(layout: Layout, since: float) -> str | None:
    """The folder of raw/ or lake/ that was written last since a moment; None if nothing was."""
    recent = []
    for path in (path for top in (layout.raw, layout.lake) for path in top.rglob("*") if path != layout.key):
        with contextlib.suppress(FileNotFoundError):  # renamed into its place meanwhile
            status = path.stat()
            if stat.S_ISREG(status.st_mode) and status.st_mtime >= since:
                recent.append((status.st_mtime, path))
    if not recent:
        return None
    newest = max(recent)[1].relative_to(layout.data)
    return "/".join(newest.parts[:2])


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_fifty_kills_of_the_command_then_one_complete_run_equal_an_undisturbed_lake(tmp_path: Path) -> None:
    archive = _archive(tmp_path / "archive")
    whole = _prepared(tmp_path / "whole")
    started, first_write = time.time(), None
    undisturbed = _ingest(archive, whole.data)
    while undisturbed.poll() is None:
        if first_write is None and _last_written(whole, started):
            first_write = time.time() - started
        time.sleep(0.01)
    needs = time.time() - started
    assert undisturbed.returncode == 0
    assert first_write is not None

    layout, chance = _prepared(tmp_path / "killed"), random.Random(50)
    inside: Counter[str] = Counter()
    for kill in range(KILLS):
        started = time.time()
        run = _ingest(archive, layout.data)
        if kill % 2:  # every other one once it has begun to write, however fast or slow the machine is
            while not _last_written(layout, started) and run.poll() is None:
                time.sleep(0.01)
            time.sleep(chance.uniform(0, (needs - first_write) / 2))
        else:
            time.sleep(chance.uniform(0, needs))
        os.killpg(run.pid, 9)
        run.wait()
        where = _last_written(layout, started)
        if manifest.latest(layout).snapshot == 0 and where:
            inside[where] += 1
        for snapshot in manifest.snapshots(layout):
            layout.manifest(snapshot).unlink()
        layout.hints.unlink(missing_ok=True)
    print(f"{inside.total()} of {KILLS} kills between first write and commit, last writing to: {dict(inside.most_common())}")
    assert _ingest(archive, layout.data).wait() == 0

    assert inside.total() >= 15
    assert fingerprint(layout.data) == fingerprint(whole.data)
