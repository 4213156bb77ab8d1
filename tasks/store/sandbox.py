"""Answers one SELECT over the current snapshot in a process that can do nothing else.

Three walls: DuckDB's own (catalog read-only, no file but the manifest's parts, configuration locked), a gate that admits
one statement that only reads, and a process with limits of the operating system. See `sandboxed.py` for the inside.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from tasks.domain.errors import MidwatchError, UsageError
from tasks.store.layout import Layout
from tasks.store.manifest import check_parts, latest

GIB = 2**30
PATIENCE_SECONDS = 5
"""How long after its time a query may take to stop by itself."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one query may use."""

    seconds: float = 30
    rows: int = 100_000
    memory: str = "1GB"
    """DuckDB's own limit; beyond it DuckDB spills to a private folder."""
    scratch_bytes: int = 8 * GIB
    """Of that folder."""
    address_bytes: int = 16 * GIB
    """Of the whole process; far above `memory`, because allocators reserve more than they use."""
    threads: int = 2


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows as JSON values: times in ISO form, decimals as numbers, NaN as None."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[list[Any]]
    is_cut: bool
    """There were more rows than the limit."""


class StaleCatalogError(MidwatchError):
    """The catalog cannot be opened, or is of another snapshot than the manifest."""


def ask_lake(layout: Layout, text: str, params: Mapping[str, Any], limits: Limits) -> Answer:
    """Asks the newest snapshot. DuckDB is not loaded here unless its catalog may have to be written anew."""
    manifest = latest(layout)
    check_parts(layout, manifest)
    snapshot = (manifest.snapshot, str(layout.lake.absolute()))
    parts = manifest.part_paths(layout)
    try:
        return ask(layout.catalog, parts, text, params, limits, snapshot=snapshot)
    except (StaleCatalogError, UsageError):
        from tasks.store import catalog

        # What was refused may be a view, a column or a macro that came with this program, after the catalog was made.
        if catalog.is_current(layout, manifest):
            raise
        catalog.publish(layout, manifest)
        return ask(layout.catalog, parts, text, params, limits, snapshot=snapshot)


def ask(
    catalog: Path,
    parts: Sequence[Path],
    text: str,
    params: Mapping[str, Any],
    limits: Limits,
    *,
    snapshot: tuple[int, str] | None = None,
) -> Answer:
    """UsageError with DuckDB's own words when the statement is refused or wrong, or takes too long.

    With `snapshot` (number, lake folder) the catalog must be of it, else StaleCatalogError.
    """
    with tempfile.TemporaryDirectory(prefix="midwatch-query-") as scratch:
        job = {
            "catalog": str(catalog), "snapshot": snapshot, "parts": [str(part) for part in parts], "text": text,
            "scratch": scratch,
            "params": {name: value.isoformat() if isinstance(value, date) else value for name, value in params.items()},
            "seconds": limits.seconds, "most": limits.rows, "memory": limits.memory, "threads": limits.threads,
            "scratch_bytes": limits.scratch_bytes, "address_bytes": limits.address_bytes,
        }  # fmt: skip
        with _locked_in() as process:
            try:
                out, err = process.communicate(json.dumps(job) + "\n", timeout=limits.seconds + PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                raise UsageError(f"the query was stopped after {limits.seconds:g} seconds; ask for less") from None
    return _understood(out.splitlines(), err, process.returncode)


@contextmanager
def _locked_in() -> Iterator[subprocess.Popen[str]]:
    """The process, in a group of its own and with an environment that holds nothing of the caller's."""
    environment = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "SYSTEMROOT") if name in os.environ}
    process = subprocess.Popen(
        [sys.executable, "-I", str(Path(__file__).with_name("sandboxed.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _understood(lines: Iterable[str], complaint: str, code: int) -> Answer:
    told = [json.loads(line) for line in lines]
    last = told[-1] if told else None
    if isinstance(last, dict) and "stale" in last:
        raise StaleCatalogError(f"the catalog cannot be used: {last['stale'] or 'it is of another snapshot'}")
    if isinstance(last, dict) and "refused" in last:
        raise UsageError(last["refused"])
    if not isinstance(last, dict) or "is_cut" not in last:
        reason = (complaint.strip().splitlines() or [f"it ended with code {code}"])[-1]
        raise MidwatchError(f"the query process died: {reason}. It may have needed more memory than allowed; ask for less")
    head, rows = told[0], told[1:-1]
    return Answer(tuple(head["columns"]), tuple(head["types"]), rows, last["is_cut"])
