"""Copilot CLI: the events of a session, one a line, each naming the one before it.

A rewind rewrites the file without what it takes back, so every event here stands. The events of sub-agents lie between those
of the session, under an id of their own. What cost how much: see `copilotcli_totals`.
"""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import copilotcli_events
from tasks.readers.copilotcli_events import Events
from tasks.readers.draft import Draft
from tasks.readers.protocol import Reader
from tasks.readers.values import fields, text

_PLACE = re.compile(r"(?:^|/)session-state/([^/]+?)(?:/events)?\.jsonl$")


class CopilotCli(Reader):
    """The reader of Copilot CLI's events."""

    agent = "copilot-cli"
    version = 2

    def claims(self, head: Head) -> bool:
        """Events in the envelope of this program, of types that are its own."""
        return any(_is_event(event) for event in head.objects)

    def identify(self, head: Head, path: str) -> str:
        """The id in `session.start`; a file that lost its start is named by its folder or file."""
        for event in head.objects:
            found = text(fields(event.get("data")).get("sessionId"))
            if event.get("type") == "session.start" and found:
                return found
        place = path.replace("\\", "/")
        named = _PLACE.search(place)
        return named[1] if named else PurePosixPath(place).name.split(".", 1)[0]

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft = Draft(self.agent)
        draft.open(hint.native_id)
        events = Events(draft, hint.native_id)
        for record in records:
            events.take(record)
        return events.finish()


def _is_event(event: dict[str, Any]) -> bool:
    has_envelope = {"type", "data", "id", "timestamp", "parentId"} <= event.keys() and isinstance(event["data"], dict)
    return has_envelope and text(event["type"]) in copilotcli_events.KNOWN
