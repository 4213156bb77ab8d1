"""One item a line, with its place in the session and in the log. Sub-agents follow the session that ran them."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from tasks.exports.model import Placed, Session

_LOG = ("source_id", "generation", "log_path", "line_no", "byte_offset", "byte_length")


def export(session: Session) -> str:
    """The items of a session, then those of its sub-agents; left branches are marked, not left out."""
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in _lines(session))


def _lines(session: Session) -> Iterator[dict[str, Any]]:
    yield from map(_line, session.items)
    for agent in session.agents:
        yield from _lines(agent)


def _line(item: Placed) -> dict[str, Any]:
    given = asdict(item)
    log = {name.removeprefix("log_"): given.pop(name) for name in _LOG}
    return {**given, "at": item.at.isoformat() + "Z" if item.at else None, "flags": list(item.flags), "log": log}
