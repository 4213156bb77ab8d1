"""Token counts, offline. The only place that imports tiktoken."""

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import xxhash

from tasks.tokens.memo import Memo
from tasks.tokens.pieces import PIECE_CHARS, pieces
from tasks.tokens.vocabulary import bundled_folder, verified

Encode = Callable[[str], list[int]]

DEFAULT_ENCODING = "o200k_base"
CL100K_MODELS = re.compile(r"(?:^|[/:])(?:gpt-4(?:$|-)|gpt-3\.5|gpt-35-|text-embedding-)", re.IGNORECASE)
MEMO_CHARS = 128
"""Shorter texts are cheaper to encode than to remember."""
MEMO_ROOM = 100_000
BYTES_PER_TOKEN = 4
"""For the estimate of a text that the encoder gave up on."""

_CACHE_VARIABLE = "TIKTOKEN_CACHE_DIR"
_loading = threading.Lock()


class Count(NamedTuple):
    """Tokens of one text."""

    tokens: int
    estimated: bool
    """True where an unbroken run was cut or the encoder gave up; else `tokens` is exactly what the encoding gives."""


class Counter:
    """Counts with one encoding. Special tokens such as `<|endoftext|>` are text like any other.

    Not shared between threads or processes: each makes its own (the vocabulary itself is loaded once per process).
    """

    def __init__(self, encoding: str = DEFAULT_ENCODING, *, folder: Path | None = None) -> None:
        self.name = encoding
        self._encode, self.vocabulary_sha256 = load(encoding, folder or bundled_folder())
        self._memo: Memo[Count] = Memo(MEMO_ROOM)

    def count(self, text: str) -> Count:
        """The tokens of `text`; lone surrogates count as U+FFFD."""
        if len(text) < MEMO_CHARS:
            return self._count_piece(text)
        try:
            encoded = text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            encoded = text.encode()
        key = xxhash.xxh3_128_digest(encoded)
        known = self._memo.get(key)
        if known is None:
            known = self._count_piece(text) if len(text) <= PIECE_CHARS else self._count_pieces(text)
            self._memo.put(key, known)
        return known

    def _count_pieces(self, text: str) -> Count:
        tokens, estimated = 0, False
        for piece, is_exact in pieces(text):
            count = self._count_piece(piece)
            tokens += count.tokens
            estimated = estimated or count.estimated or not is_exact
        return Count(tokens, estimated)

    def _count_piece(self, text: str) -> Count:
        try:
            return Count(len(self._encode(text)), False)
        except MemoryError:
            raise
        except Exception:
            return _estimate(text)
        except BaseException as error:
            # A panic of the Rust core derives from BaseException, and its class cannot be imported.
            if type(error).__name__ != "PanicException":
                raise
            return _estimate(text)


def encoding_for(agent: str, model: str | None) -> str:
    """The encoding that comes nearest to the model's own: models of other makers have none that is published."""
    if model and CL100K_MODELS.search(model):
        return "cl100k_base"
    return DEFAULT_ENCODING


@lru_cache(maxsize=8)
def load(encoding: str, folder: Path) -> tuple[Encode, str]:
    """The encoder and the sha256 of its vocabulary. Never touches the network."""
    sha256 = verified(encoding, folder)
    import tiktoken

    with _loading, _cache_folder(folder):
        return tiktoken.get_encoding(encoding).encode_ordinary, sha256


@contextmanager
def _cache_folder(folder: Path) -> Iterator[None]:
    before = os.environ.get(_CACHE_VARIABLE)
    os.environ[_CACHE_VARIABLE] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[_CACHE_VARIABLE]
        else:
            os.environ[_CACHE_VARIABLE] = before


def _estimate(text: str) -> Count:
    return Count(-(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN), True)
