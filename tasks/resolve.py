"""Identity across files: from what each log tells to sessions, calls and items that are counted once.

Runs the steps of sql/identity over the sessions that a night touched and every session tied to them; rows of all others stay.
"""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from tasks.context.pricing import Cost, Prices, load_prices
from tasks.store import catalog, parts, sql
from tasks.store.layout import Layout
from tasks.store.manifest import Manifest, Part
from tasks.store.schemas import COMPACTIONS, ITEMS, PLACEMENTS, REQUESTS, SESSIONS, Table

GROUP_BYTES = 64 << 20
"""Text per written part of `items`."""
MEMORY_LIMIT = "1GB"
_BUCKETS = ("input_uncached", "cache_read", "cache_write", "cache_write_1h", "output")


@dataclass(frozen=True, slots=True)
class Resolved:
    """New rows of the touched sessions, and whose older rows they replace."""

    parts: tuple[Part, ...]
    sessions: tuple[str, ...]
    replaced: tuple[tuple[str, int], ...]


def resolve(
    layout: Layout, draft: Manifest, changed: Sequence[str] | None, *, timezone: str, commit: int, threads: int
) -> Resolved:
    """Write the session tables for all that `changed` (None: everything) touches in a draft snapshot."""
    shutil.rmtree(layout.scratch, ignore_errors=True)
    layout.scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    with duckdb.connect(":memory:", config={"memory_limit": MEMORY_LIMIT, "threads": threads}) as con:
        con.execute(f"set temp_directory = {catalog.quoted(str(layout.scratch))}")
        con.execute("set preserve_insertion_order = false")
        catalog.define(con, layout, draft)
        touched = _touch(con, changed)
        replaced = con.execute(
            "select distinct session_id, commit from lake.sessions where session_id in (select session_id from touched)"
        ).fetchall()
        _decide(con)
        written = [part for table, rows in _rows(con, timezone, commit) if (part := parts.write(layout, table, rows))]
    return Resolved(tuple(written), tuple(touched), tuple(sorted(replaced)))


def _touch(con: duckdb.DuckDBPyConnection, changed: Sequence[str] | None) -> list[str]:
    if changed is None:
        con.execute("create temp table touched as select distinct session_id from lake.seen_sessions")
    else:
        con.register("changed", pa.table({"session_id": pa.array(changed, pa.string())}))
        con.execute("create temp table touched as select distinct session_id from changed")
        _widen(con)
    return [row[0] for row in con.execute("select session_id from touched order by session_id").fetchall()]


def _widen(con: duckdb.DuckDBPyConnection) -> None:
    """Add tied sessions until there are no more. Ties are symmetric, so the order of nights does not matter."""
    con.execute(sql.load("identity/widen").text)
    while True:
        con.execute("""
            create or replace temp table tied as
            select distinct theirs.session_id from ties as ours inner join ties as theirs using (tie)
            where ours.session_id in (select session_id from touched)
                and theirs.session_id not in (select session_id from touched)
        """)
        con.execute("insert into touched select session_id from tied")
        if con.execute("select count(*) from tied").fetchone() == (0,):
            return


def _decide(con: duckdb.DuckDBPyConnection) -> None:
    for step in ("told", "lineage"):
        con.execute(sql.load(f"identity/{step}").text)
    depths = [row[0] for row in con.execute("select distinct depth from present_parents order by depth").fetchall()]
    inherit = sql.load("identity/inherit").text
    for depth in depths:
        for told in ("told_items", "told_requests", "told_compactions"):
            con.execute(inherit.replace("{told}", told), {"depth": depth})
            con.execute(
                f"update {told} set id = inherited_ids.id from inherited_ids"
                f" where {told}.session_id = inherited_ids.session_id and {told}.seen_id = inherited_ids.seen_id"
            )
    for step in ("homes", "calls", "places", "people"):
        con.execute(sql.load(f"identity/{step}").text)


def _rows(con: duckdb.DuckDBPyConnection, timezone: str, commit: int) -> Iterator[tuple[Table, pa.Table]]:
    zone = {"timezone": timezone}
    yield SESSIONS, _fetched(con, SESSIONS, "write_sessions", {}, commit)
    yield REQUESTS, _priced(_fetched(con, None, "write_requests", zone, commit), load_prices(), commit)
    yield PLACEMENTS, _fetched(con, PLACEMENTS, "write_placements", {}, commit)
    yield COMPACTIONS, _fetched(con, COMPACTIONS, "write_compactions", {}, commit)
    for group in _groups(con):
        con.register("group_rows", pa.table({"session_id": group}))
        con.execute("create or replace temp table told_group as select session_id from group_rows")
        yield ITEMS, _fetched(con, ITEMS, "write_items", zone, commit)


def _groups(con: duckdb.DuckDBPyConnection) -> Iterator[list[str]]:
    """Touched sessions in order, cut where their text fills a part: by the rows alone, so parts are the same everywhere."""
    sizes = con.execute("""
        select session_id, sum(seen.chars)
        from told_items inner join lake.seen_items as seen using (session_id, source_id, generation, ordinal)
        group by session_id order by session_id
    """).fetchall()
    group: list[str] = []
    size = 0
    for session_id, chars in sizes:
        if group and size + chars > GROUP_BYTES:
            yield group
            group, size = [], 0
        group.append(session_id)
        size += chars
    if group:
        yield group


def _fetched(con: duckdb.DuckDBPyConnection, table: Table | None, step: str, params: dict[str, Any], commit: int) -> pa.Table:
    rows = con.sql(sql.load(f"identity/{step}").text, params=params).to_arrow_table()
    if table is None:
        return rows
    rows = rows.append_column("commit", pa.array([commit] * rows.num_rows, pa.int64()))
    return rows.select(table.schema.names).cast(table.schema)


def _priced(rows: pa.Table, prices: Prices, commit: int) -> pa.Table:
    """Requests with money on what was reported. What is not known stays null, and the origin says why: it is not free."""
    found = rows.to_pylist()
    costs = [_cost(row, prices) for row in found]
    limits = [row["context_limit"] or prices.context_limit(row["model"]) for row in found]
    rows = rows.set_column(rows.schema.get_field_index("context_limit"), "context_limit", pa.array(limits, pa.int64()))
    origin = [cost.origin.value for cost in costs]
    dollars = pa.array([cost.usd for cost in costs], pa.decimal128(18, 9))
    columns = {"cost_usd": dollars, "cost_origin": origin, "commit": [commit] * len(found)}
    for name, values in columns.items():
        rows = rows.append_column(name, values if isinstance(values, pa.Array) else pa.array(values))
    return rows.select(REQUESTS.schema.names).cast(REQUESTS.schema)


def _cost(row: dict[str, Any], prices: Prices) -> Cost:
    counts = {bucket: row[f"{bucket}_tokens"] for bucket in _BUCKETS}
    return prices.cost(row["model"], **counts, service_tier=row["service_tier"])
