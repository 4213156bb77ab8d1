"""One run of aider: who wrote each of its records, and what was paid for.

Most commands (`/add`, `/undo`) never reach a model. `/ask x` and its like are logged as typed, and then x again as it is sent.
aider writes prompts of its own with the same prefix: what a linter found, a question put to its own manual.
"""

import re
from collections.abc import Sequence

from tasks.domain.kinds import ItemKind
from tasks.domain.records import Record
from tasks.domain.seen import SeenItem
from tasks.readers import aider_lines
from tasks.readers.aider_lines import START, TEXT, TOOL, USER, has_break, stripped, unbroken
from tasks.readers.draft import Draft
from tasks.readers.values import text

EMPTY = "<blank>"
"""Stands for an empty prompt."""
INTERRUPTED = "^C KeyboardInterrupt"

_SENT = re.compile(r"^/(?:ask|code|architect|help|context)\s+(.+)$", re.DOTALL)
_OWN = re.compile(r"^(?:# Fix any errors below, if possible\.|# Question:|I ran this command:)")


class Run:
    """Reads the records of one run into the session that is open."""

    def __init__(self, draft: Draft, records: Sequence[Record], started: str) -> None:
        self.draft, self.started = draft, started
        self.records = [(record, (text(record.data.get("text")) or "").split("\n")) for record in records]
        self.has_breaks = any(
            map(has_break, (line for record, lines in self.records if record.origin in (USER, TOOL) for line in lines))
        )
        self.model: str | None = None
        self.calls = 0
        self.produced: list[SeenItem] = []
        """Since the last prompt, and not yet paid for."""
        self.command: SeenItem | None = None
        """The last prompt, where it was a command."""
        self.is_asked = False
        self.is_answering = False
        """The last words, blank lines aside, are the model's."""
        self.is_waiting = False
        """A prompt was sent, and its answer did not come or was broken off. A command waits for nothing."""
        self._ends: dict[bool, list[tuple[int, int] | None]] = {}
        """For each record, where a message that goes on there has its break; by whether it began below an answer."""
        self.message_ends = (-1, 0)
        """Record and number of lines up to where the program's last message goes on."""

    def read(self) -> None:
        for no, (record, lines) in enumerate(self.records):
            zone = "" if record.origin == START else "Z"  # one flag a run says that its time has no zone
            self.draft.record(record, record.origin, at=f"{self.started}{zone}" if self.started else None)
            last, end = self.message_ends
            if no <= last:
                self._say([unbroken(line) for line in (lines if no < last else lines[:end])])
            self._lines(no, record.origin, lines if no > last else lines[end:] if no == last else [])

    def _lines(self, no: int, kind: str, lines: Sequence[str]) -> None:
        if not any(line.strip() for line in lines):
            return
        if kind == TEXT:
            self._answer(lines)
        elif kind == USER:
            self._user(lines)
        elif kind == TOOL:
            self._tool(no, lines)

    def _answer(self, lines: Sequence[str], flags: tuple[str, ...] = ()) -> None:
        """The program ends its words with a break; where it does not, and nobody asked, nothing tells whose they are."""
        said = "\n".join(lines).strip("\r\n")
        if self.is_asked or self.has_breaks:
            self.is_answering, self.is_waiting = True, False
            self.produced.append(self.draft.item(ItemKind.ASSISTANT_TEXT, said, role="assistant", flags=flags))
        else:
            self._notice(said, flags=flags)

    def _user(self, lines: Sequence[str]) -> None:
        doubtful = not has_break(lines[0]) if self.has_breaks else self.is_answering
        if doubtful and self.is_answering:
            self._answer(lines, ("ambiguous",))
            return
        self.is_answering = False
        self.produced = []
        said = "\n".join(stripped(lines, USER))
        if said.strip() == EMPTY:
            self._notice(said)
            return
        self.is_asked = True
        self._prompt(said, ("ambiguous",) if doubtful else ())

    def _tool(self, no: int, lines: Sequence[str]) -> None:
        """A message without a break goes on below; one that never ends is a quote in an answer."""
        is_cut = self.has_breaks and not has_break(lines[-1])
        ends = self._end_of_message(no + 1) if is_cut else None
        said = stripped(lines, TOOL)
        if is_cut and ends is None and not any(map(has_break, lines)) and not any(map(aider_lines.usage, said)):
            self._answer(lines, ("ambiguous",))
            return
        self.message_ends = ends or self.message_ends
        self.is_answering = False
        self._say(said)

    def _end_of_message(self, first: int) -> tuple[int, int] | None:
        """Where a message that began before the record `first` has its break: record and number of lines in it.

        None where the program or a person says something else before; below an answer also where its paragraph is over.
        """
        if self.is_answering not in self._ends:
            ends: list[tuple[int, int] | None] = [None]
            for no in range(len(self.records) - 1, -1, -1):
                is_over, end = self._end_in(no)
                ends.append(end if is_over else ends[-1])
            self._ends[self.is_answering] = ends[::-1]
        return self._ends[self.is_answering][first]

    def _end_in(self, no: int) -> tuple[bool, tuple[int, int] | None]:
        """Whether a message that goes on in a record is over there, and where it has its break."""
        record, lines = self.records[no]
        for count, line in enumerate(lines, 1):
            if has_break(line):
                return True, (no, count) if record.origin == TEXT else None
            if record.origin == START or (self.is_answering and not line.strip()):
                return True, None
        return False, None

    def _prompt(self, said: str, flags: tuple[str, ...]) -> None:
        asked = _SENT.match(self.command.text) if self.command is not None else None
        if self.command is not None and asked and asked[1].strip() == said.strip():
            self.command.in_context = False
            self.command, self.is_waiting = None, True
            self.draft.item(ItemKind.INJECTED, said, role="user", flags=("repeats_command", *flags))
            return
        if _OWN.match(said.lstrip()):
            self.is_waiting = True
            self.draft.item(ItemKind.INJECTED, said, role="user", flags=flags)
            return
        is_command = said.startswith(("/", "!"))
        is_sent = not is_command or _SENT.match(said) is not None
        item = self.draft.item(ItemKind.USER_TEXT, said, role="user", in_context=is_sent, flags=flags)
        self.command, self.is_waiting = item if is_command else None, is_sent

    def _say(self, lines: Sequence[str]) -> None:
        """Messages of the program: what they report, and they themselves; each edit is a notice of its own, with its file."""
        plain: list[str] = []
        for line in lines:
            self._learn(line)
            path = aider_lines.edited(line)
            if path is None:
                plain.append(line)
                continue
            self._notice("\n".join(plain))
            plain = []
            self._notice(line, path=path, flags=("edit",))
        self._notice("\n".join(plain))

    def _notice(self, said: str, *, path: str | None = None, flags: tuple[str, ...] = ()) -> None:
        if said.strip():
            self.draft.item(ItemKind.NOTICE, said, role="tool", in_context=False, path=path, flags=flags)

    def _learn(self, line: str) -> None:
        session = self.draft.session
        session.agent_version = aider_lines.version(line) or session.agent_version
        session.cwd = aider_lines.folder(line) or session.cwd
        self.model = aider_lines.model(line) or self.model
        self.is_waiting |= bool(self.produced) and line.startswith(INTERRUPTED)
        used = aider_lines.usage(line)
        if used is None:
            return
        request_id = self.draft.call(f"call:{self.calls}", used, model=self.model)
        self.calls += 1
        for item in self.produced:
            item.request_id = request_id
        self.produced = []
