"""What becomes of each present file and each known source: a table of situations, and order plays no part in it."""

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.domain.kinds import SourceState
from tasks.store.generations import Known, Observed, Plan, base_id, listing_id, plan_group, plan_whole

BASE = base_id("codex", "loom", "first")
A, AB, ABC = b"a\n", b"a\nb\n", b"a\nb\nc\n"
AX, AY = b"a\nx\n", b"a\ny\n"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass
class Night:
    """Sources that the lake knows and files that are there tonight, each by path and content."""

    known: dict[str, tuple[str, bytes]]
    """source id -> path and committed content"""
    present: dict[str, bytes]

    def plans(self, order: Sequence[str] | None = None) -> list[Plan]:
        present = [self._observed(path) for path in order or self.present]
        sources = [
            Known(source_id, 0, path, len(content), sha256(content), len(content), "new")
            for source_id, (path, content) in self.known.items()
        ]
        return plan_group(
            BASE,
            sources,
            present,
            prefix_of=lambda file, n: self._prefix(self.present[file.path], n),
            stored_prefix_of=lambda source, n: self._prefix(self.known[source.source_id][1], n),
            first_difference=self._first_difference,
        )

    def told(self, order: Sequence[str] | None = None) -> dict[str, tuple[str, str, int]]:
        """Path -> state, source id, generation; a source whose log is not there stands under its id."""
        return {
            plan.observed.path if plan.observed else plan.source_id: (plan.state, _short(plan.source_id), plan.generation)
            for plan in self.plans(order)
        }

    def _observed(self, path: str) -> Observed:
        content = self.present[path]
        committed = content.rfind(b"\n") + 1
        return Observed(path, len(content), committed, sha256(content[:committed]), is_final=False)

    def _prefix(self, content: bytes, length: int) -> str | None:
        return sha256(content[:length]) if length <= len(content) else None

    def _first_difference(self, one: Observed, other: Observed) -> str:
        lines = [self.present[file.path].splitlines(keepends=True) for file in (one, other)]
        return next(sha256(mine) for mine, theirs in itertools.zip_longest(*lines) if mine != theirs)


def _short(source_id: str) -> str:
    return "base" if source_id == BASE else source_id if len(source_id) < 32 else "of its own"


SITUATIONS: dict[str, tuple[Night, dict[str, tuple[str, str, int]]]] = {
    "a log nobody knows": (Night({}, {"/1": AB}), {"/1": ("new", "base", 0)}),
    "a log that grew": (Night({"base": ("/1", A)}, {"/1": AB}), {"/1": ("appended", "base", 0)}),
    "a log as it was": (Night({"base": ("/1", AB)}, {"/1": AB}), {"/1": ("unchanged", "base", 0)}),
    "a log with an unfinished new line": (Night({"base": ("/1", A)}, {"/1": b"a\nb"}), {"/1": ("appended", "base", 0)}),
    "a log at another place": (Night({"base": ("/1", AB)}, {"/2": AB}), {"/2": ("moved", "base", 0)}),
    "a log that moved and grew": (Night({"base": ("/1", A)}, {"/2": AB}), {"/2": ("appended", "base", 0)}),
    "a prefix beside it": (Night({}, {"/1": A, "/2": AB}), {"/2": ("new", "base", 0), "/1": ("copy", "base", 0)}),
    "a copy grew past the known log": (
        Night({"base": ("/1", A)}, {"/1": A, "/2": AB}),
        {"/2": ("appended", "base", 0), "/1": ("copy", "base", 0)},
    ),
    "identical twins, both unknown": (Night({}, {"/2": AB, "/1": AB}), {"/1": ("new", "base", 0), "/2": ("copy", "base", 0)}),
    "identical twins, one known": (
        Night({"base": ("/2", AB)}, {"/1": AB, "/2": AB}),
        {"/2": ("unchanged", "base", 0), "/1": ("copy", "base", 0)},
    ),
    "identical twins, one packed": (
        Night({}, {"/1.zst": AB, "/2": AB}),
        {"/2": ("new", "base", 0), "/1.zst": ("copy", "base", 0)},
    ),
    "a log cut back": (Night({"base": ("/1", ABC)}, {"/1": A}), {"/1": ("truncated", "base", 1)}),
    "a log with another content": (Night({"base": ("/1", AB)}, {"/1": AX}), {"/1": ("rewritten", "base", 1)}),
    "a shorter log with another content": (Night({"base": ("/1", ABC)}, {"/1": AX}), {"/1": ("rewritten", "base", 1)}),
    "divergent twins, both unknown": (
        Night({}, {"/1": AX, "/2": ABC}),
        {"/2": ("new", "base", 0), "/1": ("new", "of its own", 0)},
    ),
    "a divergent twin of a known log": (
        Night({"base": ("/1", AB)}, {"/1": AB, "/2": AX}),
        {"/1": ("unchanged", "base", 0), "/2": ("new", "of its own", 0)},
    ),
    "two known twins as they were": (
        Night({"base": ("/1", AB), "other": ("/2", AX)}, {"/1": AB, "/2": AX}),
        {"/1": ("unchanged", "base", 0), "/2": ("unchanged", "other", 0)},
    ),
    "three divergent twins, two of them alike for longer": (
        Night({}, {"/1": ABC, "/2": AX + b"1\n", "/3": AX + b"2\n"}),
        {"/1": ("new", "base", 0), "/2": ("new", "of its own", 0), "/3": ("new", "of its own", 0)},
    ),
    "a log that is gone": (Night({"base": ("/1", AB)}, {}), {"base": ("gone", "base", 0)}),
    "a prefix of one that is gone": (
        Night({"base": ("/1", ABC)}, {"/2": AB}),
        {"base": ("gone", "base", 0), "/2": ("copy", "base", 0)},
    ),
    "the whole of one that is gone": (Night({"base": ("/1", ABC)}, {"/2": ABC}), {"/2": ("moved", "base", 0)}),
    "a divergent twin of one that is gone": (
        Night({"base": ("/1", AB)}, {"/2": AX}),
        {"base": ("gone", "base", 0), "/2": ("new", "of its own", 0)},
    ),
    "one of two known twins is gone": (
        Night({"base": ("/1", AB), "other": ("/2", AX)}, {"/2": AX}),
        {"base": ("gone", "base", 0), "/2": ("unchanged", "other", 0)},
    ),
}


@pytest.mark.parametrize(("night", "expected"), SITUATIONS.values(), ids=SITUATIONS)
def test_situation(night: Night, expected: dict[str, tuple[str, str, int]]):
    night = Night({BASE if name == "base" else name: source for name, source in night.known.items()}, night.present)
    told = {_short(where): plan for where, plan in night.told().items()}
    assert told == expected


CONTENTS = st.lists(st.sampled_from(["a\n", "b\n", "x\n", "y\n", "y"]), max_size=4).map(
    lambda lines: f"0\n{''.join(lines)}".encode()
)
"""Logs of one session: they begin alike, and some are prefixes of others."""


@given(
    present=st.dictionaries(st.sampled_from(["/1", "/2", "/3.gz", "/archived/4"]), CONTENTS, max_size=4),
    known=st.dictionaries(
        st.sampled_from([BASE, "other"]), st.tuples(st.sampled_from(["/1", "/2", "/5"]), CONTENTS), max_size=2
    ),
    data=st.data(),
)
def test_plan_is_the_same_in_every_order_of_files(
    present: dict[str, bytes], known: dict[str, tuple[str, bytes]], data: st.DataObject
):
    night = Night({name: (path, content[: content.rfind(b"\n") + 1]) for name, (path, content) in known.items()}, present)
    order = data.draw(st.permutations(sorted(present)))
    assert night.told(order) == night.told(sorted(present))


@given(present=st.dictionaries(st.sampled_from(["/1", "/2", "/3", "/4"]), CONTENTS, max_size=4))
def test_every_file_has_one_plan_and_a_source_one_file(present: dict[str, bytes]):
    plans = Night({}, present).plans()
    assert sorted(plan.observed.path for plan in plans if plan.observed) == sorted(present)
    read = [plan.source_id for plan in plans if plan.state is not SourceState.COPY]
    assert len(read) == len(set(read))
    assert {plan.source_id for plan in plans} == set(read)


@given(present=st.dictionaries(st.sampled_from(["/1", "/2", "/3", "/4"]), CONTENTS, max_size=4))
def test_night_after_a_night_changes_nothing(present: dict[str, bytes]):
    plans = Night({}, present).plans()
    known = {
        plan.source_id: (plan.observed.path, present[plan.observed.path])
        for plan in plans
        if plan.observed and plan.state is not SourceState.COPY
    }
    complete = {name: (path, content[: content.rfind(b"\n") + 1]) for name, (path, content) in known.items()}
    again = Night(complete, present).told()
    assert {state for state, *_ in again.values()} <= {"unchanged", "copy", "appended"}
    assert {path for path, (state, *_) in again.items() if state == "appended"} == {
        path for path, content in known.values() if not content.endswith(b"\n")
    }


def test_identity_is_agent_session_and_first_record_and_nothing_else():
    ids = {base_id(*parts) for parts in itertools.product(("codex", "claude-code"), ("s", "t"), ("f", "g"))}
    assert len(ids) == 8
    assert base_id("a", "bc", "d") != base_id("ab", "c", "d")


def test_listed_file_has_an_id_for_each_state_and_path():
    ids = {listing_id(state, path) for state in (SourceState.COPY, SourceState.EMPTY) for path in ("/1", "/2", "/\udcff")}
    assert len(ids) == 6


WHOLE: dict[str, tuple[dict[str, tuple[str, str]], dict[str, str], dict[str, tuple[str, str, int]]]] = {
    "a document nobody knows": ({}, {"/1": "a"}, {"/1": ("new", "base", 0)}),
    "one as it was": ({"base": ("/1", "a")}, {"/1": "a"}, {"/1": ("unchanged", "base", 0)}),
    "one that says something else": ({"base": ("/1", "a")}, {"/1": "b"}, {"/1": ("rewritten", "base", 1)}),
    "one at another place": ({"base": ("/1", "a")}, {"/2": "a"}, {"/2": ("moved", "base", 0)}),
    "one that moved and changed": ({"base": ("/1", "a")}, {"/2": "b"}, {"/2": ("rewritten", "base", 1)}),
    "one that is gone": ({"base": ("/1", "a")}, {}, {"base": ("gone", "base", 0)}),
    "two equal ones": ({}, {"/1": "a", "/2": "a"}, {"/1": ("new", "base", 0), "/2": ("copy", "base", 0)}),
    "two different ones": ({}, {"/1": "a", "/2": "b"}, {"/1": ("new", "base", 0), "/2": ("new", "of its own", 0)}),
    "a copy of the known one that changed since": (
        {"base": ("/1", "a")}, {"/1": "b", "/2": "a"}, {"/1": ("rewritten", "base", 1), "/2": ("new", "of its own", 0)},
    ),
    "one gone and two new ones: nobody's continuation": (
        {"base": ("/1", "a")}, {"/2": "b", "/3": "c"},
        {"base": ("gone", "base", 0), "/2": ("new", "of its own", 0), "/3": ("new", "of its own", 0)},
    ),
    "two known ones that changed places": (
        {"base": ("/1", "a"), "other": ("/2", "b")}, {"/1": "b", "/2": "a"},
        {"/1": ("rewritten", "base", 1), "/2": ("rewritten", "other", 1)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("situation", WHOLE)
def test_what_becomes_of_a_log_that_says_everything_again(situation: str):
    known, present, expected = WHOLE[situation]
    sources = [Known(name, 0, path, 1, sha256(text.encode()), 1, "new") for name, (path, text) in known.items()]
    files = [Observed(path, 1, 1, sha256(text.encode()), is_final=True) for path, text in present.items()]
    for order in itertools.permutations(files):
        plans = plan_whole(BASE if "base" not in known else "base", sources, list(order))
        told = {
            plan.observed.path if plan.observed else plan.source_id: (
                plan.state, "base" if plan.source_id in (BASE, "base") else _short(plan.source_id), plan.generation
            )
            for plan in plans
        }  # fmt: skip
        assert told == expected
