import random

import pytest
from redaction.made_up import NAMED, STRUCTURED, SURROUNDINGS, Make, harmless

from tasks.redaction.detect import find
from tasks.redaction.kinds import KINDS

MAKERS = [(kind, make) for kind, makers in STRUCTURED.items() for make in makers]


def values(text: str) -> list[str]:
    return [text[found.start : found.end] for found in find(text)]


@pytest.mark.parametrize(("kind", "make"), MAKERS, ids=[f"{kind}-{n}" for n, (kind, _) in enumerate(MAKERS)])
def test_a_structured_secret_is_found_wherever_it_stands(kind: str, make: Make) -> None:
    rng = random.Random(kind)
    for surroundings in SURROUNDINGS:
        secret = make(rng)
        text = surroundings.replace("{}", secret)
        found = find(text)
        assert [hit.kind for hit in found] == [kind], text
        leftover = text[: found[0].start] + text[found[0].end :]
        assert secret[-12:] not in leftover and secret not in leftover


@pytest.mark.parametrize("where", NAMED)
def test_a_secret_that_its_name_gives_away_is_found(where: str) -> None:
    make, surroundings = NAMED[where]
    rng = random.Random(where)
    secrets = [make(rng) for _ in range(100)]
    missed = [secret for secret in secrets if secret not in values(surroundings.format(secret))]
    assert len(missed) <= 4, missed


@pytest.mark.parametrize("seed", range(20))
def test_what_only_looks_like_a_secret_stays(seed: int) -> None:
    lines = harmless(random.Random(seed))
    assert [(line, values(line)) for line in lines if find(line)] == []


def test_at_least_forty_types_are_known() -> None:
    assert len({kind.name for kind in KINDS}) >= 40


def test_of_two_that_overlap_the_more_telling_type_wins() -> None:
    secret = STRUCTURED["anthropic_key"][0](random.Random(1))
    assert [hit.kind for hit in find(f'ANTHROPIC_API_KEY="{secret}"')] == ["anthropic_key"]
    assert [hit.kind for hit in find(f"Authorization: Bearer {secret}")] == ["anthropic_key"]


def test_a_key_block_without_its_end_is_found() -> None:
    block = STRUCTURED["private_key"][0](random.Random(2)).rsplit("\n", 2)[0]
    assert values(f"cat key.pem\n{block}") == [block]


def test_a_key_block_in_a_diff_is_one_secret() -> None:
    block = STRUCTURED["private_key"][0](random.Random(3)).replace("\n", "\n+")
    assert values(f"+{block}\n+after") == [block]


def test_a_token_continued_on_the_next_line_is_taken_whole() -> None:
    secret = STRUCTURED["anthropic_key"][0](random.Random(4))
    split = secret[:40] + "\\\n" + secret[40:]
    assert values(f"split: {split} here") == [split]


def test_only_the_password_of_a_url_is_the_secret() -> None:
    assert values("see https://potter:Cl4y!pot@kiln.invalid/x") == ["Cl4y!pot"]


def test_a_secret_beside_a_lone_surrogate_is_found() -> None:
    secret = STRUCTURED["github_token"][0](random.Random(5))
    assert values(f"\ud800 {secret} é") == [secret]


def test_many_secrets_in_a_long_text_are_all_found_in_order() -> None:
    rng = random.Random(6)
    secrets = [make(rng) for _, make in MAKERS * 5 if "\n" not in make(random.Random(0))]
    noise = "a line of a long log without anything in it\n" * 20
    text = "\n".join(f"{noise}KEY_{n}={secret}" for n, secret in enumerate(secrets))
    found = find(text)
    assert len(found) == len(secrets)
    assert all(text[hit.start : hit.end] in secret for hit, secret in zip(found, secrets, strict=True))
    assert found == sorted(found)
