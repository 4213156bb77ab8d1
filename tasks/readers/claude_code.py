"""Claude Code: one `.jsonl` of a session or of a sub-agent -> rows."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from tasks.domain.records import Record, SourceHint
from tasks.domain.seen import Reading, SeenRecord
from tasks.readers import claude_claims
from tasks.readers.values import shape


class ClaudeCode:
    """The reader of Claude Code's logs."""

    agent = "claude-code"
    version = 1

    def claims(self, head: Sequence[dict[str, Any]]) -> bool:
        return claude_claims.claims(head)

    def identify(self, head: Sequence[dict[str, Any]], path: str) -> str:
        return claude_claims.identify(head, path)

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        return Reading(records=[_seen_record(record) for record in records])


def _seen_record(record: Record) -> SeenRecord:
    data = record.data
    return SeenRecord(
        record.line_no, record.byte_offset, record.byte_length, hashlib.sha256(record.raw).hexdigest(), str(data.get("type")),
        data.get("uuid"), shape(data), data.get("version"), None, record.flags,
    )  # fmt: skip
