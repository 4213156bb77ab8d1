"""Every id has a file name of its own, on every file system."""

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.store.layout import Layout, safe_name

ALIKE = [
    ("claude-code:A1", "claude-code:a1"),
    ("codex:é", "codex:e\u0301"),
    ("codex:straße", "codex:strasse"),
    ("codex:ﬁ", "codex:fi"),
    ("a:b", "a/b"),
    ("a", "a\x00"),
    ("x" * 200, "x" * 201),
    ("", "-"),
    ("\ud800", "?x"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_ids_that_a_file_system_may_confuse_have_distinct_names(one: str, other: str):
    assert safe_name(one) != safe_name(other)


@given(one=st.text(max_size=80), other=st.text(max_size=80))
def test_names_stay_distinct_after_case_folding_and_normalization(one: str, other: str):
    folded = [unicodedata.normalize("NFKC", safe_name(name)).casefold() for name in (one, other)]
    assert (folded[0] == folded[1]) == (one == other)


@given(identifier=st.text(max_size=300))
def test_name_is_short_plain_and_leads_nowhere(identifier: str):
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,79}", safe_name(identifier))


@pytest.mark.parametrize("identifier", ["..", "../../key", "/etc/passwd", "con", "nul.", "~", "-rf"])
def test_hostile_id_stays_in_its_folder(identifier: str):
    assert (Path("/data/handoffs") / safe_name(identifier)).resolve().parent == Path("/data/handoffs")


def test_demo_lake_lies_apart_from_the_real_one(tmp_path: Path):
    assert Layout(tmp_path).demo.lake == tmp_path / "demo" / "lake"


def test_folders_are_private(tmp_path: Path):
    Layout(tmp_path / "data").prepare()
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "data").rglob("*") if path.is_dir()}
    assert set(modes.values()) == {0o700}
    assert {"raw", "lake", "derived", "state"} <= modes.keys()


def test_copies_of_one_source_lie_together_one_file_a_generation(tmp_path: Path):
    assert Layout(tmp_path).raw_log("codex", "ab12", 3) == tmp_path / "raw" / "codex" / "ab" / "ab12.3.zst"
