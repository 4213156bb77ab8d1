"""Gemini CLI: one session's document, operation log or printed stream -> rows."""

from collections.abc import Iterable
from typing import Any

from tasks.domain.kinds import Form, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import gemini_claims
from tasks.readers.draft import Draft
from tasks.readers.gemini_claims import REWIND, SET
from tasks.readers.gemini_history import History
from tasks.readers.gemini_messages import MODEL_TYPES, NOTICE_TYPES, kind_of
from tasks.readers.gemini_stream import Stream
from tasks.readers.protocol import Reader
from tasks.readers.usage import uncounted
from tasks.readers.values import fields, moment, objects, text

_ELEMENTS = ("messages", "history")
_KNOWN_TYPES = MODEL_TYPES | NOTICE_TYPES | {"user"}


class GeminiCli(Reader):
    """The reader of Gemini CLI's sessions. Both files of a resumed session give the same ids."""

    agent = "gemini-cli"
    version = 2
    forms = frozenset({Form.LINES, Form.DOCUMENT})

    def claims(self, head: Head) -> bool:
        return gemini_claims.claims(head)

    def identify(self, head: Head, path: str) -> str:
        return gemini_claims.identify(head, path)

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft = Draft(self.agent)
        draft.open(hint.native_id or gemini_claims.identify(Head(hint.form, ()), hint.path))
        draft.session.project = gemini_claims.project(hint.path)
        log = _Log(draft, hint.path)
        stream: Stream | None = None
        for no, record in enumerate(records):
            if not no and gemini_claims.is_stream([record.data]):
                stream = Stream(draft)
            if stream is not None:
                stream.take(record)
            else:
                log.take(record)
        log.history.settle()
        return draft.finish()


class _Log:
    """One document or operation log while it is read."""

    def __init__(self, draft: Draft, path: str) -> None:
        self.draft, self.path = draft, path
        self.history = History(draft)

    def take(self, record: Record) -> None:
        """Books one record and applies it."""
        data = record.data
        if record.origin in _ELEMENTS:
            self._message(record)
        elif isinstance(data.get(REWIND), str):
            self.draft.record(record, REWIND)
            self.history.rewind(data[REWIND])
        elif isinstance(data.get(SET), dict):
            self.draft.record(record, SET, at=data[SET].get("lastUpdated"))
            self._facts(data[SET])
            self.history.at = moment(data[SET].get("lastUpdated"))[0]
            self._replace(data[SET])
            self.history.at = None
        elif record.origin == "" and ("messages" in data or "history" in data or gemini_claims.is_header(data)):
            self.draft.record(record, "session", at=data.get("startTime", data.get("start_time")))
            self._facts(data)
            if objects(data.get("messages")):
                self._replace(data)
        else:
            self._message(record)

    def _facts(self, data: dict[str, Any]) -> None:
        session = self.draft.session
        named = text(data.get("sessionId"))
        if named is not None and named != session.native_id and "mixed_sessions" not in session.flags:
            session.flags += ("mixed_sessions",)
        directories = data.get("directories")
        first = directories[0] if isinstance(directories, list) and directories else None
        session.cwd = session.cwd or text(first)
        session.title = text(data.get("summary")) or session.title
        if data.get("kind") == "subagent":
            session.relation = Relation.SUBAGENT
            parent = gemini_claims.parent(self.path)
            session.parent_session_id = f"{self.draft.agent}:{parent}" if parent else None

    def _replace(self, data: dict[str, Any]) -> None:
        if isinstance(data.get("messages"), list):
            self.history.replace(objects(data["messages"]))

    def _message(self, record: Record) -> None:
        message = dict(record.data)
        message.setdefault("timestamp", message.get("ts"))
        kind = kind_of(message)
        flags = () if kind in _KNOWN_TYPES else uncounted(message)
        name = f"message/{kind}" if kind else "unknown"
        self.draft.record(record, name, native_id=text(message.get("id")), at=message["timestamp"], flags=flags)
        if kind or fields(message.get("content")) or text(message.get("content")):
            self.history.tell(message)
