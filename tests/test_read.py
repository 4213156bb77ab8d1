"""Columns that reading adds to what a log tells: tokens by the session's encoding, tools by what they do."""

from pathlib import Path

import pytest
from lakes import ask, night
from logs import ClaudeLog

from tasks.tokens.counter import Counter

TEXT = "Der Webstuhl steht im Keller; σκοτεινά 織機"


@pytest.mark.parametrize(
    ("model", "encoding"),
    [("claude-sonnet-4-5", "o200k_base"), ("gpt-4-turbo", "cl100k_base"), ("nobodys-model", "o200k_base")],
)
def test_texts_are_counted_in_the_encoding_of_their_sessions_model(tmp_path: Path, model: str, encoding: str):
    ClaudeLog("loom").prompt(TEXT).answer("Yes.", model=model).write(tmp_path / "archive")

    night(tmp_path / "archive", tmp_path / "data")

    expected = (encoding, Counter(encoding).count(TEXT).tokens)
    assert ask(tmp_path / "data", "select token_encoding, tokens from items where kind = 'user_text'") == [expected]


def test_a_grown_log_has_the_counts_of_one_read_at_once(tmp_path: Path):
    log = ClaudeLog("loom").prompt(TEXT).answer("Yes.")
    log.write(tmp_path / "archive")
    night(tmp_path / "archive", tmp_path / "data")
    log.prompt("And now?").answer("Now too.").write(tmp_path / "archive")
    night(tmp_path / "archive", tmp_path / "data")
    night(tmp_path / "archive", tmp_path / "once")

    counts = "select text, tokens, flags from items order by seq"
    assert ask(tmp_path / "data", counts) == ask(tmp_path / "once", counts)


def test_a_result_is_of_the_category_of_its_call(tmp_path: Path):
    ClaudeLog("loom").prompt("Test it.").call("Bash", {"command": "pytest -q"}, "1 passed").write(tmp_path / "archive")

    night(tmp_path / "archive", tmp_path / "data")

    assert ask(tmp_path / "data", "select kind, tool_category from items where tool_name is not null order by seq") == [
        ("tool_call", "test"),
        ("tool_result", "test"),
    ]
