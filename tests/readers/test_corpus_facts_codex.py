"""The reader against counted facts of real rollouts, file by file. Skipped where the corpus is absent."""

import csv
from collections import defaultdict
from pathlib import Path

import pytest
from rollouts import read

from tasks.domain.kinds import ItemKind
from tasks.domain.seen import Reading

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"
NOT_COUNTED = ("web_search", "tool_search", "image_generation")
"""Tools that the facts do not count: their calls are no function calls."""


def facts() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = defaultdict(dict)
    if (CORPUS / "FACTS.tsv").exists():
        with (CORPUS / "FACTS.tsv").open(newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                if row["file"].startswith("codex/"):
                    found[row["file"]][row["key"]] = row["value"]
    return dict(found)


FACTS = facts()
pytestmark = pytest.mark.skipif(not FACTS, reason="the corpus is not here")


@pytest.mark.parametrize("name", FACTS)
def test_the_counted_facts_hold(name: str):
    wanted = FACTS[name]
    reading = read((CORPUS / name).read_bytes(), name)
    is_last_counter = wanted["final_total"] == wanted["sum_last_dedup"]
    for key, count in seen(reading).items():
        if key in ("input", "cached", "output") and not is_last_counter:
            continue  # the last counter started again at zero, and these facts are of the last counter
        assert count == int(wanted[key] or 0), key


def seen(reading: Reading) -> dict[str, int]:
    counts = [row for row in reading.records if row.type == "event_msg/token_count"]
    tool_calls = [item for item in reading.items if item.kind is ItemKind.TOOL_CALL and item.tool_name not in NOT_COUNTED]
    called = {item.call_id for item in tool_calls if item.call_id}
    answered = {item.call_id for item in reading.items if item.kind is ItemKind.TOOL_RESULT}
    cached = sum(call.cache_read_tokens or 0 for call in reading.requests)
    used = sum((call.input_uncached_tokens or 0) + (call.cache_write_tokens or 0) for call in reading.requests) + cached
    output = sum(call.output_tokens or 0 for call in reading.requests)
    return {
        "token_count": sum("usage_absent" not in row.flags for row in counts),
        "token_count_dup": sum("usage_repeated" in row.flags for row in counts),
        "sum_last_dedup": used + output,
        "input": used,
        "cached": cached,
        "output": output,
        "calls": len(called),
        "calls_without_output": len(called - answered),
    }
