"""Roo Code: the folder of a task -> rows."""

from collections.abc import Iterable
from typing import Any

from tasks.domain.kinds import Form
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import taskfolder
from tasks.readers.draft import Draft
from tasks.readers.protocol import Reader
from tasks.readers.usage import Usage, cached_beside, cached_inside
from tasks.readers.values import whole

WHOLE_PROMPT_SINCE = 1_761_955_200_000
"""2025-11-01, release 3.29.5: `tokensIn` is the whole prompt, whoever the provider. Milliseconds since 1970."""


class Roo(Reader):
    """The reader of Roo Code's tasks."""

    agent = "roo"
    version = 2
    forms = frozenset({Form.FOLDER, Form.DOCUMENT})
    folder = taskfolder.FOLDER

    def claims(self, head: Head) -> bool:
        return taskfolder.is_task(head) and taskfolder.is_roo(head)

    def identify(self, head: Head, path: str) -> str:
        return taskfolder.task_id(path, is_folder=head.form is Form.FOLDER)

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        hint.native_id = hint.native_id or taskfolder.task_id(hint.path, is_folder=hint.form is Form.FOLDER)
        return taskfolder.Task(Draft(self.agent), records, split).read(hint)


def split(counts: dict[str, Any], at: int, _provider: str | None) -> Usage:
    """Before the change, only an OpenAI-like call counted the cache inside. Less than the cache is never the whole."""
    prompt, read, written, output = (counts.get(name) for name in ("tokensIn", "cacheReads", "cacheWrites", "tokensOut"))
    cached = (whole(read)[0] or 0) + (whole(written)[0] or 0)
    is_rest = (whole(prompt)[0] or 0) < cached or (at < WHOLE_PROMPT_SINCE and counts.get("apiProtocol") != "openai")
    return (cached_beside if is_rest else cached_inside)(prompt, read, written, output)
