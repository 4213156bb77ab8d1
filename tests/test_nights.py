"""However logs are ordered, copied and cut into nights, the lake in the end is the same."""

import itertools
import random
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from lakes import ask, fingerprint, logical_rows, night
from logs import ClaudeLog, CodexLog

from tasks.store import manifest
from tasks.store.layout import Layout


def _family() -> tuple[dict[str, bytes], dict[str, int]]:
    """A session as three growing copies, a resume and a fork, a Codex rollout with a fork; and their true totals.

    Paid: 4 calls of (3, 10, 100, 7) tokens in the first session, 1 in the resume, 1 in the fork; 2 and 1 Codex calls of
    100 input (60 cached) and 9 output.
    """
    first = (
        ClaudeLog("first").prompt("Warp the loom.").answer("Warping.", "Warped.").call("Read", {"file_path": "a.py"}, "x = 1")
    )
    first.prompt("Now weave.").answer("Weaving.").answer("Woven.")
    resume = first.resumed("resume").prompt("Dye it.").answer("Dyed.", "Dry.")
    fork = first.forked("fork", 4).prompt("Knit it instead.").answer("Knitting.")
    codex = CodexLog("loom").prompt("Spin.").answer("Spun.").prompt("Again.").answer("Spun twice.")
    codex_fork = codex.forked("loom-fork").prompt("Card first.").answer("Carded.")
    lines = first.lines()
    files = {
        f"projects/a/{first.session_id}.jsonl": b"".join(lines),
        "exports/1/full.jsonl": b"".join(lines[:3]),
        "exports/2/full.jsonl": b"".join(lines[:6]),
        f"projects/a/{resume.session_id}.jsonl": b"".join(resume.lines()),
        f"projects/a/{fork.session_id}.jsonl": b"".join(fork.lines()),
        f"sessions/rollout-{codex.session_id}.jsonl": b"".join(codex.lines()),
        f"sessions/rollout-{codex_fork.session_id}.jsonl": b"".join(codex_fork.lines()),
    }
    totals = {
        "calls": 6 + 3,
        "uncached": 6 * 3 + 3 * 40,
        "written": 60,
        "read": 600 + 180,
        "output": 42 + 27,
        "prompts": 2 + 1 + 1 + 3,
    }
    return files, totals


def _write(archive: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = archive / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _totals(data: Path) -> dict[str, int]:
    (row,) = ask(
        data,
        "select count(*), sum(input_uncached_tokens), coalesce(sum(cache_write_tokens), 0),"
        " sum(cache_read_tokens), sum(output_tokens),"
        " (select count(*) from items where kind = 'user_text') from requests",
    )
    return dict(zip(("calls", "uncached", "written", "read", "output", "prompts"), map(int, row), strict=True))


def test_one_night_counts_what_was_paid(tmp_path: Path) -> None:
    files, totals = _family()
    _write(tmp_path / "archive", files)

    night(tmp_path / "archive", tmp_path / "data")

    assert _totals(tmp_path / "data") == totals


@pytest.mark.parametrize("seed", range(6))
def test_one_file_a_night_in_any_order_ends_in_the_same_lake(tmp_path: Path, seed: int) -> None:
    """Rows, homes, turns and lineage too, not only totals."""
    files, totals = _family()
    _write(tmp_path / "all", files)
    night(tmp_path / "all", tmp_path / "once")
    order = list(files)
    random.Random(seed).shuffle(order)
    for name in order:
        _write(tmp_path / "archive", {name: files[name]})
        night(tmp_path / "archive", tmp_path / "data")

    assert _totals(tmp_path / "data") == totals
    assert logical_rows(tmp_path / "data", _DERIVED) == logical_rows(tmp_path / "once", _DERIVED)


@settings(
    max_examples=8,
    phases=(Phase.explicit, Phase.generate),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
@given(data=st.data())
def test_any_split_of_growing_files_into_nights_ends_in_the_same_totals(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Every file appears on some night, cut at any byte, and grows on others until it is whole."""
    tmp_path = tmp_path_factory.mktemp("split")
    (tmp_path / "archive").mkdir()
    files, totals = _family()
    cuts = {name: sorted(data.draw(st.lists(st.integers(1, len(files[name])), max_size=2), label=name)) for name in files}
    starts = {name: data.draw(st.integers(0, 2), label=f"first night of {name}") for name in files}
    for n in range(5):
        for name, content in files.items():
            if n >= starts[name]:
                steps = [*cuts[name], len(content)]
                _write(tmp_path / "archive", {name: content[: steps[min(n - starts[name], len(steps) - 1)]]})
        night(tmp_path / "archive", tmp_path / "data")
    again = night(tmp_path / "archive", tmp_path / "data")

    assert _totals(tmp_path / "data") == totals
    assert not again.is_committed
    shutil.rmtree(tmp_path)


def test_ten_nights_of_growing_logs_equal_one_go(tmp_path: Path) -> None:
    files, _ = _family()
    for n in range(1, 11):
        _write(tmp_path / "archive", {name: content[: len(content) * n // 10] for name, content in files.items()})
        night(tmp_path / "archive", tmp_path / "data")
    night(tmp_path / "archive", tmp_path / "once")

    assert fingerprint(tmp_path / "data") == fingerprint(tmp_path / "once")


def test_a_night_with_nothing_new_makes_no_manifest(tmp_path: Path) -> None:
    files, _ = _family()
    _write(tmp_path / "archive", files)
    first = night(tmp_path / "archive", tmp_path / "data")
    second = night(tmp_path / "archive", tmp_path / "data")

    assert (first.is_committed, second.is_committed) == (True, False)
    assert manifest.snapshots(Layout(tmp_path / "data")) == [1]


def test_one_new_and_one_grown_file_change_exactly_their_rows(tmp_path: Path) -> None:
    """Sessions that share nothing with them keep the rows of the commit before."""
    archive, data = tmp_path / "archive", tmp_path / "data"
    still, grows = ClaudeLog("still").prompt("Rest.").answer("Resting."), ClaudeLog("grows").prompt("Go.").answer("Going.")
    still.write(archive)
    grows.write(archive)
    night(archive, data)
    grows.prompt("On.").answer("Gone.").write(archive)
    ClaudeLog("new").prompt("Hello.").answer("Hi.").write(archive)
    night(archive, data)

    for table, owner in itertools.product(("items", "requests", "sessions", "placements"), ("still", "grows", "new")):
        session = f"claude-code:{ClaudeLog(owner).session_id}"
        commits = ask(data, f"select distinct commit from lake.{table} where session_id = '{session}'")
        assert commits == [(1 if owner == "still" else 2,)], (table, owner)


_DERIVED = ("sessions", "requests", "items", "placements", "compactions")
