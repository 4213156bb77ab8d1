"""Builds handoff documents: one for a session on demand, or all that somebody may resume, only where something changed."""

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.domain.errors import UsageError
from tasks.domain.item import from_rows
from tasks.domain.ports import Progress, Runner
from tasks.domain.settings import Settings
from tasks.store import durable, manifest, sql
from tasks.store.layout import Layout, safe_name

if TYPE_CHECKING:
    import duckdb

    from tasks.handoffs.model import Handoff

GENERATOR = 2
"""Raised when the same session gives another document: all are then built again."""
BATCH = 50
DEFAULT_BUDGET = 4_000
POLICY = {"retries": 1, "retry_delay_seconds": 5}


@dataclass(frozen=True, slots=True)
class HandoffReport:
    """What a night did about handoffs."""

    built: int = 0
    kept: int = 0
    """Still current; not written again."""
    removed: int = 0
    """Of sessions that nobody resumes any more."""
    over_budget: list[str] = field(default_factory=list)
    """Sessions whose constraints and open steps alone are larger than the budget."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Batch:
    """Some sessions to build, by id, with the hash of what each is made from."""

    data: str
    budget: int
    sessions: tuple[tuple[str, str], ...]


def document(con: "duckdb.DuckDBPyConnection", session_id: str, *, budget: int = DEFAULT_BUDGET) -> "Handoff":
    """The handoff of one session from the lake as it is. UsageError where the lake has no such session."""
    made = list(_documents(con, [session_id], budget))
    if not made:
        raise UsageError(f"no session {session_id!r} in the lake. `midwatch sessions` lists them.")
    return made[0]


def build_all(settings: Settings, runner: Runner, progress: Progress) -> HandoffReport:
    """All sessions that are open, crashed, cut off or left with open steps; no sub-agents, no continued ones."""
    started = time.monotonic()
    layout = Layout(settings.data)
    snapshot = manifest.latest(layout).snapshot
    index = _read_index(layout)
    if index["snapshot"] == snapshot and index["generator"] == GENERATOR:
        return HandoffReport(
            kept=sum(bool(entry["file"]) for entry in index["sessions"].values()), seconds=time.monotonic() - started
        )
    layout.prepare()
    wanted = _wanted(layout)
    known = index["sessions"] if index["generator"] == GENERATOR else {}
    stale = [(name, digest) for name, digest in wanted.items() if known.get(name, {}).get("input_sha256") != digest]
    batches = [Batch(str(settings.data), DEFAULT_BUDGET, tuple(stale[at : at + BATCH])) for at in range(0, len(stale), BATCH)]
    progress.start("writing handoffs", len(batches))
    done = runner.map(build_batch, batches, label="handoff", policy=POLICY)
    results = {entry["session_id"]: entry for entries in done for entry in entries}
    progress.finish()
    sessions = {name: results.get(name) or known[name] for name in wanted}
    removed = _remove_others(layout, sessions.values())
    _write_index(layout, {"generator": GENERATOR, "snapshot": snapshot, "sessions": sessions})
    return HandoffReport(
        built=sum(bool(entry["file"]) for entry in results.values()),
        kept=sum(bool(entry["file"]) for name, entry in sessions.items() if name not in results),
        removed=removed,
        over_budget=[name for name, entry in sessions.items() if entry["is_over_budget"]],
        seconds=time.monotonic() - started,
    )


def build_batch(batch: Batch) -> list[dict[str, Any]]:
    """Writes the documents of some sessions; one entry of the index each, `file` null where nothing is open after all."""
    from tasks.store import catalog

    layout, digests = Layout(Path(batch.data)), dict(batch.sessions)
    with catalog.connect(layout) as con:
        return [_write(layout, made, digests[made.session_id]) for made in _documents(con, list(digests), batch.budget)]


def _write(layout: Layout, made: "Handoff", digest: str) -> dict[str, Any]:
    from tasks.handoffs.render import markdown

    entry = {"session_id": made.session_id, "input_sha256": digest, "file": None, "is_over_budget": made.is_over_budget}
    # A finished session is here for its plan calls alone: only open steps make it worth a document.
    if made.state == "finished" and not made.open_calls and not any(step.is_open for step in made.plan):
        return entry
    file = layout.handoffs / safe_name(made.session_id)
    as_json = made.model_copy(update={"input_sha256": digest}).model_dump_json(indent=1)
    durable.write_whole(file.with_suffix(".json"), as_json.encode("utf-8", "replace"))
    durable.write_whole(file.with_suffix(".md"), markdown(made).encode("utf-8", "replace"))
    return {**entry, "file": file.name}


def _documents(con: "duckdb.DuckDBPyConnection", session_ids: Sequence[str], budget: int) -> Iterator["Handoff"]:
    """Three questions for any number of sessions: a query per session would read the lake as often as there are sessions."""
    from tasks.handoffs.budget import fit
    from tasks.handoffs.document import compose
    from tasks.handoffs.model import Log
    from tasks.handoffs.render import markdown

    chains = _grouped(sql.run(con, sql.load("handoffs/lineage_of_sessions"), {"sessions": list(session_ids)}).dicts(), "asked")
    involved = {"sessions": sorted({link["session_id"] for chain in chains.values() for link in chain})}
    items = _grouped(sql.run(con, sql.load("handoffs/items_of_sessions"), involved).dicts(), "session_id")
    logs = _grouped(sql.run(con, sql.load("handoffs/logs_of_sessions"), involved).dicts(), "session_id")
    for session_id, chain in chains.items():
        lineage = [link["session_id"] for link in reversed(chain)]
        whole = compose(
            chain[0],
            from_rows(items[session_id]),
            from_rows(row for ancestor in _uncopied(chain) for row in items[ancestor]),
            lineage=lineage,
            logs=[Log.model_validate(row) for link in lineage for row in logs[link]],
            compactions=sum(link["compactions"] for link in chain),
            budget=budget,
        )
        yield fit(whole, markdown, _count)


def _grouped(rows: Iterable[dict[str, Any]], key: str) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row[key]].append(row)
    return groups


def _uncopied(chain: Sequence[Mapping[str, Any]]) -> list[str]:
    """Ancestors whose history the next one did not copy, the first ancestor first."""
    found = []
    for child, parent in pairwise(chain):
        if child["relation"] == "subagent":
            break
        if not child["has_inherited"]:
            found.append(parent["session_id"])
    return found[::-1]


def _wanted(layout: Layout) -> dict[str, str]:
    """Sessions that may need a document, with the hash of all it would be made from."""
    from tasks.store import catalog

    with catalog.connect(layout) as con:
        rows = {row["session_id"]: row for row in sql.run(con, sql.load("handoffs/candidates")).dicts()}
    return {name: _digest(name, rows) for name, row in rows.items() if _may_be_resumed(row)}


def _may_be_resumed(row: Mapping[str, Any]) -> bool:
    is_unfinished = row["state"] != "finished" or row["ending"] == "mid_turn" or row["plan_calls"] > 0
    return is_unfinished and not row["is_subagent"] and not row["is_continued"]


def _digest(name: str, rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Of the session and everything it goes back to."""
    told = hashlib.sha256(f"{GENERATOR}|{DEFAULT_BUDGET}".encode())
    seen: set[str] = set()
    at = name
    while at in rows and at not in seen:
        seen.add(at)
        told.update(rows[at]["input_md5"].encode())
        at = rows[at]["parent_session_id"] or ""
    return told.hexdigest()


@lru_cache(maxsize=1)
def _counter() -> Any:
    from tasks.tokens.counter import Counter

    return Counter()


def _count(text: str) -> int:
    tokens: int = _counter().count(text).tokens
    return tokens


def _index_path(layout: Layout) -> Path:
    return layout.handoffs / "index.json"


def _read_index(layout: Layout) -> dict[str, Any]:
    """What the last night built; as if nothing, where it cannot be read or a document is missing."""
    nothing: dict[str, Any] = {"generator": None, "snapshot": None, "sessions": {}}
    try:
        index = json.loads(_index_path(layout).read_bytes())
        files = {entry["file"] for entry in index["sessions"].values() if entry["file"]}
        present = {path.stem for path in layout.handoffs.glob("*.md")}
        return index if files <= present and {"generator", "snapshot"} <= index.keys() else nothing
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return nothing


def _write_index(layout: Layout, index: Mapping[str, Any]) -> None:
    durable.write_whole(_index_path(layout), json.dumps(index, indent=1, sort_keys=True).encode())


def _remove_others(layout: Layout, entries: Iterable[Mapping[str, Any]]) -> int:
    """Documents of sessions that are finished, continued or forgotten would send somebody the wrong way."""
    current = {entry["file"] for entry in entries}
    old = [path for path in layout.handoffs.glob("*.md") if path.stem not in current]
    for path in old:
        path.unlink(missing_ok=True)
        path.with_suffix(".json").unlink(missing_ok=True)
    return len(old)
