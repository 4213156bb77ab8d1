"""Every demanded behavior has a test with its number, or a reason in the room's page why it has none."""

import re
from pathlib import Path

import pytest

from tasks import compaction

TESTS = Path(__file__).resolve().parents[1]
PAGE = (Path(compaction.__file__).parent / "README.md").read_text("utf-8").partition("## Demands without a test")[2]
DEMANDED = {
    "A": (range(1, 7), range(10, 21), range(30, 44), range(50, 59), range(60, 67), range(70, 73)),
    "B": (range(1, 13), range(20, 36), range(40, 47)),
    "C": (range(1, 5), range(10, 16), range(20, 25), range(30, 36), range(40, 43), range(50, 56), range(60, 66)),
}
NUMBERS = [f"{letter}{number:02}" for letter, spans in DEMANDED.items() for span in spans for number in span]


def with_test() -> set[str]:
    names = (
        name for file in TESTS.rglob("test_*.py") for name in re.findall(r"def test_((?:[ABC]\d\d_)+)", file.read_text("utf-8"))
    )
    return {number for name in names for number in name.split("_") if number}


def with_reason() -> set[str]:
    return set(re.findall(r"^\| ([ABC]\d\d) \|", PAGE, re.MULTILINE))


@pytest.mark.parametrize("number", NUMBERS)
def test_a_demand_has_a_test_or_a_reason(number: str):
    assert (number in with_test()) != (number in with_reason())
