"""Antigravity: the transcript of a conversation, one step a line, and the Markdown artifacts that its agent keeps beside it.

The conversation's own stream is encrypted; the transcript is what can be read. It has no token counts and no model: calls are
not told of, so none is made up. Steps that tools answered name no call: each takes the oldest open call that it can belong to.
An artifact (a plan, a walk-through) is the agent's file, no part of the context by itself.
"""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from tasks.domain.kinds import Form, ItemKind
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers.antigravity_steps import Steps
from tasks.readers.draft import Draft
from tasks.readers.protocol import Reader
from tasks.readers.values import text

_BRAIN = re.compile(r"(?:^|/)brain/([^/]+)/")
_NAMED = re.compile(r"^# [^\n]*\bAntigravity\b[^\n]*\n(?s:.{0,2000}?)\bbrain\b[^\n]*\bartifact\b")
_ITS_MARKS = re.compile(r"^render_diffs\(file://|\]\(cci:\d:?//?file://|^\s*- \[[ x/]\] .*<!-- id: \d+ -->", re.MULTILINE)
"""What no other program writes into Markdown: links to its own viewer, numbered items of its task list."""


class Antigravity(Reader):
    """The reader of Antigravity's transcripts and artifacts."""

    agent = "antigravity"
    version = 1
    forms = frozenset({Form.LINES, Form.TEXT})

    def claims(self, head: Head) -> bool:
        if head.form is Form.TEXT:
            said = text(head.objects[0].get("text")) if head.objects else None
            return said is not None and _is_artifact(said.lstrip("\ufeff\r\n "))
        return any({"step_index", "source", "type", "status"} <= step.keys() for step in head.objects)

    def identify(self, head: Head, path: str) -> str:
        """The folder of the conversation below `brain/`; neither form names it."""
        place = path.replace("\\", "/")
        found = _BRAIN.search(place)
        return found[1] if found else PurePosixPath(place).name.split(".", 1)[0]

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft = Draft(self.agent)
        draft.open(hint.native_id)
        if hint.form is Form.TEXT:
            _artifact(draft, records)
        else:
            steps = Steps(draft)
            for record in records:
                steps.take(record)
        return draft.finish()


def _is_artifact(said: str) -> bool:
    """A chat in Markdown may quote an artifact."""
    is_chat = "\n# aider chat started at " in f"\n{said}"
    return not is_chat and bool(_NAMED.match(said) or _ITS_MARKS.search(said))


def _artifact(draft: Draft, records: Iterable[Record]) -> None:
    for record in records:
        draft.record(record, "artifact")
        said = text(record.data.get("text"))
        if said:
            draft.item(ItemKind.NOTICE, said, role="assistant", in_context=False, flags=("artifact",))
