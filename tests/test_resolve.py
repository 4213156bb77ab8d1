"""Identity across files, from rows as readers yield them: homes, places, lineage, calls with several names."""

import itertools
from collections import defaultdict
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

import pyarrow.parquet as pq
import pytest
from tables import on_disk

from tasks.resolve import resolve
from tasks.store import manifest
from tasks.store.layout import Layout

START = datetime(2026, 3, 2, 9)
Rows = dict[str, list[dict[str, Any]]]


class Told:
    """What logs tell, each session in a file of its own, in the order in which it is said here."""

    def __init__(self) -> None:
        self.rows: Rows = defaultdict(list)
        self._lines = itertools.count(1)

    def session(self, name: str, *, hour: int = 0, **facts: Any) -> Self:
        """Everything after it is told by this session, whose own part begins at that hour."""
        self._name, self._now = name, START + timedelta(hours=hour)
        fixed = {"agent": "loom", "native_id": name, "ending": "clean", "first_at": self._now, "started_at": self._now}
        self.rows["seen_sessions"].append({**self._source(), "flags": [], **fixed, **facts})
        return self

    def item(self, name: str, **facts: Any) -> Self:
        fixed = {
            "kind": "assistant_text",
            "text": name,
            "chars": 1,
            "tokens": 1,
            "on_path": True,
            "in_context": True,
            "flags": [],
        }
        return self._row("seen_items", {"item_id": name, "native_id": name, **fixed, **facts})

    def prompt(self, name: str, **facts: Any) -> Self:
        return self.item(name, kind="user_text", starts_turn=True, **facts)

    def call(self, name: str, **facts: Any) -> Self:
        return self._row(
            "seen_requests", {"request_id": name, "output_origin": "reported", "is_sidechain": False, "flags": [], **facts}
        )

    def compaction(self, name: str, **facts: Any) -> Self:
        return self._row("seen_compactions", {"compaction_id": name, **facts})

    def _row(self, table: str, facts: dict[str, Any]) -> Self:
        line = next(self._lines)
        fixed = {**self._source(), "ordinal": line, "line_no": line, "at": self._now + timedelta(seconds=line)}
        self.rows[table].append({**fixed, "is_replay": False, **facts})
        return self

    def _source(self) -> dict[str, Any]:
        return {"source_id": f"log of {self._name}", "generation": 0, "session_id": self._name}


def resolved(folder: Path, told: Told) -> Rows:
    """The session tables that a night makes of it."""
    layout = Layout(folder)
    on_disk(layout, told.rows)
    made = resolve(layout, manifest.latest(layout), None, timezone="Asia/Tokyo", commit=2, threads=1)
    rows: Rows = defaultdict(list)
    for part in made.parts:
        rows[part.table] += pq.read_table(manifest.path_of(layout, part)).to_pylist()
    return rows


def homes(rows: Rows, table: str = "items") -> dict[str, str]:
    name = {"items": "item_id", "requests": "request_id", "compactions": "compaction_id"}[table]
    return {row[name]: row["session_id"] for row in rows[table]}


def lineage(rows: Rows) -> dict[str, tuple[str | None, str | None, str]]:
    """Session -> parent, relation, root."""
    return {row["session_id"]: (row["parent_session_id"], row["relation"], row["lineage_id"]) for row in rows["sessions"]}


def test_ancestor_that_the_log_names_is_home_though_it_is_no_part_of_the_other_and_began_later(tmp_path: Path):
    told = Told().session("parent", hour=5).item("shared").item("own of parent")
    told.session("child", hour=1, parent_session_id="parent", relation="fork").item("shared").item("own of child")
    assert homes(resolved(tmp_path, told)) == {"shared": "parent", "own of parent": "parent", "own of child": "child"}


def test_session_wholly_contained_in_the_others_is_home_though_it_began_later(tmp_path: Path):
    told = Told().session("whole", hour=1).item("own").item("shared")
    told.session("contained", hour=5).item("shared")
    assert homes(resolved(tmp_path, told))["shared"] == "contained"


def test_original_stays_home_though_one_copy_is_of_its_beginning_alone(tmp_path: Path):
    told = Told().session("original").item("1", at=START).item("2", at=START)
    told.session("copy", hour=1).item("1", at=START).item("2", at=START).item("own of copy")
    told.session("part", hour=2).item("1", at=START).item("own of part")
    found = homes(resolved(tmp_path, told))
    assert (found["1"], found["2"]) == ("original", "original")


def test_else_the_one_whose_own_part_begins_first_is_home(tmp_path: Path):
    told = Told().session("a", hour=5).item("shared").item("own of a")
    told.session("z", hour=1).item("shared").item("own of z")
    assert homes(resolved(tmp_path, told))["shared"] == "z"


def test_else_the_smallest_name_is_home(tmp_path: Path):
    told = Told().session("z").item("shared", at=START).session("a").item("shared", at=START)
    assert homes(resolved(tmp_path, told))["shared"] == "a"


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_homes_do_not_depend_on_which_log_is_told_first(tmp_path: Path, order: tuple[int, ...]):
    """Three logs share one item; two of them a second one."""
    own = [("a", 3, ("both", "all")), ("b", 2, ("all", "mine")), ("c", 1, ("both", "all", "own"))]
    told = Told()
    for name, hour, items in (own[n] for n in order):
        told.session(name, hour=hour)
        for item in items:
            told.item(item, at=START)
    assert homes(resolved(tmp_path, told)) == {"both": "a", "all": "a", "mine": "b", "own": "c"}


def test_calls_and_compactions_have_the_home_of_their_sessions(tmp_path: Path):
    told = Told().session("parent").item("i").call("r").compaction("c")
    told.session("child", hour=1, parent_session_id="parent", relation="resume").item("i").call("r").compaction("c").item("own")
    rows = resolved(tmp_path, told)
    assert homes(rows, "requests") == {"r": "parent"}
    assert homes(rows, "compactions") == {"c": "parent"}


def test_item_stands_once_and_is_placed_in_every_session_that_tells_it(tmp_path: Path):
    told = Told().session("parent").item("shared")
    told.session("child", parent_session_id="parent", relation="resume").item("shared").item("own")
    rows = resolved(tmp_path, told)
    placed = [(row["session_id"], row["position"], row["item_id"], row["inherited"]) for row in rows["placements"]]
    assert placed == [("child", 0, "shared", True), ("child", 1, "own", False), ("parent", 0, "shared", False)]


def test_turns_count_prompts_calls_come_first_to_those_who_made_them_and_a_compaction_begins_an_epoch(tmp_path: Path):
    told = Told().session("s").item("system").prompt("ask").call("r1").item("said", request_id="r1").item("result")
    told.call("r2").item("done", request_id="r2").compaction("c").item("summary").prompt("more").call("r3")
    told.item("last", request_id="r3").item("after")
    rows = resolved(tmp_path, told)
    assert {row["item_id"]: (row["turn"], row["request_no"], row["epoch"]) for row in rows["placements"]} == {
        "system": (0, 1, 0), "ask": (1, 1, 0), "said": (1, 1, 0), "result": (1, 2, 0), "done": (1, 2, 0),
        "summary": (1, 3, 1), "more": (2, 3, 1), "last": (2, 3, 1), "after": (2, 4, 1),
    }  # fmt: skip
    assert [(row["request_id"], row["request_no"], row["epoch"]) for row in rows["requests"]] == [
        ("r1", 1, 0), ("r2", 2, 0), ("r3", 3, 1),
    ]  # fmt: skip
    assert [row["request_no"] for row in rows["compactions"]] == [2]


def test_day_is_that_of_the_configured_zone(tmp_path: Path):
    told = Told().session("s").item("late", at=datetime(2026, 3, 2, 23, 30)).call("r", at=datetime(2026, 3, 2, 23, 30))
    rows = resolved(tmp_path, told)
    assert [str(row["day"]) for row in (*rows["items"], *rows["requests"])] == ["2026-03-03", "2026-03-03"]


@pytest.mark.parametrize("relation", ["resume", "fork", "subagent", "continuation"])
def test_relation_that_the_log_names_stands(tmp_path: Path, relation: str):
    told = Told().session("parent").item("i").session("child", parent_session_id="parent", relation=relation).item("j")
    assert lineage(resolved(tmp_path, told))["child"] == ("parent", relation, "parent")


def test_session_that_continues_a_record_comes_from_the_session_of_the_record(tmp_path: Path):
    told = Told().session("before").item("first").item("last").session("after", hour=1, parent_ref="last").item("own")
    rows = resolved(tmp_path, told)
    assert lineage(rows)["after"] == ("before", "continuation", "before")
    assert {row["session_id"]: row["parent_item_id"] for row in rows["sessions"]} == {"before": None, "after": "last"}


def test_session_that_holds_all_of_another_resumes_it_and_one_that_holds_a_part_forks_it(tmp_path: Path):
    told = Told().session("first").item("1", at=START).item("2", at=START)
    told.session("resumed", hour=1).item("1", at=START).item("2", at=START).item("3")
    told.session("forked", hour=2).item("1", at=START).item("4")
    told_of = lineage(resolved(tmp_path, told))
    assert told_of["resumed"] == ("first", "resume", "first")
    assert told_of["forked"] == ("first", "fork", "first")


def test_lineage_reaches_the_oldest_ancestor(tmp_path: Path):
    told = Told().session("a").item("1").session("b", parent_session_id="a", relation="resume").item("2")
    told.session("c", parent_session_id="b", relation="fork").item("3")
    assert {name: root for name, (_, _, root) in lineage(resolved(tmp_path, told)).items()} == dict.fromkeys("abc", "a")


def test_parent_that_is_not_in_the_archive_is_named_and_flagged(tmp_path: Path):
    told = Told().session("child", parent_session_id="long gone", relation="resume").item("1")
    (row,) = resolved(tmp_path, told)["sessions"]
    assert (row["parent_session_id"], row["flags"]) == ("long gone", ["lineage_unresolved"])


@pytest.mark.parametrize("parents", [{"a": "a"}, {"a": "b", "b": "a"}, {"a": "b", "b": "c", "c": "a"}])
def test_logs_that_name_each_other_as_parents_end_somewhere(tmp_path: Path, parents: dict[str, str]):
    told = Told()
    for name, parent in parents.items():
        told.session(name, parent_session_id=parent, relation="fork").item(f"of {name}").item("shared")
    rows = resolved(tmp_path, told)
    assert sorted(row["session_id"] for row in rows["sessions"]) == sorted(parents)
    assert len(rows["items"]) == len(parents) + 1


def test_copy_with_new_ids_takes_those_of_its_parent_until_the_first_difference(tmp_path: Path):
    told = Told().session("parent")
    for n in range(3):
        told.item(f"p{n}", content_key=f"same {n}")
    told.session("child", parent_session_id="parent", relation="fork")
    for n, key in enumerate(("same 0", "other", "same 2")):
        told.item(f"c{n}", content_key=key)
    rows = resolved(tmp_path, told)
    assert homes(rows) == {"p0": "parent", "p1": "parent", "p2": "parent", "c1": "child", "c2": "child"}


def test_subagent_that_was_started_fresh_inherits_nothing_that_is_no_copy(tmp_path: Path):
    told = Told().session("parent").item("p", content_key="hello").item("q", content_key="more")
    told.session("fresh", parent_session_id="parent", relation="subagent").item("f", content_key="hello")
    told.session("forked", parent_session_id="parent", relation="subagent").item("g", content_key="hello", is_replay=True)
    assert homes(resolved(tmp_path, told)) == {"p": "parent", "q": "parent", "f": "fresh"}


def test_replay_whose_parent_is_absent_has_no_time_of_its_own(tmp_path: Path):
    told = (
        Told()
        .session("child", parent_session_id="long gone", relation="fork")
        .item("i", is_replay=True)
        .call("r", is_replay=True)
    )
    rows = resolved(tmp_path, told)
    assert [(row["at"], row["day"]) for row in (*rows["items"], *rows["requests"])] == [(None, None)] * 2


def test_side_question_that_repeats_a_call_is_that_call(tmp_path: Path):
    told = Told().session("main").call("m1", call_key="k", output_tokens=9).item("said", request_id="m1")
    told.call("side", call_key="k", is_sidechain=True, output_tokens=9).item("aside", request_id="side")
    rows = resolved(tmp_path, told)
    assert [(row["request_id"], row["is_sidechain"], row["output_tokens"]) for row in rows["requests"]] == [("m1", False, 9)]
    assert {row["item_id"]: row["request_id"] for row in rows["items"]} == {"said": "m1", "aside": "m1"}


def test_copies_of_a_gateways_call_are_one_call_though_their_ids_name_their_sessions(tmp_path: Path):
    told = Told().session("a").item("i", at=START).call("gateway:a", call_key="k", output_tokens=4)
    told.session("b", hour=1).item("i", at=START).item("own").call("gateway:b", call_key="k", output_tokens=4)
    assert homes(resolved(tmp_path, told), "requests") == {"gateway:a": "a"}


def test_call_that_two_files_saw_growing_has_the_largest_of_each_count(tmp_path: Path):
    told = Told().session("a").item("i", at=START)
    told.call("r", input_uncached_tokens=3, output_tokens=1, output_origin="lower_bound")
    told.session("b", hour=1).item("i", at=START).item("own")
    told.call("r", input_uncached_tokens=3, cache_read_tokens=50, output_tokens=8)
    (row,) = resolved(tmp_path, told)["requests"]
    assert (row["input_uncached_tokens"], row["cache_read_tokens"], row["prompt_tokens"]) == (3, 50, 53)
    assert (row["output_tokens"], row["output_origin"]) == (8, "reported")


def test_call_without_any_reported_bucket_has_no_prompt_and_no_cost_though_its_model_has_a_price(tmp_path: Path):
    (row,) = resolved(tmp_path, Told().session("a").call("r", model="claude-sonnet-4-5"))["requests"]
    assert (row["prompt_tokens"], row["cost_usd"], row["cost_origin"]) == (None, None, "no_usage")


def test_batch_that_no_price_is_listed_for_costs_half(tmp_path: Path):
    """The list has no batch price of this model: 1,000 tokens at 3 dollars per million, halved."""
    usage = {"model": "claude-sonnet-4", "input_uncached_tokens": 1_000, "service_tier": "batch"}
    (row,) = resolved(tmp_path, Told().session("a").call("r", **usage))["requests"]
    assert (row["cost_usd"], row["cost_origin"]) == (Decimal("0.0015"), "halved")


def test_model_without_a_price_is_unpriced_and_not_free(tmp_path: Path):
    told = Told().session("a").call("r", model="loom-1", input_uncached_tokens=10, output_tokens=10)
    (row,) = resolved(tmp_path, told)["requests"]
    assert (row["prompt_tokens"], row["cost_usd"], row["cost_origin"]) == (10, None, "unpriced")


def _copied(tmp_path: Path, *, original: bool = True) -> Rows:
    """An original and two forks that say no parent, each with copies of two prompts and a call under ids of its own."""
    told = Told()
    names = (("original", 0, None), ("fork", 5, "fork"), ("again", 7, "fork"))
    for name, hour, relation in names if original else names[1:]:
        told.session(name, hour=hour, relation=relation)
        told.prompt(f"{name} 1", content_key="k1", at=START).call(f"{name} call", call_key="key", at=START)
        told.item(f"{name} 2", content_key="k2", at=START)
        if name != "again":
            told.prompt(f"{name} own", content_key=f"{name} own").call(f"{name} own call", call_key=f"key of {name}")
    return resolved(tmp_path, told)


def test_fork_that_names_no_parent_is_of_the_oldest_session_that_tells_the_same(tmp_path: Path):
    rows = _copied(tmp_path)
    assert lineage(rows) == {
        "original": (None, None, "original"),
        "fork": ("original", "fork", "original"),
        "again": ("original", "fork", "original"),
    }


def test_copies_of_a_fork_that_names_no_parent_count_once_in_the_original_though_a_fork_is_part_of_it(tmp_path: Path):
    rows = _copied(tmp_path)
    assert homes(rows) == {
        "original 1": "original", "original 2": "original", "original own": "original", "fork own": "fork",
    }  # fmt: skip
    assert homes(rows, "requests") == {"original call": "original", "original own call": "original", "fork own call": "fork"}
    assert {row["item_id"]: row["at"] for row in rows["items"]}["original 1"] == START


def test_forks_of_an_absent_original_count_their_common_copies_once(tmp_path: Path):
    rows = _copied(tmp_path, original=False)
    assert homes(rows) == {"fork 1": "fork", "fork 2": "fork", "fork own": "fork"}
    assert homes(rows, "requests") == {"fork call": "fork", "fork own call": "fork"}


def test_a_change_in_a_fork_that_names_no_parent_concerns_all_who_tell_the_same(tmp_path: Path):
    told = Told().session("original").item("o", content_key="k").session("bystander").item("b", content_key="other")
    told.session("fork", hour=5, relation="fork").item("f", content_key="k")
    layout = Layout(tmp_path)
    on_disk(layout, told.rows)
    made = resolve(layout, manifest.latest(layout), ["fork"], timezone="UTC", commit=2, threads=1)
    assert made.sessions == ("fork", "original")


def test_equal_content_keys_of_sessions_that_are_no_forks_are_two_things(tmp_path: Path):
    told = Told().session("a").item("a1", content_key="k").session("b", hour=1).item("b1", content_key="k")
    assert homes(resolved(tmp_path, told)) == {"a1": "a", "b1": "b"}


def test_place_that_the_reader_gives_goes_before_the_line(tmp_path: Path):
    told = Told().session("a").item("second", place=4).prompt("first", place=1).call("call", place=3)
    rows = resolved(tmp_path, told)
    assert [row["item_id"] for row in sorted(rows["placements"], key=lambda row: row["position"])] == ["first", "second"]
    assert {row["item_id"]: row["request_no"] for row in rows["placements"]} == {"first": 1, "second": 2}
