"""A log gives its plain bytes however it is packed, and nothing that is no log is waited for, followed or unpacked."""

import gzip
import hashlib
import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tasks.store import content
from tasks.store.content import BLOCK, BombError, digests
from tasks.store.places import Place

PLAIN = b'{"type": "user"}\n' * 5_000


def in_frames(*pieces: bytes) -> bytes:
    return b"".join(zstandard.ZstdCompressor().compress(piece) for piece in pieces)


PACKED = {
    "plain": PLAIN,
    "gz": gzip.compress(PLAIN),
    "gz of two members": gzip.compress(PLAIN[:999]) + gzip.compress(PLAIN[999:]),
    "zst": in_frames(PLAIN),
    "zst of many frames": in_frames(PLAIN[:1], PLAIN[1:40_000], b"", PLAIN[40_000:]),
    "zst without a size": zstandard.ZstdCompressor(write_content_size=False).compress(PLAIN),
}


@pytest.mark.parametrize("packed", PACKED.values(), ids=PACKED)
def test_plain_bytes_come_out_whatever_the_name_says(tmp_path: Path, packed: bytes):
    (tmp_path / "log.txt").write_bytes(packed)
    with Place(str(tmp_path / "log.txt")).open() as log:
        assert log.read() == PLAIN


@pytest.mark.parametrize("packed", [b"", b"{", b"\x1f", b"\x28\xb5"])
def test_file_too_short_for_any_magic_is_plain(tmp_path: Path, packed: bytes):
    (tmp_path / "log").write_bytes(packed)
    with Place(str(tmp_path / "log")).open() as log:
        assert log.read() == packed


DAMAGED = {
    "cut gzip": gzip.compress(PLAIN)[:60],
    "gzip in its first bytes alone": b"\x1f\x8b" + b"junk" * 9,
    "gzip with a spoiled middle": gzip.compress(PLAIN)[:40] + b"junk" * 9 + gzip.compress(PLAIN)[76:],
    "zstd in its first bytes alone": b"\x28\xb5\x2f\xfd" + b"junk" * 9,
    "zstd with a spoiled frame": in_frames(PLAIN, PLAIN)[:-20] + b"junk" * 5,
}


@pytest.mark.parametrize("damaged", DAMAGED.values(), ids=DAMAGED)
def test_damaged_packing_is_an_error_of_that_file(tmp_path: Path, damaged: bytes):
    (tmp_path / "log").write_bytes(damaged)
    with Place(str(tmp_path / "log")).open() as log, pytest.raises(OSError, match=r".+"):
        log.read()


def test_pipe_and_folder_and_link_are_no_logs(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(__file__)
    for name in ("pipe", "folder", "link", "nothing"):
        with pytest.raises(OSError, match=r".+"):
            Place(str(tmp_path / name)).open()


@pytest.mark.parametrize("pack", [gzip.compress, in_frames], ids=["gz", "zst"])
def test_bomb_is_stopped(tmp_path: Path, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(content, "RATIO_FREE_BYTES", 1 << 20)
    (tmp_path / "bomb").write_bytes(pack(bytes(4 << 20)))
    with Place(str(tmp_path / "bomb")).open() as log, pytest.raises(BombError, match="decompresses to more than"):
        while log.read(BLOCK):
            pass


def test_small_log_of_repeated_lines_is_no_bomb(tmp_path: Path):
    plain = b"{}\n" * 1_000_000
    (tmp_path / "log.gz").write_bytes(gzip.compress(plain))
    with Place(str(tmp_path / "log.gz")).open() as log:
        assert len(log.read()) == len(plain)


@given(text=st.binary(max_size=200), offsets=st.lists(st.integers(0, 220), max_size=6))
def test_digests_are_those_of_the_prefixes_and_absent_beyond_the_end(text: bytes, offsets: list[int]):
    expected = {n: hashlib.sha256(text[:n]).hexdigest() for n in offsets if n <= len(text)}
    assert digests(io.BytesIO(text), offsets) == expected


def test_digests_reach_over_blocks():
    text = os.urandom(1) * (BLOCK + 10)
    assert digests(io.BytesIO(text), [BLOCK + 5, BLOCK - 5]) == {
        n: hashlib.sha256(text[:n]).hexdigest() for n in (BLOCK - 5, BLOCK + 5)
    }
