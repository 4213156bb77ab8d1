"""The lake of one public log against the numbers of `../shared/corpus/FACTS.tsv`, file by file, each file alone.

FACTS come from small independent code. Where they count otherwise than the lake, the query here says how:

- `api_calls` count `<synthetic>` notices, which nobody paid, and leave out calls of the oldest logs that have no id.
- `tool_uses`, `tool_results` and orphans are numbers of distinct call ids, "no id" being one of them.
- `bad_lines` are lines that are not JSON; the lake also rejects JSON that is no object.
- `naive_input_plus_cache` repeats a call for each of its records, `sidechain` counts a field of the record: both are read
  from the byte-exact copy in raw/.
- Sub-agents' turns inside `progress` records are no part of the facts.
- Codex `input`, `cached` and `output` are those of the last counter, so they are compared where there is one counter only.
"""

import csv
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from lakes import night

from tasks.domain.records import Books, Record
from tasks.readers.records import read_records
from tasks.store import catalog, raw
from tasks.store.layout import Layout

SHARED = Path(os.environ.get("MIDWATCH_SHARED", Path(__file__).parents[1].parent / "shared"))
CORPUS = SHARED / "corpus"

CLAUDE = """
with kept as (
    select * from items where not list_contains(flags, 'from_progress')
),
named as (
    from requests where not list_has_any(flags, ['no_message_id', 'from_progress'])
)
select
    (select sum(lines - lines_blank) from sources) as lines,
    (select count(*) from rejects where reason <> 'not an object') as bad_lines,
    (select count(*) from (select line_no from records group by line_no having count(*) > 1)) as glued_lines,
    (select count(*) from named) as api_calls,
    (select coalesce(sum(input_uncached_tokens), 0) from named) as dedup_input,
    (select coalesce(sum(cache_read_tokens), 0) from named) as dedup_cache_read,
    (select coalesce(sum(cache_write_tokens), 0) from named) as dedup_cache_creation,
    (select coalesce(sum(output_tokens), 0) from named) as dedup_output,
    (select count(distinct coalesce(call_id, '')) from kept where kind = 'tool_call') as tool_uses,
    (select count(distinct coalesce(call_id, '')) from kept where kind = 'tool_result') as tool_results,
    (select count(*) from (
        select coalesce(call_id, '') from kept where kind = 'tool_call'
        except select coalesce(call_id, '') from kept where kind = 'tool_result')) as orphan_uses,
    (select count(*) from (
        select coalesce(call_id, '') from kept where kind = 'tool_result'
        except select coalesce(call_id, '') from kept where kind = 'tool_call')) as orphan_results,
    (select count(*) from records where type = 'system/compact_boundary') as compact_boundary,
    (select count(*) from kept where kind = 'compaction_summary') as compact_summary,
    (select count(distinct native_id) from records) as uuids
"""
CODEX = """
with counted as (
    from records where type = 'event_msg/token_count'
)
select
    (select count(*) from counted where not list_contains(flags, 'usage_absent')) as token_count,
    (select count(*) from counted where list_contains(flags, 'usage_repeated')) as token_count_dup,
    (select coalesce(sum(prompt_tokens + output_tokens), 0) from requests) as sum_last_dedup,
    (select coalesce(sum(prompt_tokens), 0) from requests) as input,
    (select coalesce(sum(cache_read_tokens), 0) from requests) as cached,
    (select coalesce(sum(output_tokens), 0) from requests) as output,
    (select count(distinct call_id) from items where kind = 'tool_call' and tool_name not in $uncounted) as calls,
    (select count(*) from (
        select distinct call_id from items where kind = 'tool_call' and call_id is not null and tool_name not in $uncounted
        except select call_id from items where kind = 'tool_result')) as calls_without_output
""".replace("$uncounted", "('web_search', 'tool_search', 'image_generation')")


def _facts(agent: str) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    path = CORPUS / "FACTS.tsv"
    if path.is_file():
        with path.open(newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                if row["file"].startswith(f"{agent}/"):
                    found[row["file"]] |= {name: int(row[name]) for name in ("lines", "bad_lines")}
                    found[row["file"]][row["key"]] = int(row["value"] or 0)
    return dict(found)


DIFFERENCES = {"claude-code/as-small.jsonl": {"api_calls": 4}}
"""Where the lake is right. There a placeholder stands for the ids of calls of two sessions, which the facts count as one."""
CLAUDE_FACTS, CODEX_FACTS = _facts("claude-code"), _facts("codex")
pytestmark = pytest.mark.skipif(not CLAUDE_FACTS, reason="the shared corpus is not here")


@pytest.mark.parametrize("file", CLAUDE_FACTS)
def test_the_lake_of_a_claude_code_log_has_its_facts(file: str, tmp_path: Path):
    facts = CLAUDE_FACTS[file] | DIFFERENCES.get(file, {})
    night(CORPUS / file, tmp_path, final_grace_hours=0)

    records = _raw_records(tmp_path)
    counted = _one_row(tmp_path, CLAUDE)
    ours = counted | {
        "naive_input_plus_cache": sum(map(_input_side, records)),
        "api_calls": counted["api_calls"] + len({_notice(record) for record in records} - {None}),
        "sidechain": sum(record.get("isSidechain") is True for record in records),
    }

    assert {name: int(ours[name]) for name in facts} == facts


@pytest.mark.parametrize("file", CODEX_FACTS)
def test_the_lake_of_a_codex_log_has_its_facts(file: str, tmp_path: Path):
    facts = dict(CODEX_FACTS[file])
    night(CORPUS / file, tmp_path, final_grace_hours=0)

    ours = _one_row(tmp_path, CODEX)
    has_one_counter = facts["final_total"] == facts["sum_last_dedup"]
    compared = (
        set(facts) - {"lines", "bad_lines", "final_total"} - (set() if has_one_counter else {"input", "cached", "output"})
    )

    assert {name: int(ours[name]) for name in compared} == {name: facts[name] for name in compared}


def _one_row(data: Path, question: str) -> dict[str, Any]:
    with catalog.connect(Layout(data)) as con:
        answer = con.execute(question)
        return dict(zip([column[0] for column in answer.description], answer.fetchone(), strict=True))


def _raw_records(data: Path) -> list[dict[str, Any]]:
    (copy,) = Layout(data).raw.rglob("*.zst")
    with raw.open_copy(copy) as log:
        return [found.data for found in read_records(log, Books(), final=True) if isinstance(found, Record)]


def _input_side(record: dict[str, Any]) -> int:
    message = record.get("message")
    usage = message.get("usage") if isinstance(message, dict) and message.get("id") else None
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return sum(usage.get(name) or 0 for name in names) if isinstance(usage, dict) else 0


def _notice(record: dict[str, Any]) -> str | None:
    """Message id of a notice that the program wrote in the model's place."""
    message = record.get("message")
    is_notice = isinstance(message, dict) and message.get("model") == "<synthetic>"
    return message.get("id") if is_notice else None
