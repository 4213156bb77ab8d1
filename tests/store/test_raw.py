"""The copy in raw/ is byte for byte the log, over any number of nights, torn nights and unfinished last lines."""

import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.domain.errors import DamageError
from tasks.store import raw
from tasks.store.raw import Copied

NOTHING = Copied(0, 0)


class Copying:
    """A log and its copy; `night` says what the log holds and how much of it is complete lines."""

    def __init__(self, folder: Path) -> None:
        self.log, self.target = folder / "log.jsonl", folder / "raw" / "ab" / "ab.0.zst"
        self.kept, self.kept_plain = NOTHING, 0

    def night(self, content: bytes) -> Copied:
        committed = content.rfind(b"\n") + 1
        self.log.write_bytes(content)
        self.kept = raw.copy(
            str(self.log), self.target, kept=self.kept, kept_plain=self.kept_plain, committed=committed, size=len(content)
        )
        self.kept_plain = committed
        return self.kept

    def copy(self) -> bytes:
        with raw.open_copy(self.target) as stream:
            return stream.read()


@pytest.fixture
def copying(tmp_path: Path) -> Copying:
    return Copying(tmp_path)


NIGHTS = {
    "one night": [b"one\ntwo\n"],
    "growing": [b"one\n", b"one\ntwo\n", b"one\ntwo\nthree\n"],
    "an unfinished line that is finished": [b"one\ntw", b"one\ntwo\n"],
    "an unfinished line that stays": [b"one\ntw", b"one\ntw"],
    "nothing but an unfinished line": [b"on", b"one\n"],
    "an unfinished line that became another": [b"one\ntw", b"one\nt\nfour\n"],
    "an empty log": [b"", b"one\n"],
}


@pytest.mark.parametrize("nights", NIGHTS.values(), ids=NIGHTS)
def test_copy_is_the_log_after_every_night(copying: Copying, nights: list[bytes]):
    for content in nights:
        copying.night(content)
        assert copying.copy() == content


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.text("ab\n", max_size=60).map(str.encode), cuts=st.lists(st.integers(0, 60), max_size=5))
def test_copy_is_the_log_for_any_cut_into_nights(tmp_path: Path, content: bytes, cuts: list[int]):
    copying = Copying(tmp_path)
    for cut in [*sorted(cuts), len(content)]:
        copying.night(content[:cut])
    assert copying.copy() == content


def test_a_night_adds_a_frame_and_rewrites_none(copying: Copying):
    copying.night(b"one\n")
    before = copying.target.read_bytes()
    copying.night(b"one\ntwo\n")
    assert copying.target.read_bytes().startswith(before)


def test_unfinished_line_is_cut_off_before_the_next_frame(copying: Copying):
    kept = copying.night(b"one\ntw")
    complete = copying.target.read_bytes()[: kept.committed]
    copying.night(b"one\ntwo\n")
    assert copying.target.read_bytes()[: kept.committed] == complete
    assert kept.committed < kept.total


def test_what_a_killed_night_left_is_cut_back(copying: Copying):
    copying.night(b"one\n")
    with copying.target.open("ab") as file:
        file.write(b"half a frame, never committed")
    copying.night(b"one\ntwo\n")
    assert copying.copy() == b"one\ntwo\n"


def test_generation_that_was_never_committed_is_written_over(copying: Copying):
    copying.target.parent.mkdir(parents=True)
    copying.target.write_bytes(b"litter of a first night that was killed")
    copying.night(b"one\n")
    assert copying.copy() == b"one\n"


def test_copy_is_private(copying: Copying):
    copying.night(b"one\n")
    assert stat.S_IMODE(copying.target.stat().st_mode) == 0o600


def test_log_that_became_shorter_since_it_was_looked_at_is_an_error(copying: Copying):
    copying.log.write_bytes(b"one\n")
    with pytest.raises(OSError, match="became shorter"):
        raw.copy(str(copying.log), copying.target, kept=NOTHING, kept_plain=0, committed=8, size=8)


def test_torn_frame_is_told_by_its_length_alone(copying: Copying):
    content = bytes(range(256)) * 400 + b"\n"
    copying.night(content)
    copying.target.write_bytes(copying.target.read_bytes()[:-9])
    torn = copying.copy()
    assert len(torn) < len(content)
    with pytest.raises(DamageError, match=rf"holds {len(torn)} bytes of its log, {len(content)} were committed"):
        raw.check_length(copying.target, len(torn), len(content))
