"""What is still open where some items end, word for word: questions without an answer, work named as undone, open
steps, failing tests."""

# ruff: noqa: E501 (a list of words stands together, however long it is)

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.facts.decisions import asked_by_tool, asking, is_question
from tasks.facts.objects import content_words
from tasks.facts.plan import plan
from tasks.facts.prose import Sentence, sentences

# In lower case. A marker of work (TODO) counts only as it is written by habit: in capitals, or with a colon.
_UNDONE = re.compile(
    r"\bblocked (?:by|on|until)\b|\b(?:is|are|am|still|remains?) (?:blocked|unclear|unresolved)\b|\bnot sure (?:whether|if|why|how|what|which)\b|\bunclear (?:whether|if|why|how|what)\b"
    r"|\bunklar\b|\bblockiert\b|\bnoch offen\b|\bnicht sicher\b|\bpas (?:clair|sûr)\b|\bbloqué\w*\b|\bno (?:está claro|estoy seguro)\b|\bbloquead[oa]\b|\bnão (?:está claro|tenho certeza)\b"
    r"|\bnon (?:è chiaro|sono sicuro)\b|\bbloccat[oa]\b|不明(?:です|点|な)|未定|わからない|分かりません|不清楚|不确定|待定|卡住|불분명|확실하지\s?않|모르겠|\bнеясно\b|\bне уверен\w*\b|\bзаблокирован\w*"
)  # fmt: skip
_MARKED = re.compile(r"\b(?:TODO|FIXME|TBD)\b|^(?:[Tt]odo|[Oo]pen(?: question)?s?|[Uu]nclear|[Bb]locked):")
_SETTLED = re.compile(
    r"\b(?:done|fixed|resolved|solved|settled|works now|unblocked|found (?:it|out)|turns out|erledigt|gelöst|behoben|geklärt|résolu\w*|réglé\w*|corrigé\w*|resuelto|hecho|arreglado|resolvid[oa]|feito"
    r"|corrigid[oa]|risolto|fatto|решен[оа]?|готово|исправлен[оа]?)\b|解決|完了|解决|完成|搞定|해결|완료"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """One open thing, verbatim, with where it stands."""

    text: str
    kind: str
    """asked (by the person), asking (the agent, at the end), undone, step (of the plan) or failure."""
    item: Item
    first: int
    """Characters from the start of the item's text; both are 0 where its words stand in a call or an output."""
    last: int


def questions(items: Iterable[Item], failures: Sequence[tuple[Item, str]] = ()) -> list[Question]:
    """In the order of the log, then open steps, then failures: tests that fail at the end, as the caller found them."""
    own = [item for item in items if not item.is_sidechain]
    told = [item for item in own if item.kind in {ItemKind.USER_TEXT, ItemKind.ASSISTANT_TEXT} and item.text.strip()]
    found = [*_unanswered(told), *_asking(told), *_asked_by_tool(own), *_undone(told)]
    place = {id(item): at for at, item in enumerate(own)}
    first = {(one.item.item_id, one.text): one for one in reversed(found)}
    ordered = sorted(first.values(), key=lambda one: (place[id(one.item)], one.first))
    steps = [Question(step.text, "step", step.item, 0, 0) for step in plan(own) if step.is_open]
    return [*ordered, *steps, *(Question(text, "failure", item, 0, 0) for item, text in failures)]


def _unanswered(told: list[Item]) -> list[Question]:
    """Questions of a person to which the agent said nothing before the next turn began."""
    found: list[Question] = []
    waiting: list[Question] = []
    turn: int | None = None
    for item in told:
        if item.kind == ItemKind.ASSISTANT_TEXT:
            waiting = []
            continue
        if item.turn != turn:
            found, waiting, turn = [*found, *waiting], [], item.turn
        waiting += [_question("asked", item, one) for one in sentences(item.text) if is_question(one, item.text)]
    return [*found, *waiting]


def _asking(told: list[Item]) -> list[Question]:
    """The agent's last questions, where nobody typed anything after them."""
    if not told or told[-1].kind != ItemKind.ASSISTANT_TEXT:
        return []
    return [_question("asking", told[-1], one) for one in asking(told[-1].text)]


def _asked_by_tool(own: list[Item]) -> list[Question]:
    """Questions of a tool that asks the person, to which no result came."""
    answered = {item.call_id for item in own if item.kind == ItemKind.TOOL_RESULT}
    calls = [item for item in own if item.kind == ItemKind.TOOL_CALL and item.call_id not in answered]
    return [Question(text, "asking", item, 0, 0) for item in calls for text in asked_by_tool(item)]


def _undone(told: list[Item]) -> list[Question]:
    """What the agent named as blocked, unclear or to do, until it says that it is settled, in words of which it shares half."""
    found: list[Question] = []
    for item in told:
        if item.kind != ItemKind.ASSISTANT_TEXT:
            continue
        for sentence in sentences(item.text):
            if _SETTLED.search(sentence.masked):
                words = content_words(sentence.text)
                found = [one for one in found if not _shares_half(content_words(one.text), words)]
            elif _UNDONE.search(sentence.masked) or _MARKED.search(sentence.text):
                found.append(_question("undone", item, sentence))
    return list({" ".join(one.text.split()): one for one in found}.values())


def _shares_half(open_words: frozenset[str], settled: frozenset[str]) -> bool:
    return 2 * len(open_words & settled) >= max(len(open_words), 1)


def _question(kind: str, item: Item, sentence: Sentence) -> Question:
    return Question(sentence.text, kind, item, sentence.first, sentence.last)
