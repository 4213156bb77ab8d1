import hashlib
import hmac
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redaction.made_up import NAMED, STRUCTURED, SURROUNDINGS, harmless

from tasks.redaction.replace import Redacted, Redactor

REDACTOR = Redactor(b"a key of this test only")
GITHUB = STRUCTURED["github_token"][0]


def planted(seed: int) -> str:
    """A log-like text with some secrets among harmless lines."""
    rng = random.Random(seed)
    lines = rng.sample(harmless(rng), 5)
    for make in rng.sample([make for makers in STRUCTURED.values() for make in makers], 4):
        lines.append(rng.choice(SURROUNDINGS).replace("{}", make(rng)))
    for make, surroundings in rng.sample(list(NAMED.values()), 3):
        lines.append(surroundings.format(make(rng)))
    rng.shuffle(lines)
    return rng.choice(["\n", " ", "\\n", ""]).join(lines)


def test_a_placeholder_names_the_type_and_the_keyed_hash() -> None:
    secret = GITHUB(random.Random(1))
    digest = hmac.new(b"key", secret.encode(), hashlib.sha256).hexdigest()
    assert Redactor(b"key").redact(f"use {secret}!") == Redacted(f"use [REDACTED:github_token:{digest[:8]}]!", 1)


def test_equal_secrets_stay_equal_and_others_differ() -> None:
    first, second = GITHUB(random.Random(1)), GITHUB(random.Random(2))
    words = REDACTOR.redact(f"{first} {second} {first}").text.split()
    assert words[0] == words[2] != words[1]
    assert Redactor(b"another key").redact(first).text != words[0]


def test_a_text_without_secrets_is_given_back_itself() -> None:
    text = "COLOR=blue, nothing else"
    assert REDACTOR.redact(text).text is text
    assert REDACTOR.redact(text).count == 0


@pytest.mark.parametrize(
    "text", ["", " ", "\n", "[REDACTED:", "[REDACTED:secret:00000000]", "token=[REDACTED:secret:0123abcd]"]
)
def test_odd_texts_and_placeholders_stay(text: str) -> None:
    assert REDACTOR.redact(text) == Redacted(text, 0)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9))
def test_redacting_twice_changes_nothing_more(seed: int) -> None:
    once = REDACTOR.redact(planted(seed))
    assert once.count > 0
    assert REDACTOR.redact(once.text) == Redacted(once.text, 0)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="[]:=@/\\\"' \nab1REDACTED_password-token", max_size=120))
def test_redacting_any_text_ends_and_is_idempotent(text: str) -> None:
    once = REDACTOR.redact(text)
    assert REDACTOR.redact(once.text).count == 0


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9))
def test_json_stays_json_with_the_same_keys(seed: int) -> None:
    arguments = {"command": planted(seed), "description": "fire", "lines": planted(seed + 1).split("\n")}
    redacted = json.loads(REDACTOR.redact(json.dumps(arguments)).text)
    assert redacted.keys() >= {"command", "lines"}


def test_what_stands_around_a_secret_stays() -> None:
    rng = random.Random(7)
    for surroundings in SURROUNDINGS:
        before, after = surroundings.split("{}")
        text = REDACTOR.redact(before + GITHUB(rng) + after).text
        assert text.startswith(before + "[REDACTED:github_token:")
        assert text.endswith("]" + after)


CASE = Path(__file__).parents[3] / "shared/cases/39-secrets-in-tool-output/gen.py"


@pytest.mark.skipif(not CASE.exists(), reason="the shared cases are not here")
def test_no_secret_of_the_shared_case_survives_in_any_field(tmp_path: Path) -> None:
    printed = subprocess.run([sys.executable, CASE, tmp_path], check=True, capture_output=True, text=True).stdout
    secrets = printed.split()
    for log in tmp_path.rglob("*.jsonl"):
        for line in log.read_text().splitlines():
            redacted = REDACTOR.redact(line).text
            assert [secret for secret in secrets if secret in redacted] == []
    assert len(secrets) == 9
