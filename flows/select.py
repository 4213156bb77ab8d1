"""Which session somebody means: a session_id, a native id, a unique beginning of either, or the path of a log."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.domain.errors import UsageError

if TYPE_CHECKING:
    import duckdb

MOST_LISTED = 10


def session_id(con: "duckdb.DuckDBPyConnection", wanted: str) -> str:
    """The one session that is meant. UsageError when there is none, or with the candidates when there are several."""
    from tasks.store import sql

    if not wanted.strip():
        raise UsageError("an empty SESSION; give an id, its beginning, or the path of a log. `midwatch sessions` lists them")
    wanted = wanted.strip().removesuffix("…")  # as a narrow table cuts it
    query = sql.load("analysis/find_session")
    found = sql.run(con, query, {"wanted": wanted, "path": str(Path(wanted).expanduser().absolute())}).dicts()
    return choose(wanted, found)


def choose(wanted: str, found: list[dict[str, Any]]) -> str:
    """An exact match wins over beginnings, and a session over the sub-agents whose ids begin with its own."""
    exact = [row for row in found if row["is_exact"]]
    candidates = exact or found
    parents = [row["session_id"] + "/" for row in candidates]
    candidates = [row for row in candidates if not row["session_id"].startswith(tuple(parents))]
    if len(candidates) == 1:
        return str(candidates[0]["session_id"])
    if not candidates:
        raise UsageError(f"no session {wanted!r}; `midwatch sessions` lists them")
    listed = [
        f"  {row['session_id']}  {str(row['started_at'] or '')[:19]}  {row['title'] or ''}".rstrip() for row in candidates
    ]
    more = [f"  and {len(listed) - MOST_LISTED} more"] if len(listed) > MOST_LISTED else []
    raise UsageError("\n".join([f"{wanted!r} may be any of {len(listed)} sessions:", *listed[:MOST_LISTED], *more]))


def newest(con: "duckdb.DuckDBPyConnection", cwd: Path | None) -> str:
    """The session worked in last, anywhere or in a folder and those below it."""
    from tasks.store import sql

    folder = str(cwd.expanduser().absolute()) if cwd else None
    found = sql.run(con, sql.load("analysis/newest_session"), {"cwd": folder}).dicts()
    if not found:
        raise UsageError(f"no session was seen in {folder}" if folder else "the lake holds no session yet")
    return str(found[0]["session_id"])
