"""What the readers of Gemini CLI and pi see in public logs, against the numbers of `../shared/corpus/FACTS.tsv`, file by file.

FACTS come from small independent code that counts what the log says. Where ours says it in other words:

- `lines` counts documents as one; `bad_lines` are lines that are not JSON.
- `api_calls` are messages with token counts; for pi also those that broke off and counted nothing.
- Gemini: `input` holds `cached` and is prompt together with `tool`; `output` and `thoughts` are our output. `total` is what the
  log adds up to: where that is not the sum of the others, the call is flagged and the totals differ.
- pi: `version` shows in the ids, which version 1 has none of, and in the absence of a flag.
"""

import csv
import io
import os
from collections import defaultdict
from pathlib import Path

import pytest
from readings import read

from tasks.domain.kinds import Form
from tasks.domain.records import Books
from tasks.domain.seen import Reading
from tasks.readers import forms

CORPUS = Path(os.environ.get("MIDWATCH_SHARED", Path(__file__).parents[2].parent / "shared")) / "corpus"


def facts(agent: str) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    path = CORPUS / "FACTS.tsv"
    if path.is_file():
        with path.open(newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                if row["file"].startswith(f"{agent}/"):
                    found[row["file"]] |= {name: int(row[name]) for name in ("lines", "bad_lines")}
                    found[row["file"]][row["key"]] = int(row["value"])
    return dict(found)


GEMINI, PI = facts("gemini-cli"), facts("pi")
pytestmark = pytest.mark.skipif(not GEMINI, reason="the shared corpus is not here")


def total(reading: Reading, *columns: str) -> int:
    return sum(getattr(call, column) or 0 for call in reading.requests for column in columns)


@pytest.mark.parametrize("file", GEMINI)
def test_a_gemini_log_has_its_facts(file: str):
    stated = GEMINI[file]
    _, reading = read(CORPUS / file)
    agreeing = [call for call in reading.requests if "total_differs" not in call.flags]
    ours = {
        "lines": sum(row.type == "session" for row in reading.records),
        "bad_lines": sum("unknown_type" in row.flags for row in reading.records),
        "api_calls": len(reading.requests),
        "total_equals_in_out_thoughts_tool": len(agreeing),
        "cached": total(reading, "cache_read_tokens"),
        "thoughts": total(reading, "reasoning_tokens"),
    }
    prompt = total(reading, "input_uncached_tokens", "cache_read_tokens", "cache_write_tokens")
    output = total(reading, "output_tokens")
    assert ours == {name: stated.get(name, 0) for name in ours}
    assert prompt == stated.get("input", 0) + stated.get("tool", 0)
    assert output == stated.get("output", 0) + stated.get("thoughts", 0)
    if len(agreeing) == len(reading.requests):
        assert prompt + output == stated.get("total", 0)
    else:
        assert prompt + output != stated["total"]


@pytest.mark.parametrize("file", PI)
def test_a_pi_log_has_its_facts(file: str):
    stated = PI[file]
    _, reading = read(CORPUS / file)
    books = Books()
    list(forms.read(io.BytesIO((CORPUS / file).read_bytes()), Form.LINES, None, books, final=True))
    ours = {
        "lines": books.lines_in_rows + books.lines_rejected,
        "bad_lines": books.lines_rejected,
        "api_calls": len(reading.requests),
        "compaction": len(reading.compactions),
        "input": total(reading, "input_uncached_tokens"),
        "output": total(reading, "output_tokens"),
        "cacheRead": total(reading, "cache_read_tokens"),
        "cacheWrite": total(reading, "cache_write_tokens"),
    }
    (session,) = reading.sessions
    has_ids = all(row.native_id for row in reading.records)
    assert {**ours, "version": stated["version"]} == stated
    assert (stated["version"] > 1, session.flags) == (has_ids, ())


def test_no_fact_of_these_agents_is_left_out():
    known = {
        "lines", "bad_lines", "api_calls", "total_equals_in_out_thoughts_tool", "input", "output", "cached", "thoughts", "tool",
        "total", "compaction", "version", "cacheRead", "cacheWrite",
    }  # fmt: skip
    assert {name for stated in (*GEMINI.values(), *PI.values()) for name in stated} <= known


@pytest.mark.parametrize("agent", ["gemini-cli", "pi", "openclaw", "qwen-code", "iflow"])
def test_every_public_log_is_claimed_by_its_reader_alone_and_says_something(agent: str):
    logs = sorted((CORPUS / agent).iterdir())
    assert logs
    for log in logs:
        reader, reading = read(log)
        assert (reader.agent, bool(reading.items)) == (agent, True), log.name
