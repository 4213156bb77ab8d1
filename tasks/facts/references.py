"""References: what a session read, so short that it can stand for the text, so exact that the text can be had again. Pure."""

import hashlib
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.facts.atoms import ENV, IDENTIFIER, atoms
from tasks.facts.prose import sentences
from tasks.facts.revisions import revisions
from tasks.facts.shellfiles import EVERYTHING
from tasks.facts.touches import CERTAIN, POSSIBLE, Touch, covers, plain, touches

NEAR = 3
"""Items after a read in which the assistant may say what it found."""
LOOKED_AT = 200_000
"""Characters of a file in which names are looked for."""
MOST_DEFINITIONS = 3
_NUMBERED = re.compile(r"^ *(\d{1,7})(?:→|\t|\|| \|)", re.M)
_HEADER = re.compile(
    r"\A(?:(?:Chunk ID|Exit code|Wall time|Process exited|Original token count|Total output lines)[^\n]*\n)+Output:\n"
)
_BEFORE = r"export|default|public|private|protected|static|abstract|final|async|pub(?:\([a-z]+\))?|unsafe"
_KEYWORD = (
    r"def|class|function\*?|func(?: \([^)\n]{1,80}\))?|fn|struct|interface|type|enum|trait|impl|module|const|namespace"
    r"|create (?:table|view|index|function)(?: if not exists)?"
)
_DEFINITION = re.compile(
    rf"^(?P<indent>[ \t]{{0,40}})(?:(?:{_BEFORE}) ){{0,6}}(?:{_KEYWORD}) {{1,8}}(?P<name>[A-Za-z_$][\w$.]*)", re.M | re.I
)


@dataclass(frozen=True, slots=True)
class Stale:
    """The file was changed after it was read."""

    certainty: str
    """certain, or possible where nobody can tell from the log: a formatter, a checkout."""
    turn: int | None
    """Of the latest such change; a certain one goes before possible ones."""
    item: Item
    """The call that changed it."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One read of one file."""

    path: str
    op: str
    revision: str
    """A commit, with `+dirty` where files were changed since; else `sha256:` and 12 digits of the text that was returned."""
    first_line: int | None
    last_line: int | None
    """None where the log does not tell which lines of the file these are."""
    lines: int | None
    """How many were returned; None where one call returned several files."""
    turn: int | None
    request_no: int | None
    item: Item
    """The result that holds the text."""
    call: Item
    established: str
    """What it showed: a sentence of the assistant word for word, else the names it defines, else empty."""
    is_outline: bool
    stale: Stale | None


def references(items: Iterable[Item], commit: str = "") -> list[Reference]:
    """The reads of a session in their order, without those of sub-agents, whose changes count all the same.

    Nothing after the last item is known, so what is stale is what had changed by then. `commit` is the repository's state where
    the log of the session tells it.
    """
    ordered = list(items)
    touched = touches(ordered)
    known = revisions(ordered, touched, commit)
    changes = _Changes(touched)
    named = Counter(touch.call.item_id for touch in touched if touch.op in ("read", "search"))
    talk = [item for item in ordered if not item.is_sidechain]
    place = {item.item_id: number for number, item in enumerate(talk)}
    found: list[Reference] = []
    for number, touch in enumerate(touched):
        result = touch.result
        if touch.op == "read" and result is not None and not touch.call.is_sidechain and result.item_id in place:
            after = talk[place[result.item_id] + 1 : place[result.item_id] + 1 + NEAR]
            shown = _Shown(touch, result, is_alone=named[touch.call.item_id] == 1)
            found.append(_reference(shown, known[touch.call.item_id], after, changes.after(number, plain(touch.path))))
    return found


class _Shown:
    """What a read returned."""

    def __init__(self, touch: Touch, result: Item, *, is_alone: bool) -> None:
        self.touch, self.result = touch, result
        self.text = _HEADER.sub("", result.text, count=1)
        self.is_alone = is_alone

    def range(self) -> tuple[int | None, int | None, int | None]:
        """First line, last line, how many. Numbers before the lines tell best, then what was asked for."""
        if not self.is_alone or not self.text:
            return None, None, None
        if _NUMBERED.match(self.text.lstrip("\n")) and (numbers := _NUMBERED.findall(self.text)):
            first, last = int(numbers[0]), int(numbers[-1])
            return first, last, max(0, last - first) + 1
        count = self.text.count("\n") + (not self.text.endswith("\n"))
        asked = self.touch.first_line
        if asked is None and _may_be_a_part(self.touch.call):
            return None, None, count
        first = asked or 1
        last = min(first + count - 1, self.touch.last_line or first + count - 1)
        return first, last, max(0, last - first + 1)


def _may_be_a_part(call: Item) -> bool:
    """A shell's words may have cut the file in ways that nobody takes apart here: a pipe, a tail, a grep."""
    return call.tool_category in ("shell", "test") and re.search(r"\bcat (?:-\w+ )?[^\s|;&]+\W*$", call.text) is None


def _reference(shown: _Shown, revision: str, after: Sequence[Item], stale: Stale | None) -> Reference:
    touch, result = shown.touch, shown.result
    first, last, count = shown.range()
    said = _sentence(touch.path, shown.text, after)
    outline = "" if said or not shown.is_alone else ", ".join(definitions(shown.text))
    digest = hashlib.sha256(shown.text.encode(errors="surrogatepass")).hexdigest()[:12]
    return Reference(
        path=touch.path, op=touch.op, revision=revision or f"sha256:{digest}", first_line=first, last_line=last, lines=count,
        turn=result.turn, request_no=result.request_no, item=result, call=touch.call, established=said or outline,
        is_outline=bool(outline), stale=stale,
    )  # fmt: skip


def _sentence(path: str, text: str, after: Iterable[Item]) -> str:
    """The first sentence of the assistant that names the file, or a name in it."""
    name = posixpath.basename(plain(path))
    names: set[str] | None = None
    for item in after:
        if item.kind != ItemKind.ASSISTANT_TEXT:
            continue
        names = names if names is not None else {atom.text for atom in atoms(text[:LOOKED_AT], _NAMES)} | set(_defined(text))
        for sentence in sentences(item.text):
            if name in sentence.text or names & set(re.findall(r"[\w$]+", sentence.text)):
                return " ".join(sentence.text.split())
    return ""


_NAMES = frozenset({IDENTIFIER, ENV})


def _defined(text: str) -> list[str]:
    """Names that are long enough to be no common word."""
    return [name for name in definitions(text, most=200) if len(name) >= 6]


def definitions(text: str, most: int = MOST_DEFINITIONS) -> list[str]:
    """Names of the first definitions that stand the least indented, in their order."""
    code = _NUMBERED.sub("", text[:LOOKED_AT])
    found = [(len(match["indent"].expandtabs(4)), match["name"]) for match in _DEFINITION.finditer(code)]
    least = min((indent for indent, _ in found), default=0)
    return list(dict.fromkeys(name for indent, name in found if indent == least))[:most]


class _Changes:
    """The changes of a session, to be asked for the latest of one file."""

    def __init__(self, touched: Iterable[Touch]) -> None:
        self._by_name: dict[str, list[tuple[int, str, Touch]]] = {}
        self._wide: list[tuple[int, str, Touch]] = []
        for number, touch in enumerate(touched):
            if touch.is_change:
                path = plain(touch.path)
                name = posixpath.basename(path)
                is_wide = "." not in name or name == EVERYTHING or "*" in path
                (self._wide if is_wide else self._by_name.setdefault(name, [])).append((number, path, touch))

    def after(self, number: int, path: str) -> Stale | None:
        """The latest certain change of a path after a touch of this number, else the latest possible one."""
        latest: dict[str, tuple[int, Touch]] = {}
        for place, changed, touch in (*self._by_name.get(posixpath.basename(path), ()), *self._wide):
            if place > number and (sure := covers(changed, path)):
                certainty = sure if touch.is_certain else POSSIBLE
                latest[certainty] = max(latest.get(certainty, (place, touch)), (place, touch), key=itemgetter(0))
        certainty = CERTAIN if CERTAIN in latest else POSSIBLE
        if certainty not in latest:
            return None
        call = latest[certainty][1].call
        return Stale(certainty, call.turn, call)
