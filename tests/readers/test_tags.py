"""Texts with tags are taken apart in one pass, however many of them nothing closes."""

from time import process_time

import pytest

from tasks.domain.kinds import Form
from tasks.domain.records import Record, SourceHint
from tasks.readers import registry
from tasks.readers.values import enclosed, split_tagged


def test_the_first_closing_tag_ends_what_a_tag_encloses():
    found = [(one.tag, one.inside) for one in enclosed("a<x>1</x><y><x>2</y></x><z>3", "x|y|z")]
    assert found == [("x", "1"), ("y", "<x>2")]


def test_a_text_without_a_closed_tag_is_left_as_it_is():
    assert split_tagged(" <x>1 ", ("x",)) == [(None, " <x>1 ")]
    assert split_tagged(" a <x>\n1\n</x> ", ("x",)) == [(None, "a"), ("x", "1")]


@pytest.mark.parametrize(
    ("agent", "origin", "data"),
    [
        ("cline", "api_conversation_history.json#[]", {"role": "assistant", "content": "<read_file>" * 30_000}),
        ("cline", "api_conversation_history.json#[]", {"role": "assistant", "content": "<read_file>" + "<path>" * 30_000}),
        ("roo", "api_conversation_history.json#[]", {"role": "user", "content": "The user " + "<feedback>" * 30_000}),
        ("antigravity", "", {"type": "USER_INPUT", "source": "USER_EXPLICIT", "content": "<USER_REQUEST>" * 30_000}),
        ("cursor", "", {"role": "user", "message": {"content": "<user_query>" * 30_000}}),
        ("grok", "chat_history.jsonl", {"type": "user", "content": "<user_query>" * 30_000}),
    ],
)
def test_tags_that_nothing_closes_cost_no_more_than_other_text(agent: str, origin: str, data: dict[str, object]):
    reader = registry.by_agent(agent)
    start = process_time()
    reading = reader.read([Record(1, 0, 2, b"{}", data, (), origin)], SourceHint(agent, "a/b", native_id="s", form=Form.FOLDER))
    assert process_time() - start < 5
    assert sum(len(item.text) for item in reading.items) > 100_000
