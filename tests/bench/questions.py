"""How long every question takes on a lake of a given size, beside DuckDB on the raw logs. Run by hand, asserts nothing.

    python tests/bench/questions.py ARCHIVE [--mb 500] [--keep DIR] [--cold] [--only NAME ...]

Makes so many megabytes of Claude Code and Codex logs from those of ARCHIVE (`scaled.py`), ingests and analyzes them, and asks
each question of sql/analysis and sql/macros with its defaults, those about one session about the one with the most calls: once
to warm up, then five times, on one connection with two threads, as an analyst has it. Then, with as many threads, DuckDB counts
the characters by kind of content block from the raw JSONL: what one does who has only the logs.
`--cold` times the whole command `midwatch query NAME` as well. `--keep DIR` leaves home and lake there for the next time.

CPU is of all threads, and tells more than the wall on a machine that does other things.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests/bench")]

import ingest_speed  # noqa: E402
import scaled  # noqa: E402

from tasks.store import catalog, sql  # noqa: E402
from tasks.store.layout import Layout  # noqa: E402

THREADS, RUNS, GOAL_MS, GOAL_TIMES = 2, 5, 200.0, 20.0
RAW = """
with records as (
    select json
    from read_json_objects($files, format = 'newline_delimited', ignore_errors = true, maximum_object_size = 67108864)
),
claude as (
    select case json_type(json, '$.message.content')
        when 'ARRAY' then from_json(json -> '$.message.content', '["json"]')
        else [json_object('type', 'text', 'text', json ->> '$.message.content')]
    end as blocks
    from records
    where json ->> '$.type' in ('user', 'assistant')
),
codex as (
    select json -> '$.payload' as payload from records where json ->> '$.type' = 'response_item'
),
blocks as (
    select unnest(blocks) as block from claude
    union all
    select payload from codex
)
select block ->> '$.type' as kind, count(*) as blocks, sum(length(block::varchar)) as chars
from blocks
group by 1
order by 3 desc
"""


@dataclass(frozen=True)
class Timed:
    """Medians of several runs."""

    milliseconds: float
    fastest: float
    cpu: float
    rows: int


def timed(ask: Callable[[], int], runs: int = RUNS) -> Timed:
    """One run to warm up is not counted."""
    rows = ask()
    walls, cpus = [], []
    for _ in range(runs):
        wall, cpu = time.perf_counter(), time.process_time()
        ask()
        walls.append(1000 * (time.perf_counter() - wall))
        cpus.append(1000 * (time.process_time() - cpu))
    return Timed(statistics.median(walls), min(walls), min(cpus), rows)


def lake(archive: Path, folder: Path, megabytes: float) -> Layout:
    """A home folder and its lake below `folder`, made unless they are there."""
    home, data = folder / "home", folder / "data"
    if not home.exists():
        print(f"{scaled.grow(archive, home, megabytes) / 1e6:,.0f} MB of logs laid")
    for command in [] if data.exists() else ["ingest", "analyze"]:
        where = ["--archive", str(home)] if command == "ingest" else []
        print(ingest_speed.line(command, ingest_speed.measure([command, *where, "--data", str(data), "--json"])))
    return Layout(data)


def known(con: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """Values for parameters that have none: the session with the most calls, its middle, a month, a word."""
    session, calls = con.execute(
        "select session_id, max(request_no) from reconciliation group by 1 order by count(*) desc, 1 limit 1"
    ).fetchone() or ("none", 0)
    (newest,) = con.execute("select newest_day from archive").fetchone() or (None,)
    (item,) = con.execute("select item_id from residency order by token_requests desc, 1 limit 1").fetchone() or ("none",)
    return {
        "session": session, "wanted": session[:20], "text": "error", "item": item, "at_request": calls // 2,
        "from_request": calls // 4, "to_request": calls // 2, "from_day": "2026-01-01", "to_day": newest,
    }  # fmt: skip


def asked(con: duckdb.DuckDBPyConnection, query: sql.Query, values: dict[str, Any]) -> Callable[[], int]:
    given = {param.name: values[param.name] for param in query.params if param.default is None}
    return lambda: len(sql.run(con, query, given).rows)


def cold(layout: Layout, query: sql.Query, values: dict[str, Any]) -> float:
    """Milliseconds of `midwatch query`, median of three."""
    given = [f"--param={p.name}={values[p.name]}" for p in query.params if p.default is None]
    command = [*ingest_speed.MIDWATCH, "query", query.name.rpartition("/")[2], *given, "--data", str(layout.data), "--json"]
    walls = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        walls.append(1000 * (time.perf_counter() - start))
    return statistics.median(walls)


def questions(layout: Layout, only: Sequence[str], *, is_cold: bool) -> Timed | None:
    """Prints a line for each; what `tokens_by_kind` took."""
    by_kind = None
    print(f"{'':34}{'median ms':>10}{'fastest':>9}{'CPU ms':>8}{'rows':>8}{'command ms' if is_cold else '':>12}")
    with catalog.connect(layout) as con:
        con.execute(f"set threads = {THREADS}")
        values = known(con)
        for name in [f"{room}/{stem}" for room in ("analysis", "macros") for stem in sql.names(room)]:
            stem = name.rpartition("/")[2]
            if only and stem not in only:
                continue
            query = sql.load(name)
            took = timed(asked(con, query, values))
            by_kind = took if stem == "tokens_by_kind" else by_kind
            command = f"{cold(layout, query, values):12.0f}" if is_cold else ""
            slow = "" if took.milliseconds < GOAL_MS else f"   over {GOAL_MS:.0f} ms"
            figures = f"{took.milliseconds:10.1f}{took.fastest:9.1f}{took.cpu:8.0f}{took.rows:8,}"
            print(f"{stem:34}{figures}{command}{slow}", flush=True)
    return by_kind


def raw(home: Path) -> Timed:
    """The kinds of content blocks by characters, from the logs themselves."""
    files = [str(path) for path in sorted(home.rglob("*.jsonl"))]
    with duckdb.connect(config={"threads": THREADS}) as con:
        return timed(lambda: len(con.execute(RAW, {"files": files}).fetchall()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--mb", type=float, default=500)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--only", nargs="+", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="midwatch-questions-") as scratch:
        folder = options.keep or Path(scratch)
        layout = lake(options.archive, folder, options.mb)
        by_kind = questions(layout, options.only, is_cold=options.cold)
        if by_kind:
            logs = raw(folder / "home")
            times, by_cpu = logs.milliseconds / by_kind.milliseconds, logs.cpu / by_kind.cpu
            print(f"\nkinds from the raw logs: {logs.milliseconds:,.0f} ms, CPU {logs.cpu:,.0f} ms; {logs.rows} kinds")
            print(f"tokens_by_kind is {times:,.0f} times faster (CPU {by_cpu:,.0f} times; goal {GOAL_TIMES:.0f})")


if __name__ == "__main__":
    main()
