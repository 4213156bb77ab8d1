"""A read of a file as a reference: its path at a revision, when it was read, how long it was, and what it established. Pure."""

import re
from collections.abc import Iterable

from tasks.compaction.plan import MARK, Change, Context, Disposition, is_compacted
from tasks.domain.kinds import ToolCategory
from tasks.facts.references import Reference, Stale, references
from tasks.facts.touches import CERTAIN
from tasks.tokens.taxonomy import shell_command

MOST_TOKENS = 43
"""Of a reference, where its path leaves that much room: the sentence is cut, never the path."""
SHORT_COMMIT = 7
_ONLY_READS = re.compile(r"(?:(?:cd|cat|nl|head|tail|sed -n|echo|wc) [^|;&><`$()]*(?:\s*(?:&&|;|\n)\s*|$))+")
_COMMIT = re.compile(r"([0-9a-f]{7,40})(\+dirty)?")
_SHELLS = (ToolCategory.SHELL, ToolCategory.TEST)
_MARKED = re.compile(r"  \[STALE\??: [^\]\n]*\](?=\n|$)")


def changes(context: Context, tail: int) -> list[Change]:
    """References for the reads before the tail, and the news that an older reference went stale."""
    places = {item.item_id: at for at, item in enumerate(context.items)}
    by_place: dict[int, list[Reference]] = {}
    for one in references(context.items, context.commit or ""):
        if "error" not in one.item.flags:
            by_place.setdefault(places[one.item.item_id], []).append(one)
    found: list[Change] = []
    for at in sorted(by_place):
        item, told = context.items[at], by_place[at]
        if MARK + Disposition.REFERENCE in item.flags:
            text = remarked(item.text, told[0].stale) if len(told) == 1 else item.text
            found += [Change(at, Disposition.REFERENCE, text, "the file changed since")] if text != item.text else []
        elif at < tail and not is_compacted(item) and _is_nothing_else(told):
            text = "\n".join(rendered(one, context) for one in told)
            if context.count(text) < context.tokens(at):
                found.append(Change(at, Disposition.REFERENCE, text, "a file at a revision can be read again"))
    return found


def rendered(read: Reference, context: Context) -> str:
    """Two lines; one where nothing is known of what the file established, or where that is known to be no longer so."""
    lines = len(read.item.text.splitlines()) if read.lines is None else read.lines
    head = f"{read.path} @ {short(read.revision)} (read turn {read.turn or 0}, {lines} lines)"
    if read.stale:
        head = f"{head}  {mark(read.stale)}"
        if read.stale.certainty == CERTAIN:
            return head
    words = ("defines " if read.is_outline else "") + read.established
    return _with_sentence(head, words.split(), context)


def mark(stale: Stale) -> str:
    """What a reference says of the present."""
    if stale.certainty == CERTAIN:
        return f"[STALE: edited turn {stale.turn or 0}]"
    return f"[STALE?: possible change turn {stale.turn or 0}]"


def remarked(text: str, stale: Stale | None) -> str:
    """An older reference with what is known today; what it said before stays where nothing new is known."""
    head, _, rest = text.partition("\n")
    if stale is None or (stale.certainty != CERTAIN and "  [STALE: " in head):
        return text
    head = f"{_MARKED.sub('', head)}  {mark(stale)}"
    return head if stale.certainty == CERTAIN or not rest else f"{head}\n{rest}"


def short(revision: str) -> str:
    """A commit by its first digits, as git shows it."""
    found = _COMMIT.fullmatch(revision)
    return f"{found[1][:SHORT_COMMIT]}{found[2] or ''}" if found else revision


def _with_sentence(head: str, words: list[str], context: Context) -> str:
    """With as much of the sentence as there is room for; with none of it rather than with three words of more."""
    for most in range(len(words), min(3, len(words) - 1), -1):
        text = f"{head}\n  → {' '.join(words[:most])}{'' if most == len(words) else ' […]'}"
        if most and context.count(text) <= MOST_TOKENS:
            return text
    return head


def _is_nothing_else(told: Iterable[Reference]) -> bool:
    """Whether the result holds the files and nothing besides: a command line may do more than read."""
    scripts = [shell_command(one.call.text).strip() for one in told if one.call.tool_category in _SHELLS]
    return all(_ONLY_READS.fullmatch(script) for script in scripts)
