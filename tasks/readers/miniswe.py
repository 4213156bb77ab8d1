"""mini-swe-agent: one trajectory document, or the bare list of its messages -> rows.

A call is paid where a message brings the provider's own `usage`: `extra.response.usage` of a chat completion, or `usage` of a
message that is a whole response. Without it, `info.model_stats` knows their number and price alone: flags of the session.
"""

import re
from collections.abc import Iterable
from typing import Any

from tasks.domain.kinds import Ending, Form
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import contents, names
from tasks.readers.documents import TOP
from tasks.readers.draft import Draft
from tasks.readers.miniswe_messages import ACTION, Told
from tasks.readers.protocol import Reader
from tasks.readers.values import fields, objects, text, whole

ENDINGS = (".traj.json", ".trajectory.json", ".traj")
FORMAT = re.compile(r"mini-swe-agent-(?P<version>.+)")
VERSIONS = ("1", "1.0", "1.1")


class MiniSweAgent(Reader):
    """The reader of mini-swe-agent's trajectories."""

    agent = "mini-swe-agent"
    version = 2
    forms = frozenset({Form.DOCUMENT})

    def claims(self, head: Head) -> bool:
        document = head.objects[0] if head.objects else {}
        if TOP in document:
            return _is_bare(objects(document[TOP]))
        if isinstance(document.get("trajectory_format"), str):
            return FORMAT.fullmatch(document["trajectory_format"]) is not None
        info = fields(document.get("info"))
        return isinstance(document.get("messages"), list) and bool(info.keys() & {"mini_version", "exit_status", "model_stats"})

    def identify(self, head: Head, path: str) -> str:
        """The file is named by its task, which many runs share; what was said first, and when, is a run's own."""
        document = head.objects[0] if head.objects else {}
        messages = objects(document.get("messages") or document.get(TOP))[:3]
        said = [[message.get("content"), message.get("output"), message.get("extra")] for message in messages]
        return names.told_apart(names.stem(path, *ENDINGS), *said)

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft = Draft(self.agent)
        draft.open(hint.native_id or names.stem(hint.path, *ENDINGS))
        told = Told(draft)
        info: dict[str, Any] = {}
        for record in records:
            if record.origin == "":
                info = _document(draft, told, record)
            elif record.origin in ("messages", TOP):
                told.message(record)
            else:
                draft.record(record, record.origin, flags=("unknown_type",))
        reading = draft.finish()
        _close(reading, info)
        return reading


def _is_bare(messages: list[dict[str, Any]]) -> bool:
    """A list of messages is anybody's; the fenced command is not."""
    roles = [message.get("role") for message in messages]
    if roles[:2] != ["system", "user"]:
        return False
    answers = [message for message in messages if message.get("role") == "assistant"]
    return any(
        len(ACTION.findall(contents.plain(answer.get("content")))) == 1 or "actions" in fields(answer.get("extra"))
        for answer in answers
    )


def _document(draft: Draft, told: Told, record: Record) -> dict[str, Any]:
    info = fields(record.data.get("info"))
    config = fields(info.get("config"))
    named = FORMAT.fullmatch(text(record.data.get("trajectory_format")) or "")
    version = named["version"] if named else None
    status = text(info.get("exit_status"))
    flags = [f"unsupported_version:{version}"] if version and version not in VERSIONS else []
    flags += [f"exit_status:{status}"] if status else []
    draft.open(
        draft.session.native_id, cwd=text(fields(config.get("environment")).get("cwd")), flags=tuple(flags),
        agent_version=text(info.get("mini_version")),
    )  # fmt: skip
    told.model = text(fields(config.get("model")).get("model_name"))
    draft.record(record, "trajectory document")
    return info


def _close(reading: Reading, info: dict[str, Any]) -> None:
    """What the document's sums add: how it ended, and what was paid where no message says it."""
    session = reading.sessions[0]
    if text(info.get("exit_status")) == "Submitted":
        session.ending = Ending.CLEAN
    stats = fields(info.get("model_stats"))
    calls = whole(stats.get("api_calls"))[0]
    if calls and not reading.requests:
        cost = stats.get("instance_cost")
        session.flags += ("totals_only", f"calls:{calls}")
        session.flags += (f"instance_cost:{cost}",) if isinstance(cost, int | float) else ()
