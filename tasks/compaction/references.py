"""A read of a file as a reference: its path at a revision, when it was read, how long it was, and what it established. Pure."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tasks.compaction.cut import calls_of
from tasks.compaction.plan import MARK, Change, Context, Disposition, is_compacted
from tasks.compaction.stale import Written, mark, same, written
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind, ToolCategory
from tasks.facts.lines import strings
from tasks.facts.prose import sentences

MOST_TOKENS = 43
"""Of a reference, where its path leaves that much room: the sentence is cut, never the path."""
AFTER = 3
"""Items after a read in which the agent says what it found."""
_SHELL_READ = re.compile(
    r"(?:cd \S+ && )?(?:cat(?: -n)?|nl(?: -ba)?|(?:head|tail)(?: -n? ?\+?\d+| -n)?|sed -n ['\"]?\d+,(?:\d+|\$)p['\"]?) "
    r"(?P<path>(?!-)[^\s|;&<>*]+)"
)
_COMMITTED = re.compile(r"^\[[^\]\n]+ ([0-9a-f]{7,40})\] ", re.M)
_DEFINED = re.compile(
    r"^(?:[ \t]*\d+(?:→|\t))?(?:export |default |pub(?:\(\w+\))? |async |public |private |static |abstract )*"
    r"(?:def|class|fn|func|function|interface|struct|trait|enum|create table) +(\w+)",
    re.M | re.I,
)
_STALE = re.compile(r"  \[STALE\??: [^\]\n]*\](?=\n|$)")


@dataclass(frozen=True, slots=True)
class Read:
    """One read that came back."""

    position: int
    """Of its result."""
    call: int
    path: str


def reads(items: Sequence[Item]) -> Iterator[Read]:
    """Reads of one file each, by a tool or by a command that does nothing else; what failed showed no file."""
    calls = calls_of(items)
    for at, item in enumerate(items):
        call = calls.get(item.call_id or "")
        if item.kind != ItemKind.TOOL_RESULT or call is None or call > at or "error" in item.flags:
            continue
        if path := _path(items[call], item):
            yield Read(at, call, path)


def changes(context: Context, tail: int) -> list[Change]:
    """References for the reads before the tail, and the news that an older reference went stale."""
    items, writes = context.items, written(context.items)
    found: list[Change] = []
    for read in reads(items):
        item = items[read.position]
        stale = mark(read.path, read.position, writes, context.cwd)
        if MARK + Disposition.REFERENCE in item.flags:
            text = _remarked(item.text, stale)
            found += [Change(read.position, Disposition.REFERENCE, text, "the file changed since")] if text != item.text else []
        elif read.position < tail and not is_compacted(item):
            text = reference(context, read, writes, stale)
            if context.count(text) < context.tokens(read.position):
                found.append(Change(read.position, Disposition.REFERENCE, text, "a file at a revision can be read again"))
    return found


def reference(context: Context, read: Read, writes: Sequence[Written], stale: str) -> str:
    """Two lines; one where nothing is known of what it established, or where that is known to be no longer so."""
    item = context.items[read.position]
    lines = len(item.text.splitlines())
    head = f"{read.path} @ {revision(context, read, writes)} (read turn {item.turn or 0}, {lines} lines)"
    if stale.startswith("[STALE:"):
        return f"{head}  {stale}"
    head = f"{head}  {stale}" if stale else head
    words = established(context.items, read).split()
    for most in range(len(words), 3, -1):
        text = f"{head}\n  → {' '.join(words[:most])}{'' if most == len(words) else ' […]'}"
        if context.count(text) <= MOST_TOKENS:
            return text
    return head


def revision(context: Context, read: Read, writes: Sequence[Written]) -> str:
    """The commit, with `+dirty` where the session had changed the file since; without a commit, of the text that came back."""
    commit, since = context.commit, -1
    for at, item in enumerate(context.items[: read.position]):
        if item.kind == ItemKind.TOOL_RESULT and item.tool_category == ToolCategory.SHELL:
            for name in _COMMITTED.findall(item.text):
                commit, since = name, at
    if not commit:
        return "sha256:" + hashlib.sha256(context.items[read.position].text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    changed = any(
        since < one.position < read.position and (one.path is None or same(one.path, read.path, context.cwd)) for one in writes
    )
    return commit[:7] + ("+dirty" if changed else "")


def established(items: Sequence[Item], read: Read) -> str:
    """What the agent said of the file right after, else what the file defines, else nothing: never invented."""
    defined = list(dict.fromkeys(_DEFINED.findall(items[read.position].text)))
    names = {read.path.replace("\\", "/").rsplit("/", 1)[-1], *defined}
    for item in items[read.position + 1 : read.position + 1 + AFTER]:
        if item.kind != ItemKind.ASSISTANT_TEXT:
            continue
        for sentence in sentences(item.text):
            if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sentence.text) for name in names):
                return " ".join(sentence.text.split())
    return f"defines {', '.join(defined[:3])}" if defined else ""


def _path(call: Item, result: Item) -> str | None:
    if call.tool_category == ToolCategory.READ:
        return call.path or result.path
    if call.tool_category != ToolCategory.SHELL:
        return None
    found = [match["path"].strip("'\"") for text in strings(call.text) if (match := _SHELL_READ.fullmatch(text.strip()))]
    return found[0] if len(found) == 1 else None


def _remarked(text: str, stale: str) -> str:
    """An older reference with what is known today; what it said before stays where nothing new is known."""
    if not stale or (stale.startswith("[STALE?") and "[STALE:" in text.split("\n", maxsplit=1)[0]):
        return text
    head, _, rest = _STALE.sub("", text).partition("\n")
    return f"{head}  {stale}" if stale.startswith("[STALE:") or not rest else f"{head}  {stale}\n{rest}"
