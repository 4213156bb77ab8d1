"""aider: one Markdown file for all runs in a repository, written for people.

Prefixes tell the lines apart, but an answer is Markdown too and may hold such lines of its own: a heading `#### `, a quote
`> `. aider ends what it writes itself with a line break (two spaces), and a model hardly ever does, so in a run that has such
breaks a prefix without one is the answer's. A run without any break is taken by its prefixes, but a prompt right below an
answer, with no message between them, is not believed either.

The log gives no times but the start of each run: everything in a run is dated by it, in local time without a zone.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from tasks.domain.kinds import Ending, Form
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import aider_lines
from tasks.readers.aider_lines import STARTED
from tasks.readers.aider_run import Run
from tasks.readers.draft import Draft
from tasks.readers.protocol import Reader
from tasks.readers.values import text

_FENCE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)


class Aider(Reader):
    """The reader of aider's chat history."""

    agent = "aider"
    version = 1
    forms = frozenset({Form.TEXT})

    def claims(self, head: Head) -> bool:
        """A start line of a run, alone between blank lines and outside of a code block."""
        lines = _lines(head)
        for no, line in enumerate(lines):
            if STARTED.match(line) and not "".join((*lines[no - 1 : no], *lines[no + 1 : no + 2])).strip():
                return len(_FENCE.findall("\n".join(lines[:no]))) % 2 == 0
        return False

    def identify(self, head: Head, path: str) -> str:
        """The folder's name and the first start: the file has no id, and its copies stand in folders of the same name."""
        started = next((found[1] for line in _lines(head) if (found := STARTED.match(line))), "")
        return hashlib.sha256(f"{_project(path)}\0{started}".encode()).hexdigest()[:16]

    def line_kind(self, line: str) -> str:
        return aider_lines.kind(line)

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft, starts = Draft(self.agent), Counter[str]()
        project, endings = _project(hint.path) or None, dict[str, Ending]()
        found = list(records)
        for records_of_run in _runs(found):
            started = _started(records_of_run)
            native_id = f"{hint.native_id}/{started.replace(' ', 'T') or 'before'}"
            starts[native_id] += 1
            again = f"+{starts[native_id] - 1}" if starts[native_id] > 1 else ""
            session = draft.open(f"{native_id}{again}", project=project)
            if not started:
                session.flags += ("no_session_meta",)
            run = Run(draft, records_of_run, started)
            run.read()
            endings[session.session_id] = Ending.MID_TURN if run.is_waiting else Ending.CLEAN
        reading = draft.finish()
        for session in reading.sessions:
            session.ending = endings[session.session_id]
        return reading


def _runs(records: Sequence[Record]) -> list[Sequence[Record]]:
    """The records of each run. What stands before the first start, if it says anything, is the rest of another run."""
    starts = [no for no, record in enumerate(records) if record.origin == aider_lines.START]
    if starts and not any(_text(record).strip() for record in records[: starts[0]]):
        starts[0] = 0
    bounds = dict.fromkeys((0, *starts, len(records)))
    return [records[first:end] for first, end in pairwise(bounds)]


def _started(run: Sequence[Record]) -> str:
    """Of several starts without anything between them, the last is the run's."""
    lines = "\n".join(_text(record) for record in run if record.origin == aider_lines.START).split("\n")
    times = [found[1] for line in lines if (found := STARTED.match(line))]
    return times[-1] if times else ""


def _text(record: Record) -> str:
    return text(record.data.get("text")) or ""


def _lines(head: Head) -> list[str]:
    return (text(head.objects[0].get("text")) or "").split("\n") if head.objects else []


def _project(path: str) -> str:
    return PurePosixPath(path.replace("\\", "/")).parent.name
