"""Public logs against the numbers of `../shared/corpus/FACTS.tsv`, file by file. Skipped where the corpus is absent.

FACTS were counted from each file alone. Where our tables count otherwise, the test translates, and says how:

- `api_calls`, `dedup_*` know only calls with a message id (we also count usage of the oldest lines, which have none), and they
  count `<synthetic>` notices (always with zero tokens) as calls, which the format notes themselves exclude.
- `tool_uses`, `tool_results` and the orphans are numbers of distinct call ids, "no id" being one of them.
- `bad_lines` are lines that are not JSON; ours also reject JSON that is no object.
"""

import csv
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tasks.domain.kinds import ItemKind, Relation
from tasks.domain.records import Books, Record, Reject, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import registry
from tasks.readers.records import NOT_AN_OBJECT, read_records

SHARED = Path(os.environ.get("MIDWATCH_SHARED", Path(__file__).parents[2].parent / "shared"))
CORPUS = SHARED / "corpus"
FACTS = CORPUS / "FACTS.tsv"
AGENT = "claude-code"
BUCKETS = {
    "dedup_input": "input_uncached_tokens",
    "dedup_cache_read": "cache_read_tokens",
    "dedup_cache_creation": "cache_write_tokens",
    "dedup_output": "output_tokens",
}

pytestmark = pytest.mark.skipif(not FACTS.is_file(), reason="the shared corpus is not here")


def _facts() -> dict[str, dict[str, int]]:
    if not FACTS.is_file():
        return {}
    facts: dict[str, dict[str, int]] = {}
    with FACTS.open(newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            if row["file"].startswith(f"{AGENT}/"):
                of_file = facts.setdefault(row["file"], {name: int(row[name]) for name in ("lines", "bad_lines")})
                of_file[row["key"]] = int(row["value"])
    return facts


def _messages(records: list[Record]) -> dict[int, dict[str, Any]]:
    """Assistant messages with an id as logged, by line: for what FACTS count and our tables leave out."""
    answers = [record for record in records if record.data.get("type") == "assistant"]
    named = [record for record in answers if isinstance(message := record.data.get("message"), dict) and message.get("id")]
    return {record.line_no: record.data["message"] for record in named}


def _calls(reading: Reading, messages: dict[int, dict[str, Any]]) -> dict[str, int]:
    calls = [request for request in reading.requests if request.line_no in messages]
    paid = {messages[call.line_no]["id"] for call in calls}
    notices = {m["id"] for m in messages.values() if m.get("model") == "<synthetic>"} - paid
    sums = {key: sum(getattr(call, bucket) or 0 for call in calls) for key, bucket in BUCKETS.items()}
    return {"api_calls": len(calls) + len(notices), **sums}


def _naive(messages: dict[int, dict[str, Any]]) -> int:
    """The input side of every record with a message id, repeated as often as it is logged."""
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    usages = [message["usage"] for message in messages.values() if isinstance(message.get("usage"), dict)]
    return sum(usage.get(name) or 0 for usage in usages for name in names)


def _tools(reading: Reading) -> dict[str, int]:
    uses = {item.call_id for item in reading.items if item.kind is ItemKind.TOOL_CALL}
    results = {item.call_id for item in reading.items if item.kind is ItemKind.TOOL_RESULT}
    orphans = {"orphan_uses": len(uses - results), "orphan_results": len(results - uses)}
    return {"tool_uses": len(uses), "tool_results": len(results), **orphans}


def _records(reading: Reading, records: list[Record]) -> dict[str, int]:
    agents = {session.session_id for session in reading.sessions if session.relation is Relation.SUBAGENT}
    types = Counter(record.type for record in reading.records)
    rows = zip(reading.records, records, strict=True)
    aside = [row for row, record in rows if record.data.get("isSidechain") is True and row.session_id in agents]
    return {
        "compact_boundary": types["system/compact_boundary"],
        "compact_summary": sum(item.kind is ItemKind.COMPACTION_SUMMARY for item in reading.items),
        "sidechain": len(aside),
        "uuids": len({record.native_id for record in reading.records} - {None}),
        "glued_lines": sum(count > 1 for count in Counter(record.line_no for record in reading.records).values()),
    }


@pytest.mark.parametrize(("file", "facts"), _facts().items())
def test_claude_code_facts(file: str, facts: dict[str, int]):
    books = Books()
    with (CORPUS / file).open("rb") as stream:
        parts = list(read_records(stream, books, final=True))
    records = [part for part in parts if isinstance(part, Record)]
    head = [record.data for record in records[:8]]
    reader = registry.find(head)
    assert reader is not None
    assert reader.agent == AGENT
    reading = reader.read(records, SourceHint(AGENT, file, native_id=reader.identify(head, file)))
    messages = _messages(records)
    rejects = [part for part in parts if isinstance(part, Reject) and part.reason != NOT_AN_OBJECT]
    ours = {
        "lines": books.lines_seen - books.lines_blank,
        "bad_lines": len(rejects),
        "naive_input_plus_cache": _naive(messages),
    }
    ours |= _calls(reading, messages) | _tools(reading) | _records(reading, records)
    assert books.balanced
    assert ours == facts


@pytest.mark.parametrize("folder", sorted(path.name for path in CORPUS.iterdir() if path.is_dir()) if CORPUS.is_dir() else [])
def test_every_log_of_claude_code_is_claimed_and_no_other(folder: str):
    for path in sorted((CORPUS / folder).rglob("*.jsonl")):
        with path.open("rb") as stream:
            parts = read_records(stream, Books(), final=True)
            head = [part.data for part, _ in zip((p for p in parts if isinstance(p, Record)), range(8), strict=False)]
        assert registry.by_agent(AGENT).claims(head) == (folder == AGENT), path.name
