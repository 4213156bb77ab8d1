"""Session documents of every version end in the current one, by the same steps every time, and lose nothing on the way."""

import copy
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from tasks import migrations
from tasks.domain.errors import UsageError
from tasks.migrations.chain import CURRENT, STEPS, migrate, path_from, version_of

VERSIONS = range(1, CURRENT + 1)
FOLDER = Path(__file__).parent / "versions"
SCHEMAS = Path(migrations.__file__).parent / "schemas"
UNKNOWN = (0, 6, -1, 99, "5", "", "five", 5.0, 1.5, True, False, None, [5], {"version": 5}, 10**30)


def frozen(version: int) -> dict[str, Any]:
    return json.loads((FOLDER / f"v{version}.json").read_text("utf-8"))


def schema(version: int) -> Draft202012Validator:
    told = json.loads((SCHEMAS / f"v{version}.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(told)
    return Draft202012Validator(told, format_checker=FormatChecker())


@pytest.mark.parametrize("version", VERSIONS)
def test_a_frozen_document_of_every_version_becomes_the_frozen_one_of_today(version: int):
    assert migrate(frozen(version)) == frozen(CURRENT)


@pytest.mark.parametrize("version", STEPS)
def test_one_step_leads_from_each_frozen_document_to_the_next(version: int):
    assert STEPS[version](frozen(version)) == frozen(version + 1)
    assert list(STEPS[version](frozen(version))) == list(frozen(version + 1))


@pytest.mark.parametrize("version", VERSIONS)
def test_each_frozen_document_is_valid_by_the_schema_of_its_version_alone(version: int):
    assert [one for one in VERSIONS if schema(one).is_valid(frozen(version))] == [version]


@pytest.mark.parametrize("version", STEPS)
def test_what_a_step_gives_is_valid_by_the_next_schema(version: int):
    schema(version + 1).validate(STEPS[version](frozen(version)))


@pytest.mark.parametrize("version", VERSIONS)
def test_migrating_again_changes_nothing(version: int):
    once = migrate(frozen(version))
    assert migrate(once) is once


@pytest.mark.parametrize("version", VERSIONS)
def test_what_was_given_stays_as_it_is(version: int):
    given, before = frozen(version), frozen(version)
    migrate(given)
    assert given == before


@pytest.mark.parametrize("version", UNKNOWN, ids=repr)
def test_any_other_version_is_unknown(version: Any):
    assert version_of({"schema_version": version}) is None
    with pytest.raises(UsageError, match="unknown schema version"):
        migrate({"schema_version": version, "messages": []})


def test_no_version_is_unknown_too():
    with pytest.raises(UsageError, match="unknown schema version: none is given"):
        migrate({"messages": []})


def test_each_version_but_the_current_one_has_one_step():
    assert list(STEPS) == list(range(1, CURRENT))
    assert [len(path_from(version)) for version in VERSIONS] == [4, 3, 2, 1, 0]


def test_several_results_in_one_message_become_a_message_each_that_names_its_call():
    results = [{"type": "tool_result", "call_id": f"call_{n}", "content": str(n)} for n in (1, 2)]
    note = {"type": "text", "text": "of the second"}
    document = {"schema_version": 4, "messages": [{"role": "tool", "items": [*results, note]}, {"role": "user", "items": []}]}
    assert migrate(document)["messages"] == [
        {"role": "tool", "tool_call_id": "call_1", "items": [{"type": "tool_result", "content": "1"}], "id": 1},
        {"role": "tool", "tool_call_id": "call_2", "items": [{"type": "tool_result", "content": "2"}, note], "id": 2},
        {"role": "user", "items": [], "id": 3},
    ]


@pytest.mark.parametrize(
    ("arguments", "args"),
    [
        ('{"a": [1, {"b": null}]}', {"a": [1, {"b": None}]}),
        ("", {"arguments": ""}),
        ("[1]", {"arguments": "[1]"}),
        ('{"a": NaN}', {"arguments": '{"a": NaN}'}),
        ('{"a": 1e999}', {"arguments": '{"a": 1e999}'}),
        ('{"a": 1, "a": 2}', {"arguments": '{"a": 1, "a": 2}'}),
        ("[" * 100_000, {"arguments": "[" * 100_000}),
        ({"a": 1}, {"a": 1}),
    ],
    ids=str,
)
def test_arguments_that_are_no_object_are_kept_whole(arguments: Any, args: Any):
    call = {"type": "tool_call", "id": "c", "name": "n", "arguments": arguments}
    document = {"schema_version": 3, "messages": [{"role": "assistant", "items": [call]}]}
    (item,) = migrate(document)["messages"][0]["items"]
    assert item == {"type": "tool_call", "id": "c", "name": "n", "args": args}


@pytest.mark.parametrize(
    ("started", "created_at"),
    [(0, "1970-01-01T00:00:00Z"), (1741687200.25, "2025-03-11T10:00:00.250000Z"), ("soon", "soon"), (True, True), (1e30, 1e30)],
)
def test_a_start_that_is_no_time_is_kept(started: Any, created_at: Any):
    assert migrate({"schema_version": 1, "started": started})["created_at"] == created_at


def test_fields_that_no_version_names_are_carried_to_the_end():
    messages = [
        {"role": "user", "content": "hi", "mood": "calm"},
        "no message",
        {"role": "assistant", "content": 7, "id": "own"},
    ]
    found = migrate({"schema_version": 1, "theme": "dark", "messages": messages})
    assert found == {
        "schema_version": 5,
        "theme": "dark",
        "messages": [
            {"role": "user", "items": [{"type": "text", "text": "hi"}], "mood": "calm", "id": 1},
            "no message",
            {"role": "assistant", "items": [], "content": 7, "previous_id": "own", "id": 2},
        ],
    }


NAMES = st.sampled_from(
    ("role", "content", "items", "thinking", "tool_calls", "call", "type", "id", "name", "arguments", "args", "call_id", "x")
)
WORDS = st.sampled_from(("user", "assistant", "tool", "text", "tool_call", "tool_result", "reasoning", "", "{}", "\ud800"))
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), WORDS)
VALUES = st.recursive(
    LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=5)), max_leaves=12
)


def leaves(value: Any) -> Iterator[Any]:
    """All words and numbers inside a value."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    else:
        yield (type(value), value)


@given(version=st.sampled_from(VERSIONS), messages=st.one_of(VALUES, st.lists(VALUES, max_size=4)))
def test_no_content_makes_a_step_fail_or_lose_a_word(version: int, messages: Any):
    document = {"schema_version": version, "messages": messages}
    before = copy.deepcopy(document)
    found = migrate(document)
    assert document == before
    assert migrate(found) == found
    dropped = Counter(leaves(messages)) - Counter(leaves(found))
    assert set(dropped) <= {(str, "{}"), (str, "")}  # arguments that became an object, and a message that said nothing
