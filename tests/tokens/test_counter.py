import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken.model
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.domain.errors import OfflineVocabularyError
from tasks.tokens.counter import MEMO_CHARS, Count, Counter, encoding_for, load
from tasks.tokens.vocabulary import FILES, bundled_folder

ENCODE = load("o200k_base", bundled_folder())[0]


def counter_that(encode: Callable[[str], list[int]]) -> Counter:
    counter = Counter()
    counter._encode = encode
    return counter


class PanicException(BaseException):
    pass


def raising(error: BaseException) -> Callable[[str], list[int]]:
    def encode(text: str) -> list[int]:
        raise error

    return encode


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400))
def test_count_is_what_the_encoding_gives(text: str) -> None:
    assert Counter().count(text) == Count(len(ENCODE(text)), False)


@pytest.mark.parametrize("text", ["", "<|endoftext|>", "a <|endofprompt|> b", "\x00", "naïve 窑 🔥", "x" * 5000, " " * 9000])
def test_ordinary_and_odd_texts_are_counted_exactly(text: str) -> None:
    assert Counter().count(text) == Count(len(ENCODE(text)), False)


def test_a_special_token_in_a_text_is_text() -> None:
    assert Counter().count("<|endoftext|>").tokens > 1


def test_a_long_text_with_seams_is_exact() -> None:
    text = "\n".join(f"{n:>6}\tdef fire_{n}(kiln): return kiln.heat({n}) // it's hot" for n in range(6000))
    assert Counter().count(text) == Count(len(ENCODE(text)), False)


@pytest.mark.parametrize("run", ["a", "^", "-", "7", "窑", "\n", " ", "\t", " \n"])
def test_a_million_times_the_same_is_an_estimate_near_the_truth(run: str, capfd: pytest.CaptureFixture[str]) -> None:
    length = 1_000_000 // len(run)
    count = Counter().count(run * length)
    tenth = len(ENCODE(run * (length // 10)))
    assert count.estimated
    assert count.tokens == pytest.approx(10 * tenth, rel=0.02)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("size", [1, MEMO_CHARS, 50_000])
def test_lone_surrogates_count_as_the_replacement_character(size: int) -> None:
    assert Counter().count("kiln \ud800 " * size) == Counter().count("kiln \ufffd " * size)


@pytest.mark.parametrize("error", [PanicException("stack overflow"), ValueError("regex engine")])
@pytest.mark.parametrize("size", [1, 400])
def test_an_encoder_that_gives_up_costs_an_estimate(error: BaseException, size: int) -> None:
    assert counter_that(raising(error)).count("kilnkiln" * size) == Count(2 * size, True)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), MemoryError()])
def test_an_interruption_is_not_swallowed(error: BaseException) -> None:
    with pytest.raises(type(error)):
        counter_that(raising(error)).count("kiln")


def test_a_repeated_text_is_encoded_once() -> None:
    seen: list[str] = []

    def encode(text: str) -> list[int]:
        seen.append(text)
        return ENCODE(text)

    text = "the same tool result " * 20
    counter = counter_that(encode)
    counts = [counter.count(text) for _ in range(3)]
    assert seen == [text]
    assert counts == [Count(len(ENCODE(text)), False)] * 3


def test_the_counter_names_its_vocabulary() -> None:
    assert Counter("cl100k_base").name == "cl100k_base"
    assert Counter("cl100k_base").vocabulary_sha256 == FILES["cl100k_base"][1]


def test_a_missing_vocabulary_says_where_it_should_be(tmp_path: Path) -> None:
    with pytest.raises(OfflineVocabularyError, match=re.escape(str(tmp_path))):
        Counter(folder=tmp_path)


def test_a_damaged_vocabulary_is_refused_and_left_in_place(tmp_path: Path) -> None:
    damaged = tmp_path / FILES["o200k_base"][0]
    damaged.write_bytes(b"not a vocabulary")
    with pytest.raises(OfflineVocabularyError, match="sha256"):
        Counter(folder=tmp_path)
    assert damaged.read_bytes() == b"not a vocabulary"


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(OfflineVocabularyError, match="o200k_base"):
        Counter("klingon")


def test_loading_opens_no_socket_and_leaves_the_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "socket", raising(AssertionError("network")))
    before = dict(os.environ)
    load.cache_clear()
    assert Counter().count("kiln").tokens > 0
    assert dict(os.environ) == before


def test_counting_does_not_import_litellm() -> None:
    code = "import sys; from tasks.tokens.counter import Counter; Counter().count('x'); sys.exit('litellm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        (None, "o200k_base"),
        ("claude-opus-4-5-20251101", "o200k_base"),
        ("gpt-5-codex", "o200k_base"),
        ("gpt-4o-mini", "o200k_base"),
        ("gpt-4.1", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-0613", "cl100k_base"),
        ("openai/gpt-4-turbo", "cl100k_base"),
        ("ft:gpt-3.5-turbo:kiln", "cl100k_base"),
        ("azure/gpt-35-turbo", "cl100k_base"),
    ],
)
def test_the_model_decides_the_encoding(model: str | None, encoding: str) -> None:
    assert encoding_for("codex", model) == encoding


def test_the_encoding_agrees_with_tiktoken_on_every_model_of_ours() -> None:
    ours = {model: name for model, name in tiktoken.model.MODEL_TO_ENCODING.items() if name in FILES}
    assert {model: encoding_for("codex", model) for model in ours if model not in ("davinci-002", "babbage-002")} == {
        model: name for model, name in ours.items() if model not in ("davinci-002", "babbage-002")
    }
