"""Every session of a lake goes out in every format: of the samples, of every format that has a writer, of forks and rewinds.

That Harbor reads the ATIF documents is tested where its package is unpacked: in the folder that `HARBOR_MODELS` names.
"""

import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from builders import Answer, Story, Tool, Turn, Used
from lakes import ask, night
from logs import ClaudeLog, CodexLog

from tasks.domain.errors import UsageError
from tasks.export import document
from tasks.exports.registry import FORMATS
from tasks.store import catalog
from tasks.store.layout import Layout
from tasks.store.samples import samples_dir

HARBOR = os.environ.get("HARBOR_MODELS")
FILES = sorted(path.stem for path in (Path(__file__).parent / "writers").glob("*.py"))
STORY = Story(
    "00000000-0000-4000-8000-00000000feed",
    (
        Turn("Warp the loom.", (
            Answer("Warping.", Used(9, 40, 5, 12, 3), "Which yarn?", (Tool("run", {"n": 1}, "ok"), Tool("edit", {}, "done"))),
            Answer("Warped.", Used(7, 60, 0, 4, 0)),
        )),
        Turn("Weft?", (Answer("Blue.", Used(2, 70, 3, 5, 1)),)),
    ),
)  # fmt: skip


def _invented(archive: Path) -> None:
    """A session in two files, a fork of it, a compaction, and a fork with new stamps."""
    log = ClaudeLog("export").prompt("Thread the loom.").call("Read", {"file_path": "/srv/a"}, "weft").answer("Threaded.")
    log.compact("So far: threaded.").prompt("Go on.").answer("On.")
    log.write(archive / "whole")
    log.resumed("export-resumed").prompt("And more.").answer("More.").write(archive / "resumed")
    parent = CodexLog("export").prompt("Count the threads.").answer("Twelve.")
    parent.write(archive / "codex")
    parent.forked("export-fork").prompt("Again.").answer("Thirteen.").write(archive / "codex")
    for file in FILES:
        for writer in import_module(f"writers.{file}").WRITERS:
            folder = archive / "told" / writer.name
            folder.mkdir(parents=True)
            writer.write(STORY, folder)


@pytest.fixture(scope="module", params=["samples", "invented"])
def lake(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lake")
    archive = samples_dir()
    if request.param == "invented":
        archive = folder / "archive"
        archive.mkdir()
        _invented(archive)
    night(archive, folder / "data", final_grace_hours=0)
    return folder / "data"


def exported(data: Path, form: str) -> dict[str, str]:
    """Every session's document, sub-agents on their own, too."""
    with catalog.connect(Layout(data)) as con:
        sessions = [row[0] for row in con.execute("select session_id from sessions order by 1").fetchall()]
        return {session: document(con, session, form) for session in sessions}


def test_every_session_goes_out_in_every_format(lake: Path):
    for form in FORMATS:
        documents = exported(lake, form)
        assert documents
        assert all(documents.values())


def test_every_line_of_jsonl_is_one_item_with_its_place_in_the_log(lake: Path):
    for session, text in exported(lake, "jsonl").items():
        lines = [json.loads(line) for line in text.splitlines()]
        own = [line for line in lines if line["session_id"] == session]
        ((placed,),) = ask(lake, f"select count(*) from placements where session_id = '{session}'")
        assert [line["position"] for line in own] == list(range(placed))
        for line in own:
            log = Path(line["log"]["path"])
            if log.is_file():
                start = line["log"]["byte_offset"]
                said = log.read_bytes()[start : start + line["log"]["byte_length"]]
                assert said.strip() or not line["log"]["byte_length"]  # rows of a database have no place in its bytes
                assert not said or log.suffix != ".jsonl" or json.loads(said)


def test_atif_tells_every_item_of_the_path_once_and_every_own_call_once(lake: Path):
    for session, text in exported(lake, "atif").items():
        document = json.loads(text)
        steps = document["steps"]
        told = [name for step in steps for name in step.get("extra", {}).get("item_ids", ())]
        told += [
            result["extra"]["item_id"] for step in steps for result in step.get("observation", {}).get("results", ())
            if result["extra"]["item_id"] not in told
        ]  # fmt: skip
        placed = ask(lake, f"select item_id from placements where session_id = '{session}' and on_path")
        assert sorted(told) == sorted(row[0] for row in placed)
        paid = [step["metrics"].get("prompt_tokens", 0) for step in steps if "metrics" in step]
        ((total,),) = ask(lake, f"select coalesce(sum(prompt_tokens), 0) from requests where session_id = '{session}'")
        left = document.get("final_metrics", {}).get("extra", {}).get("left_branches", {})
        assert sum(paid) + left.get("prompt_tokens", 0) == total


def test_atif_says_what_is_copied(lake: Path):
    for session, text in exported(lake, "atif").items():
        copied = [step for step in json.loads(text)["steps"] if step.get("is_copied_context")]
        inherited = ask(lake, f"select 1 from placements where session_id = '{session}' and inherited and on_path")
        assert bool(copied) == bool(inherited)
        assert not any("metrics" in step for step in copied)


@pytest.mark.skipif(HARBOR is None, reason="HARBOR_MODELS names no unpacked package of Harbor")
def test_harbor_reads_every_atif_document(lake: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(HARBOR)
    trajectory: Any = import_module("harbor.models.trajectories").Trajectory
    assert Path(sys.modules["harbor"].__file__ or "").is_relative_to(Path(str(HARBOR)).resolve())
    for session, text in exported(lake, "atif").items():
        read = trajectory.model_validate_json(text)
        assert read.session_id == session
        again = json.dumps(read.to_json_dict(), sort_keys=True)
        assert again == json.dumps(json.loads(text), sort_keys=True), "Harbor loses something"


def test_an_unknown_format_or_session_is_bad_input(lake: Path):
    with catalog.connect(Layout(lake)) as con:
        with pytest.raises(UsageError, match="atif, jsonl, markdown"):
            document(con, "x", "html")
        with pytest.raises(UsageError, match="no session 'x'"):
            document(con, "x", "atif")
