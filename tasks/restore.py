"""Brings a compacted context back to full text from what the lake holds, and gives the byte-exact log of a session."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from tasks.compaction.document import FORMAT, CompactedContext, Message, read_back, restored
from tasks.compaction.foreign import placeholders, restore_document
from tasks.compaction.placeholder import PREFIX
from tasks.compaction.restore import restore
from tasks.domain.errors import UsageError
from tasks.domain.item import Item, from_rows
from tasks.migrations import chain, exact
from tasks.store import raw, sql
from tasks.store.layout import Layout

if TYPE_CHECKING:
    import duckdb

BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Restoration:
    """A document with what could be restored of it."""

    content: bytes
    """The document, as it is to be printed."""
    restored: int
    missing: tuple[str, ...]
    """Names of what has no original in the lake: it stays as it is."""
    left: int
    """What the window had no room for."""


@dataclass(frozen=True, slots=True)
class RawLog:
    """A kept log of a session."""

    path: str
    """Where the agent wrote it."""
    form: str
    copy: Path
    packed_bytes: int
    others: int
    """Further logs that tell parts of the session."""


def restored_document(
    con: "duckdb.DuckDBPyConnection", content: bytes, count: Callable[[str], int], *, window: int | None
) -> Restoration:
    """A document of `midwatch compact --json`, or one of CodeCoder with placeholders. UsageError for anything else."""
    try:
        found = exact.parse(content)
    except ValueError as error:
        raise UsageError(f"no compacted context: {error}") from None
    if found.get("format") == FORMAT:
        return _ours(con, found, count, window)
    if isinstance(found.get("messages"), list) and "schema_version" in found:
        return _foreign(con, chain.migrate(found), content, count, window)
    raise UsageError(
        "no compacted context: give what `midwatch compact SESSION --policy P --at-tokens N --json` prints, or a session "
        "document of CodeCoder"
    )


def raw_log(con: "duckdb.DuckDBPyConnection", layout: Layout, session_id: str, path: str | None = None) -> RawLog:
    """The kept log of a session, that at `path` where it has several. UsageError where none is kept."""
    rows = sql.run(con, sql.load("compaction/raw_of_session"), {"session": session_id, "path": path}).dicts()
    if not rows:
        raise UsageError(f"{session_id}: raw/ holds no log of it")
    best = rows[0]
    copy = layout.raw_log(best["agent"], best["source_id"], best["generation"])
    return RawLog(best["path"], best["form"], copy, best["raw_bytes"], len(rows) - 1)


def blocks(log: RawLog) -> Iterator[bytes]:
    """The plain bytes of a kept log. DamageError where the copy is not what was committed."""
    with raw.open_copy(log.copy, log.packed_bytes) as plain:
        while block := plain.read(BLOCK):
            yield block


def _ours(
    con: "duckdb.DuckDBPyConnection", found: Mapping[str, Any], count: Callable[[str], int], window: int | None
) -> Restoration:
    try:
        told = CompactedContext.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise UsageError(f"no compacted context: {place}: {first['msg']}") from None
    ids = [message.item_id for message in told.messages if message.flags] + [one.item_id for one in told.removed]
    rows = sql.run(con, sql.load("compaction/originals"), {"ids": ids}).dicts()
    placed = {message.item_id: message for message in told.messages}
    originals = {item.item_id: _in_place(item, placed.get(item.item_id), told.session_id) for item in from_rows(rows)}
    done = restore(read_back(told), originals.get, count, window)
    content = restored(told, done).model_dump_json(exclude_none=True, indent=1)
    return Restoration(content.encode("utf-8", "replace") + b"\n", len(done.restored), done.missing, len(done.left))


def _in_place(item: Item, here: Message | None, session_id: str) -> Item:
    """The original as it stands in this session, which may have inherited it from another."""
    if here is None:
        return replace(item, session_id=session_id)
    return replace(item, session_id=here.session_id, seq=here.seq, turn=here.turn, request_no=here.request_no)


def _foreign(
    con: "duckdb.DuckDBPyConnection", document: dict[str, Any], like: bytes, count: Callable[[str], int], window: int | None
) -> Restoration:
    session_id = f"codecoder:{document.get('session_id')}"
    texts = _results(con, session_id, placeholders(document))
    done = restore_document(document, texts.get, count, window)
    names = tuple(name or "a result that names no call" for name in done.missing)
    return Restoration(exact.dump(done.document, like), len(done.restored), names, len(done.left))


def _results(con: "duckdb.DuckDBPyConnection", session_id: str, call_ids: list[str]) -> dict[str, str]:
    """The whole output of each call, from any version of its log that was kept: the newest one that has more than a
    placeholder."""
    question = """
        select call_id, arg_max(text, generation) from lake.seen_items
        where session_id = $1 and kind = 'tool_result' and list_contains($2, call_id) and not starts_with(text, $3)
        group by call_id
    """
    found: list[tuple[str, str]] = con.execute(question, [session_id, call_ids, PREFIX]).fetchall()
    return dict(found)
