"""ATIF, the interchange format of agent trajectories: one document, with the sub-agents that it embeds -> rows."""

import re
from collections.abc import Iterable
from typing import Any

from tasks.domain.kinds import Form, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import names
from tasks.readers.atif_steps import Steps
from tasks.readers.draft import Draft
from tasks.readers.protocol import Reader
from tasks.readers.values import fields, objects, text

SCHEMA = re.compile(r"ATIF-v(?P<version>\d+\.\d+.*)")
VERSIONS = tuple(f"1.{minor}" for minor in range(9))
SEGMENT = re.compile(r"(?P<run>.+)-cont-(?P<number>\d+)")
"""How a run's later documents are named where a summary began them."""


class Atif(Reader):
    """The reader of ATIF 1.0 to 1.8, whoever's session it holds: the agent's name is `agent_version`'s first word."""

    agent = "atif"
    version = 2
    forms = frozenset({Form.DOCUMENT})

    def claims(self, head: Head) -> bool:
        document = head.objects[0] if head.objects else {}
        schema = text(document.get("schema_version"))
        return bool(schema and SCHEMA.fullmatch(schema) and isinstance(document.get("steps"), list))

    def identify(self, head: Head, path: str) -> str:
        """A document's own id; before 1.7 that of its run, whose documents are slices of one session."""
        document = head.objects[0] if head.objects else {}
        own = text(document.get("trajectory_id")) or text(document.get("session_id"))
        return own or names.told_apart(names.stem(path), document.get("agent"), objects(document.get("steps"))[:3])

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft = Draft(self.agent)
        native_id = hint.native_id or names.stem(hint.path)
        draft.open(native_id)
        held = list(records)
        document = next((record.data for record in held if record.origin == ""), {})
        steps = Steps(draft, document)
        for record in held:
            if record.origin == "":
                _open(draft, native_id, document)
                draft.record(record, "trajectory document", version=_version(document))
            elif record.origin == "steps":
                steps.record(record)
            elif record.origin == "subagent_trajectories":
                _subagent(draft, record.data, native_id, record)
                draft.open(native_id)
            else:
                draft.record(record, record.origin, flags=("unknown_type",))
        return draft.finish()


def _open(draft: Draft, native_id: str, document: dict[str, Any], **facts: Any) -> None:
    schema = SCHEMA.fullmatch(text(document.get("schema_version")) or "")
    flags = [f"unsupported_version:{schema['version']}"] if schema and schema["version"] not in VERSIONS else []
    continued = text(document.get("continued_trajectory_ref"))
    flags += [f"continued_in:{continued}"] if continued else []
    segment = SEGMENT.fullmatch(native_id)
    if segment and not facts:
        before = int(segment["number"][:9]) - 1
        parent = f"{segment['run']}-cont-{before}" if before > 0 else segment["run"]
        facts = {"parent_session_id": f"{draft.agent}:{parent}", "relation": Relation.CONTINUATION}
    extra = fields(document.get("extra"))
    cwd = text(extra.get("cwd")) or text(fields(fields(document.get("agent")).get("extra")).get("cwd"))
    draft.open(native_id, flags=tuple(flags), cwd=cwd, **facts)


def _version(document: dict[str, Any]) -> str | None:
    agent = fields(document.get("agent"))
    return " ".join(word for word in (text(agent.get("name")), text(agent.get("version"))) if word) or None


def _subagent(draft: Draft, document: dict[str, Any], parent: str, record: Record | None, depth: int = 0) -> None:
    """An embedded trajectory is a session of its own; it is one record, its steps are parts of it."""
    own = text(document.get("trajectory_id"))
    native_id = f"{parent}/{own or 'subagent'}"
    _open(draft, native_id, document, parent_session_id=f"{draft.agent}:{parent}", relation=Relation.SUBAGENT)
    if record is not None:
        draft.record(record, "subagent_trajectory", native_id=own, version=_version(document))
    steps = Steps(draft, document, is_subagent=True)
    for no, step in enumerate(objects(document.get("steps")), 1):
        steps.step(step, f"step-{step.get('step_id', no)}")
    for inner in objects(document.get("subagent_trajectories")) if depth < 50 else ():
        _subagent(draft, inner, native_id, None, depth + 1)
        draft.open(native_id)
