"""OpenHands: a conversation's folder, today's (V1) or the one before it (V0), or the lines of an evaluation -> rows."""

import re
from collections.abc import Iterable
from typing import Any

from tasks.domain.kinds import Form
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import names
from tasks.readers.draft import Draft
from tasks.readers.folders import told_whole
from tasks.readers.openhands_events import Conversation
from tasks.readers.openhands_old import OldConversation, flat
from tasks.readers.protocol import Reader
from tasks.readers.values import fields, text

STATE = "base_state.json"
EVENT = re.compile(r"(?:.*/)?events/event-(\d+)-[^/]*\.json")
OLD_EVENT = re.compile(r"(?:.*/)?events/(\d+)\.json")


class OpenHands(Reader):
    """The reader of OpenHands. An evaluation's line holds a whole session."""

    agent = "openhands"
    version = 2
    forms = frozenset({Form.FOLDER, Form.LINES})
    folder = re.compile(r"(?P<root>.+)/(?:base_state\.json|events/(?:event-\d+-[^/]+|\d+)\.json)")

    def claims(self, head: Head) -> bool:
        if head.form is Form.LINES:
            return any(_is_evaluation(one) for one in head.objects)
        found = zip(head.names, head.objects, strict=False)
        return any(_is_state(name, one) or _is_event(name, one) or _is_old_event(name, one) for name, one in found)

    def identify(self, head: Head, path: str) -> str:
        if head.form is Form.LINES:
            return names.told_apart(names.stem(path), *(one.get("instance_id") for one in head.objects[:1]))
        state = next((one for name, one in zip(head.names, head.objects, strict=False) if name.endswith(STATE)), {})
        return text(state.get("id")) or names.folder(path, 0) or "conversation"

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft = Draft(self.agent)
        if hint.form is Form.LINES:
            for record in records:
                _evaluated(draft, record)
            return draft.finish() if draft.sessions else Reading()
        draft.open(hint.native_id or names.folder(hint.path, 0) or "conversation")
        files = told_whole(records)
        for part in (part for _, parts in files for part in parts):
            draft.record(part, f"part/{part.origin.rsplit('#', 1)[-1]}")
        held = sorted((record for record, _ in files), key=_place)
        state = next((record for record in held if record.origin.endswith(STATE)), None)
        new = Conversation(draft, [record for record in held if EVENT.fullmatch(record.origin)], state)
        old = OldConversation(draft)
        for record in held:
            if record is state:
                new.state(record)
            elif EVENT.fullmatch(record.origin):
                new.event(record)
            elif OLD_EVENT.fullmatch(record.origin):
                old.record(record)
            else:
                draft.record(record, record.origin.rsplit("/", 1)[-1], flags=("unknown_type",))
        new.close()
        reading = draft.finish()
        reading.records.sort(key=lambda row: row.byte_offset)
        return reading


def _evaluated(draft: Draft, record: Record) -> None:
    """One line of an evaluation's output: the history of one run."""
    data = record.data
    history = flat(data.get("history"))
    name = text(data.get("instance_id"))
    draft.open(names.told_apart(name or "line", data.get("instruction"), history[:4]), title=name)
    is_known = _is_evaluation(data)
    row = draft.record(record, "evaluation", native_id=name, flags=() if is_known else ("unknown_type",))
    old = OldConversation(draft)
    old.model = text(fields(fields(data.get("metadata")).get("llm_config")).get("model"))
    old.report(data.get("metrics"), can_sum=False)
    for no, event in enumerate(history):
        old.event(event, f"{event['id']}" if type(event.get("id")) is int else f"event-{no}")
    row.flags += ("usage_uncounted",) if old.is_uncounted(data.get("metrics")) else ()


def _is_evaluation(data: dict[str, Any]) -> bool:
    return isinstance(data.get("instance_id"), str) and isinstance(data.get("history"), list) and "metadata" in data


def _is_state(name: str, data: dict[str, Any]) -> bool:
    return name.endswith(STATE) and isinstance(data.get("id"), str) and ("agent" in data or "stats" in data)


def _is_event(name: str, data: dict[str, Any]) -> bool:
    return EVENT.fullmatch(name) is not None and isinstance(data.get("kind"), str) and "source" in data


def _is_old_event(name: str, data: dict[str, Any]) -> bool:
    return OLD_EVENT.fullmatch(name) is not None and "source" in data and ("action" in data or "observation" in data)


def _place(record: Record) -> tuple[int, int, int]:
    """The state first, then events by their number: names sort as text."""
    found = EVENT.fullmatch(record.origin) or OLD_EVENT.fullmatch(record.origin)
    return (1, int(found[1][:18]), record.byte_offset) if found else (0, 0, record.byte_offset)
