"""The table `[compaction]`: what it switches on, and when it says to compact."""

from pathlib import Path

import pytest

from tasks.compaction.config import (
    compacts,
    configured,
    due_after,
    is_due,
    last_input_tokens,
    prunes,
    settings_of,
    target,
    trigger_of,
)
from tasks.compaction.registry import POLICIES
from tasks.domain.compaction import CompactionSettings
from tasks.domain.errors import UsageError
from tasks.domain.settings import read_settings


def told(tmp_path: Path, text: str) -> CompactionSettings | None:
    """What a user's file says."""
    file = tmp_path / "midwatch.toml"
    file.write_text(text)
    return read_settings(config=file).compaction


def test_B20_a_compaction_is_due_after_a_run_and_never_in_its_middle():
    # The first run grows beyond the threshold in its middle, and ends below it: a cleared result.
    assert due_after([[50, 120, 90], [95, 101], [99]], 100) == [1]


@pytest.mark.parametrize(("usage", "tokens"), [([], 0), ([None], 0), ([7, None], 7), ([7, 9], 9), ([9, 7, None, None], 7)])
def test_B21_the_last_count_is_what_counts_and_none_is_no_count(usage: list[int | None], tokens: int):
    assert last_input_tokens(usage) == tokens


def test_B21_a_run_that_counts_nothing_has_the_count_of_the_one_before():
    assert due_after([[101], [None], []], 100) == [0, 1, 2]


@pytest.mark.parametrize(("tokens", "due"), [(79_999, False), (80_000, False), (80_001, True)])
def test_B22_a_threshold_that_is_just_met_is_not_passed(tokens: int, due: bool):
    assert is_due(tokens, 80_000) is due


def test_B23_without_a_threshold_nothing_is_ever_due():
    assert not is_due(10**9, None)
    assert due_after([[10**9]], None) == []


def test_B40_the_table_has_three_defaults(tmp_path: Path):
    found = told(tmp_path, "[compaction]\n")
    assert found is not None
    assert (found.prune_protected_turns, found.compact_threshold, found.compact_retained_turns) == (3, None, 2)


def test_B40_a_users_values_reach_the_policies(tmp_path: Path):
    text = "[compaction]\nprune_protected_turns = 5\ncompact_threshold = 80000\ncompact_retained_turns = 1\n"
    found = told(tmp_path, text)
    assert settings_of("prune", found) == {"protected_turns": 5}
    assert settings_of("compact", found) == {"retained_turns": 1}
    assert trigger_of("compact", found) == 80_000
    assert configured("compact", found) == "on: above 80,000 tokens, retains 1 turns"


def test_B41_without_the_table_neither_prune_nor_compact_is_on(tmp_path: Path):
    found = told(tmp_path, "workers = 1\n")
    assert found is None
    assert (prunes(found), compacts(found)) == (False, False)
    assert [configured(name, found) for name in ("prune", "compact")] == ["off: no [compaction]"] * 2


def test_B42_with_the_table_and_no_threshold_prune_alone_is_on(tmp_path: Path):
    found = told(tmp_path, "[compaction]\ncompact_retained_turns = 4\n")
    assert (prunes(found), compacts(found)) == (True, False)
    assert configured("compact", found) == "off: no compact_threshold"


def test_B43_an_empty_table_prunes_with_three_turns(tmp_path: Path):
    found = told(tmp_path, "[compaction]\n")
    assert (prunes(found), compacts(found)) == (True, False)
    assert configured("prune", found) == "on: protects 3 turns"


def test_B44_the_threshold_of_the_example_is_read(tmp_path: Path):
    found = told(tmp_path, "[compaction]\ncompact_threshold = 80000\n")
    assert found is not None
    assert (found.compact_threshold, compacts(found)) == (80_000, True)


def test_B46_all_policies_are_of_the_one_kind_and_named_as_they_are_found():
    assert [policy.name for policy in POLICIES.values()] == list(POLICIES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prune_protected_turns = -1", "'compaction.prune_protected_turns' from .*greater than or equal to 0"),
        ("compact_threshold = 0", "'compaction.compact_threshold'"),
        ("compact_treshold = 1", "known settings: prune_protected_turns, compact_threshold"),
        ("trigger_tokens = 10\ntarget_tokens = 11", "above trigger_tokens"),
    ],
)
def test_a_wrong_value_is_told_with_its_name(tmp_path: Path, text: str, message: str):
    with pytest.raises(UsageError, match=message):
        told(tmp_path, f"[compaction]\n{text}\n")


def test_the_environment_holds_the_table_as_json(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MIDWATCH_COMPACTION", '{"compact_threshold": 5}')
    found = read_settings().compaction
    assert found is not None
    assert found.compact_threshold == 5


def test_the_target_is_60_percent_of_the_trigger_so_that_it_is_not_met_again_at_once():
    assert (target(80_000), target(100, 70)) == (48_000, 70)
