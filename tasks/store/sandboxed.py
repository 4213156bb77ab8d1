"""The inside of the query sandbox: a program of its own that opens the catalog, locks itself in and answers one question.

`sandbox.py` starts it as a file in an isolated interpreter, so it imports nothing of ours. It reads one JSON job from
standard input and writes JSON lines to standard output: `{"columns", "types"}`, one list per row, `{"rows", "is_cut"}`;
or one `{"refused"}` with a message for the person who wrote the SQL; or `{"stale"}` when the catalog is of another snapshot.
"""

import datetime
import json
import math
import resource
import sys
import threading
from decimal import Decimal
from typing import Any

import duckdb

BATCH = 1_000
WRITERS = (
    "COPY",
    "INSERT",
    "UPDATE",
    "DELETE",
    "MERGE",
    "CREATE",
    "ATTACH",
    "DETACH",
    "DROP",
    "ALTER",
    "EXPORT",
    "LOAD",
    "SET",
)
"""Beginnings of plan operators that do more than read."""


class StaleError(Exception):
    """The catalog speaks of another snapshot, or of another place."""


class RefusedError(Exception):
    """The statement does more than read."""


def limit_process(job: dict[str, Any]) -> None:
    """Limits of the operating system, as a second wall behind DuckDB's own."""
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: int(job["seconds"] * job["threads"]) + 10,
        resource.RLIMIT_FSIZE: job["scratch_bytes"],
        resource.RLIMIT_AS: job["address_bytes"],
    }
    for kind, wanted in limits.items():
        hard = resource.getrlimit(kind)[1]
        limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (limit, limit))


def open_catalog(job: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    """The catalog, read-only, with no file in reach but the parts. The order matters: the last line locks all before it."""
    options: dict[str, Any] = {
        "memory_limit": job["memory"],
        "threads": job["threads"],
        "temp_directory": job["scratch"],
        "max_temp_directory_size": f"{job['scratch_bytes']}B",
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "allow_persistent_secrets": False,
        "python_enable_replacements": False,
    }
    con = duckdb.connect(job["catalog"], read_only=True, config=options)
    con.execute("set timezone = 'UTC'")
    con.execute("set allowed_paths = $1", [job["parts"]])
    con.execute("set enable_external_access = false")
    con.execute("set lock_configuration = true")
    return con


def check_snapshot(con: duckdb.DuckDBPyConnection, expected: list[Any] | None) -> None:
    """StaleError unless the catalog is of the snapshot and the folder that the caller read the parts from."""
    try:
        found = con.execute("select snapshot, lake from lake.snapshot").fetchone() if expected else None
    except duckdb.Error as error:
        raise StaleError from error
    if expected and list(found or ()) != expected:
        raise StaleError


def admit(con: duckdb.DuckDBPyConnection, text: str, params: dict[str, Any]) -> str:
    """The one statement in the text, if it only reads."""
    statements = duckdb.extract_statements(text)
    if len(statements) != 1:
        raise RefusedError(f"exactly one statement is allowed, and this text has {len(statements)}")
    kind = statements[0].type.name
    if kind == "MULTI":
        raise RefusedError(
            "this statement runs as several; name the values of a PIVOT: pivot t on kind in ('a', 'b') using ..."
        )
    if kind != "SELECT":
        raise RefusedError(f"only SELECT is allowed here, and this is {kind}")
    # A SELECT may still write: `with x as (copy ... to ...) from x` has type SELECT, and an allowed path may be written.
    # DuckDB binds such a WITH at the top level only, so inside a subquery it is an error; and the plan has no writer.
    query = statements[0].query
    con.execute(f"explain select * from (\n{query.rstrip().rstrip(';')}\n)", params or None)
    plan = con.execute(f"explain (format json) {query}", params or None).fetchall()
    if writer := next((name for _, text in plan for name in operators(json.loads(text)) if name.startswith(WRITERS)), None):
        raise RefusedError(f"only reading is allowed here, and the plan has {writer}")
    return query


def operators(plan: Any) -> list[str]:
    """Names of all operators in a plan as DuckDB's JSON tells it."""
    if isinstance(plan, list):
        return [name for node in plan for name in operators(node)]
    return [str(plan.get("name", "")).strip().upper(), *operators(plan.get("children", []))]


def answer(con: duckdb.DuckDBPyConnection, query: str, params: dict[str, Any], most: int) -> None:
    """Writes columns, rows and the closing line; one row more than allowed is read to know whether something was cut."""
    con.execute(query, params or None)
    described = con.description or []
    write({"columns": [column[0] for column in described], "types": [str(column[1]) for column in described]})
    rows = 0
    while batch := con.fetchmany(min(BATCH, most + 1 - rows)):
        for row in batch[: most - rows]:
            write([plain(value) for value in row])
        rows += len(batch)
        if rows > most:
            break
    write({"rows": min(rows, most), "is_cut": rows > most})


def plain(value: Any) -> Any:
    """A value as JSON has it: times in ISO form, decimals as numbers, what is no number as null."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | Decimal):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {str(plain(key)): plain(part) for key, part in value.items()}
    return bytes(value).hex() if isinstance(value, bytes | bytearray | memoryview) else str(value)


def write(line: Any) -> None:
    sys.stdout.write(json.dumps(line) + "\n")


def main() -> None:
    """Answers the job, or says why not; never a traceback for what the SQL did."""
    job = json.loads(sys.stdin.readline())
    limit_process(job)
    try:
        con = open_catalog(job)
        check_snapshot(con, job["snapshot"])
    except (StaleError, duckdb.Error) as error:
        write({"stale": str(error)})
        return
    timer = threading.Timer(job["seconds"], con.interrupt)
    timer.daemon = True
    timer.start()
    try:
        answer(con, admit(con, job["text"], job["params"]), job["params"], job["most"])
    except RefusedError as error:
        write({"refused": str(error)})
    except duckdb.InterruptException:
        write({"refused": f"stopped after {job['seconds']:g} seconds"})
    except (duckdb.Error, RuntimeError, MemoryError) as error:
        write({"refused": str(error) or type(error).__name__})


if __name__ == "__main__":
    main()
