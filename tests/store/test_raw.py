"""The copy in raw/ is byte for byte the log, over any number of nights, torn nights and unfinished last lines."""

import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.store import raw
from tasks.store.places import Place


class Copying:
    """A log that only grows, and its copy; `night` says what the log holds."""

    def __init__(self, folder: Path) -> None:
        self.log, self.target = folder / "log.jsonl", folder / "raw" / "ab" / "ab.0.zst"
        self.kept, self.kept_plain = 0, 0

    def night(self, content: bytes) -> int:
        self.log.write_bytes(content)
        self.kept = raw.copy(Place(str(self.log)), self.target, kept=self.kept, kept_plain=self.kept_plain, size=len(content))
        self.kept_plain = len(content)
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


def test_unfinished_line_stays_readable_by_its_own_snapshot(copying: Copying):
    """What a snapshot committed is never cut off again, so a night that ends anywhere leaves that snapshot whole."""
    kept = copying.night(b"one\ntw")
    copying.night(b"one\ntwo\n")
    with raw.open_copy(copying.target, kept) as stream:
        assert stream.read() == b"one\ntw"


def test_a_copy_with_nothing_kept_is_written_anew(copying: Copying):
    copying.night(b"one\ntw")
    copying.kept = copying.kept_plain = 0
    copying.night(b"one\nt\nfour\n")
    assert copying.copy() == b"one\nt\nfour\n"


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
        raw.copy(Place(str(copying.log)), copying.target, kept=0, kept_plain=0, size=8)
