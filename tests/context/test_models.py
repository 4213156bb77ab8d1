import pytest

from tasks.context.models import candidates, closest


@pytest.mark.parametrize(
    ("logged", "plain"),
    [
        ("claude-opus-4-6", "claude-opus-4-6"),
        ("Claude-Opus-4-6", "claude-opus-4-6"),
        ("claude-opus-4-6[1m]", "claude-opus-4-6"),
        ("anthropic/claude-opus-4-6", "claude-opus-4-6"),
        ("openrouter/anthropic/claude-opus-4-6", "claude-opus-4-6"),
        ("us.anthropic.claude-opus-4-6-v1:0", "claude-opus-4-6"),
        ("bedrock/eu.anthropic.claude-opus-4-6-20260205-v1:0", "claude-opus-4-6-20260205"),
        ("claude-opus-4-6@20260205", "claude-opus-4-6-20260205"),
        ("claude-opus-4-6@default", "claude-opus-4-6"),
        ("claude-opus-4-6-20260205", "claude-opus-4-6"),
        ("claude-opus-4-6-latest", "claude-opus-4-6"),
        ("gpt-5.4-2026-03-05", "gpt-5.4"),
    ],
)
def test_a_model_is_found_under_its_plain_name(logged: str, plain: str) -> None:
    assert plain in candidates(logged)
    assert candidates(logged)[0] == logged


@pytest.mark.parametrize("name", [None, "", " ", "<synthetic>", "unknown"])
def test_what_is_not_a_model_has_no_name(name: str | None) -> None:
    assert candidates(name) == []


def test_an_alias_means_the_newest_dated_release() -> None:
    known = ["kiln-4-20250514", "kiln-4-20260101", "kiln-4-mini-20270101", "anthropic.kiln-4-20280101-v1:0"]
    assert closest("kiln-4", known) == "kiln-4-20260101"
    assert closest("kiln-5", known) is None


def test_a_retired_model_is_found_under_its_bedrock_id() -> None:
    known = ["anthropic.kiln-4-20250514-v1:0", "us.anthropic.kiln-4-20260101-v1:0"]
    assert closest("kiln-4-20250514", known) == "anthropic.kiln-4-20250514-v1:0"
    assert closest("kiln-4", known) == "anthropic.kiln-4-20250514-v1:0"
