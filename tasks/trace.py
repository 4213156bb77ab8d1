"""What the items of sessions were used for: their texts are asked of the lake, some sessions at a time."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tasks.context.uses import Use, uses
from tasks.context.window import Session
from tasks.store import sql

if TYPE_CHECKING:
    import duckdb

BATCH_CHARS = 64_000_000
"""Characters of text that are held at once, unless one session has more."""
Uses = Mapping[tuple[bool, str], Use]
"""By chain and item, as `uses` tells them."""


def with_uses(
    con: "duckdb.DuckDBPyConnection", found: Sequence[Session], unchanged: set[str]
) -> Iterator[tuple[Session, Uses]]:
    """Each session with its uses. Those of an unchanged one are read from its account: they do not depend on scales."""
    for batch in batches([session for session in found if session.session_id not in unchanged]):
        texts = _texts(con, batch)
        for session in batch:
            yield session, uses(session, texts.pop(session.session_id, {}))
    again = [session for session in found if session.session_id in unchanged]
    known = _known(con, again)
    yield from ((session, known[session.session_id]) for session in again)


def batches(found: Iterable[Session], most: int = BATCH_CHARS) -> Iterator[list[Session]]:
    """Sessions in their order, as many at a time as hold that many characters."""
    batch, chars = list[Session](), 0
    for session in found:
        size = sum(item.chars for item in session.items)
        if batch and chars + size > most:
            yield batch
            batch, chars = [], 0
        batch.append(session)
        chars += size
    if batch:
        yield batch


def _texts(con: "duckdb.DuckDBPyConnection", batch: Sequence[Session]) -> dict[str, dict[str, str]]:
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    for session_id, item_id, text in sql.run(con, sql.load("accounts/texts_to_account"), _ids(batch)).rows:
        texts[session_id][item_id] = text
    return texts


def _known(con: "duckdb.DuckDBPyConnection", again: Sequence[Session]) -> dict[str, dict[tuple[bool, str], Use]]:
    known: dict[str, dict[tuple[bool, str], Use]] = defaultdict(dict)
    for session_id, is_sidechain, item_id, *use in sql.run(con, sql.load("accounts/uses_known"), _ids(again)).rows:
        known[session_id][is_sidechain, item_id] = Use(*use)
    return known


def _ids(found: Iterable[Session]) -> dict[str, list[str]]:
    return {"sessions": [session.session_id for session in found]}
