"""What a real chat history of aider holds. Skipped where the corpus is absent."""

import os
from collections import Counter
from pathlib import Path

import pytest
from readings import read, records_of

from tasks.domain.kinds import Form, ItemKind
from tasks.readers import registry

CORPUS = Path(os.environ.get("MIDWATCH_SHARED", Path(__file__).parents[2].parent / "shared")) / "corpus"
HISTORY = CORPUS / "aider" / "aider-chat-history.md"


@pytest.mark.skipif(not HISTORY.is_file(), reason="no corpus")
class TestAidersOwnHistory:
    """The real chat history of a repository, 4.15 MB. Counted by hand with grep: 1,133 lines `# aider chat started at` (three
    more stand in code that an answer quotes), 9,030 lines `#### `, 839 lines `> Tokens:`."""

    def test_runs_prompts_and_calls_are_all_there(self):
        records = records_of(HISTORY, Form.TEXT, registry.by_agent("aider"))
        prefixed = [line for record in records if record.origin == "user" for line in record.data["text"].split("\n")]
        assert len(prefixed) == 9030
        _, reading = read(HISTORY)
        assert Counter("no_session_meta" in session.flags for session in reading.sessions) == {False: 1133, True: 1}
        assert len(reading.requests) == 839

    def test_the_eight_headings_in_answers_are_no_prompts(self):
        """Those `#### ` lines that lack the break which aider writes behind a prompt's line."""
        _, reading = read(HISTORY)
        headings = [item for item in reading.items if item.kind is ItemKind.ASSISTANT_TEXT and item.text.startswith("####")]
        assert len(headings) == 8
        assert all("ambiguous" in item.flags for item in headings)

    def test_a_call_that_brought_an_answer_has_it(self):
        """Fourteen reports say `0 received`."""
        _, reading = read(HISTORY)
        answered = {item.request_id for item in reading.items}
        assert {call.output_tokens for call in reading.requests if call.request_id not in answered} == {0}
