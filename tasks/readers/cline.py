"""Cline: the folder of a task, its file of sent messages alone, or a session of the SDK -> rows."""

from collections.abc import Iterable
from typing import Any

from tasks.domain.kinds import Form
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import cline_session, taskfolder
from tasks.readers.draft import Draft
from tasks.readers.protocol import Reader
from tasks.readers.usage import Usage, cached_beside, cached_inside
from tasks.readers.values import whole

WHOLE_PROMPT = frozenset(("openai", "litellm", "doubao", "fireworks", "hicap", "lmstudio", "qwen", "xai", "zai"))
"""Providers that give the whole prompt as `tokensIn`, where all others give what the cache did not."""


class Cline(Reader):
    """The reader of Cline's tasks and sessions."""

    agent = "cline"
    version = 2
    forms = frozenset({Form.FOLDER, Form.DOCUMENT})
    folder = taskfolder.FOLDER

    def claims(self, head: Head) -> bool:
        return cline_session.claims(head) or (taskfolder.is_task(head) and not taskfolder.is_roo(head))

    def identify(self, head: Head, path: str) -> str:
        if cline_session.claims(head):
            return cline_session.identify(head, path)
        return taskfolder.task_id(path, is_folder=head.form is Form.FOLDER)

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        held = list(records)
        draft = Draft(self.agent)
        if any(record.origin in ("", "messages") for record in held):
            return cline_session.read(draft, held, hint)
        hint.native_id = hint.native_id or taskfolder.task_id(hint.path, is_folder=hint.form is Form.FOLDER)
        return taskfolder.Task(draft, held, split).read(hint)


def split(counts: dict[str, Any], _at: int, provider: str | None) -> Usage:
    """Less than the cache is never the whole prompt."""
    prompt, read, written, output = (counts.get(name) for name in ("tokensIn", "cacheReads", "cacheWrites", "tokensOut"))
    cached = (whole(read)[0] or 0) + (whole(written)[0] or 0)
    is_whole = provider in WHOLE_PROMPT and (whole(prompt)[0] or 0) >= cached
    return (cached_inside if is_whole else cached_beside)(prompt, read, written, output)
