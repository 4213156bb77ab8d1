"""Outputs of runners, taken apart: cases/testruns/<runner>_<fact>/ has input.txt and what it says in expected.json."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.facts.testruns import ALL, Run, take_apart

FOLDER = Path(__file__).parent / "cases" / "testruns"
CASES = sorted(path.parent for path in FOLDER.rglob("input.txt"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_an_output_says(case: Path):
    output = (case / "input.txt").read_bytes().decode()
    expected = json.loads((case / "expected.json").read_text("utf-8"))
    run = take_apart(output, expected.pop("command", ""), is_error=expected.pop("is_error", False))
    assert run is not None
    assert told(run, output) == expected


def told(run: Run, output: str) -> dict[str, Any]:
    facts = {name: getattr(run, name) for name in ("runner", "passed", "failed", "errors", "skipped", "is_parsed")}
    return facts | {"failed_ids": list(run.failed_ids), "failures": [failure.text(output) for failure in run.failures]}


PARTS = sorted({line for case in CASES for line in (case / "input.txt").read_bytes().decode().splitlines(keepends=True)})
ANY_OUTPUT = st.lists(st.sampled_from(PARTS) | st.text(max_size=30), max_size=40).map("".join)


@given(output=ANY_OUTPUT, is_error=st.booleans())
def test_spans_are_of_the_text_in_order_and_make_it_up(output: str, is_error: bool):
    run = take_apart(output, "make test", is_error=is_error)
    assert run is not None
    failures = [(failure.first, failure.last) for failure in run.failures]
    spans = sorted([*failures, *run.rest])
    assert failures == sorted(failures)
    assert "".join(output[first:last] for first, last in spans) == output
    assert all(first <= last for first, last in spans)


@given(output=ANY_OUTPUT)
def test_counts_are_not_negative(output: str):
    run = take_apart(output, "make test")
    assert run is not None
    assert all(count is None or count >= 0 for count in (run.passed, run.failed, run.errors, run.skipped))


@pytest.mark.parametrize("output", ["", "\n", "total 3\nwarp.py\n", "def test(): pass\n", "# Test plan\n1. Dig\n", "ok\n"])
def test_what_is_no_test_run_is_none(output: str):
    assert take_apart(output, "ls -l") is None


def test_a_command_that_tests_makes_any_output_a_run():
    assert take_apart("", "pytest -q") == Run("unparsed", None, None, None, None, (), (), (), is_parsed=False)


def test_every_runner_has_a_case():
    told_of = {name for case in CASES for name in json.loads((case / "expected.json").read_text("utf-8"))["runner"].split("+")}
    assert {runner.name for runner in ALL} - told_of == set()


LINES = ("1 passed, " * 60, "    a b c", "--- FAIL: A (0.0s)", "Error: x", "FAIL " * 200, "_ " * 300, "E   x", "x" * 5_000_000)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[:12])
def test_time_grows_with_the_output_and_no_faster(line: str):
    """A megabyte of anything is done in seconds; what backtracks takes minutes."""
    started = time.perf_counter()
    take_apart((line + "\n") * max(1, 1_000_000 // (len(line) + 1)), "make test", is_error=True)
    assert time.perf_counter() - started < 10
