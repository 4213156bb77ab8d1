"""What the cases of `tests/cases` ask a lake, by the names that their `expect.json` uses."""

from collections.abc import Iterable
from typing import Any

import duckdb
from tables import plain

_CALLS, _RESULTS = (f"(from items where kind = '{kind}')" for kind in ("tool_call", "tool_result"))

VALUES = {
    name: f"select count(*) from {rows}"
    for name, rows in {
        "sessions": "sessions",
        "requests": "requests",
        "records": "records",
        "rejects": "rejects",
        "compactions": "compactions",
        "prompts": "items where kind = 'user_text'",
        "unpriced": "requests where cost_usd is null and cost_origin = 'unpriced'",
        "priced": "requests where cost_usd > 0",
        "estimated_items": "items where list_contains(flags, 'tokens_estimated')",
        "unasked_results": f"{_RESULTS} where call_id not in (select call_id from {_CALLS})",
        "unanswered_calls": f"{_CALLS} where call_id not in (select call_id from {_RESULTS})",
        "records_with_odd_numbers": "records where len(list_filter(flags, lambda flag: ends_with(flag, '_number'))) > 0"
        " or list_contains(flags, 'not_a_number')",
    }.items()
}
_TOKENS = ("input_uncached_tokens", "cache_write_tokens", "cache_read_tokens", "output_tokens")
_SUMS = ", ".join(f"coalesce(sum({name}), 0)::bigint" for name in _TOKENS)
_NATIVE = "(select native_id from sessions as s where s.session_id = {}.session_id)"

VALUES |= {
    "tokens": f"select [{_SUMS}] from requests",
    "reasoning": "select sum(reasoning_tokens)::bigint from requests",
    "web_searches": "select sum(web_search_requests)::bigint from requests",
    "cache_writes": """
        select [sum(cache_write_5m_tokens)::bigint, sum(cache_write_1h_tokens)::bigint, sum(cache_write_tokens)::bigint
            - sum(cache_write_5m_tokens)::bigint - sum(cache_write_1h_tokens)::bigint] from requests
    """,
    "sources_without_a_reason": "select count(*) from sources where state in ('unreadable', 'empty') and reason is null",
    "sums_are_finite": f"select {' and '.join(f'coalesce(min({name}), 0) >= 0' for name in _TOKENS)} from requests",
    "repeated_results": """
        select (count(*) - count(distinct call_id)) from items
        where kind = 'tool_result' and call_id in (select call_id from items where kind = 'tool_call')
    """,
    "chains": "select count(distinct lineage_id) from sessions",
    "surrogate_repairs": "select count(*) from (select unnest(flags) as flag from records) where flag = 'lone_surrogate'",
    "moved_to": "select parse_filename(parse_dirpath(path)) from sources where state = 'moved'",
    "smallest_prompt_tokens": "select min(tokens) from items where kind = 'user_text'",
}

ROWS = {
    "kinds": "select kind, count(*) from items group by kind order by kind",
    "record_types": "select type, count(*) from records group by type order by type",
    "unknown_records": """
        select type, count(*) from records where list_contains(flags, 'unknown_type') group by type order by type
    """,
    "prompt_texts": "select text from items where kind = 'user_text' order by \"at\" nulls last, seq",
    "prompts_on_path": """
        select text from placements join items using (item_id) where kind = 'user_text' and on_path order by position
    """,
    "prompts_off_path": """
        select text from placements join items using (item_id) where kind = 'user_text' and not on_path order by position
    """,
    "prompts_shown": """
        select native_id, count(items.item_id) from sessions
        left join placements using (session_id)
        left join items on items.item_id = placements.item_id and kind = 'user_text'
        group by native_id order by native_id
    """,
    "answers": "select text from items where kind = 'assistant_text' order by session_id, seq",
    "results": "select text from items where kind = 'tool_result' order by session_id, seq",
    "unknown_texts": "select text from items where kind = 'unknown' order by session_id, seq",
    "times": 'select "at" from requests order by request_no',
    "spans": "select started_at, ended_at from sessions order by session_id",
    "titles": "select title from sessions order by session_id",
    "cwds": "select cwd from sessions order by session_id",
    "native_ids": "select native_id from sessions order by native_id",
    "lineage": """
        select child.native_id, parent.native_id, child.relation
        from sessions as child left join sessions as parent on parent.session_id = child.parent_session_id
        order by child.native_id
    """,
    "requests_by_session": f"""
        select {_NATIVE.format("requests")} as native_id, count(*) from requests group by requests.session_id order by native_id
    """,
    "requests_by_day": "select day, count(*) from requests group by day order by day nulls last",
    "models": "select model, count(*) from requests group by model order by model nulls last",
    "record_flags": "select unnest(flags) as flag, count(*) from records group by flag order by flag",
    "session_flags": """
        select flag, count(*) from (select unnest(flags) as flag from sessions) where not contains(flag, ':')
        group by flag order by flag
    """,
    "notice_flags": """
        select flag, count(*) from (select unnest(flags) as flag from items where kind = 'notice') group by flag order by flag
    """,
    "summaries_of_compactions": """
        select text from compactions left join items on item_id = summary_item_id order by request_no
    """,
    "reject_reasons": "select reason, count(*) from rejects group by reason order by reason",
    "reject_places": "select line_no, byte_length from rejects order by source_id, byte_offset",
    "states": "select state, count(*) from sources group by state order by state",
    "sources": "select generation, state from sources order by generation",
    "empty": "select parse_filename(path) as name from sources where state = 'empty' order by name",
    "unreadable": "select parse_filename(path) as name from sources where state = 'unreadable' order by name",
}


def answers(con: duckdb.DuckDBPyConnection, names: Iterable[str]) -> dict[str, Any]:
    """The lake's answers as JSON writes them; rows of one column are a list of values."""
    return {name: _answer(con, name) for name in names}


def _answer(con: duckdb.DuckDBPyConnection, name: str) -> Any:
    rows = [[plain(value) for value in row] for row in con.execute(VALUES.get(name) or ROWS[name]).fetchall()]
    if name in VALUES:
        return rows[0][0]
    return [row[0] if len(row) == 1 else row for row in rows]
