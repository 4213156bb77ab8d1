"""Copilot in Visual Studio: spans of OpenTelemetry, a batch a line. A trace file holds what one process did, in any number of
conversations, and a conversation goes on in other files.

A span is written when it ends. `chat` is a paid call, with the whole prompt and the answer where their text is recorded;
`execute_tool` a call of a tool and its result; `invoke_agent` a turn, whose token counts are the sum of its calls and are not
counted again.
"""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

from tasks.domain.kinds import Ending
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers.draft import Draft
from tasks.readers.protocol import Reader
from tasks.readers.values import fields, objects, text
from tasks.readers.vscopilot_attributes import attributes
from tasks.readers.vscopilot_spans import Span, Spans

SERVICE = "vs-copilot"
CONVERSATION = "gen_ai.conversation.id"


class VsCopilot(Reader):
    """The reader of the traces of Copilot in Visual Studio."""

    agent = "vs-copilot"
    version = 2

    def claims(self, head: Head) -> bool:
        return any(span.resource.get("service.name") == SERVICE for batch in head.objects for span in _spans(batch))

    def identify(self, head: Head, path: str) -> str:
        """The first conversation in the file; a file without one is named by its file name."""
        named = (text(span.says.get(CONVERSATION)) for batch in head.objects for span in _spans(batch))
        name = PurePosixPath(path.replace("\\", "/")).name.split(".", 1)[0]
        return next((conversation for conversation in named if conversation), name)

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft = Draft(self.agent)
        spans = Spans(draft)
        for record in records:
            batch = list(_spans(record.data))
            first = batch[0] if batch else None
            draft.open(_conversation(first, hint))
            row = draft.record(
                record, first.operation if first else "unknown", at=first.started if first else None,
                native_id=first.native_id if first and len(batch) == 1 else None, version=_version(first),
                flags=() if first else ("unknown_type",),
            )  # fmt: skip
            for span in batch:
                draft.open(_conversation(span, hint))
                spans.take(span, row)
        reading = draft.finish()
        for session in reading.sessions:
            over = spans.turns_ended.get(session.session_id)
            if over is not None and (session.ended_at is None or session.ended_at <= over):
                session.ending, session.ended_at = Ending.CLEAN, over
        return reading


def _spans(batch: dict[str, Any]) -> Iterator[Span]:
    for group in objects(batch.get("resourceSpans")):
        resource = attributes(fields(group.get("resource")).get("attributes"))
        for scope in objects(group.get("scopeSpans")):
            for span in objects(scope.get("spans")):
                yield Span(span, attributes(span.get("attributes")), resource)


def _conversation(span: Span | None, hint: SourceHint) -> str:
    return (text(span.says.get(CONVERSATION)) if span else None) or hint.native_id


def _version(span: Span | None) -> str | None:
    return text(span.resource.get("service.version")) if span else None
