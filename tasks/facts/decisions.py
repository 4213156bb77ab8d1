"""Decisions with their reasons, word for word: what the agent says it chose or gave up, and what a person agreed to
or answered.

Read are the agent's own words, what a person typed, and the results of tools that ask the person. No other result counts.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.facts.assents import is_assent
from tasks.facts.choices import CHOICES
from tasks.facts.languages import languages_of
from tasks.facts.objects import content_words
from tasks.facts.prose import Sentence, sentences

_ASKING = re.compile(r"^(?:ask_?user(?:_?question)?s?|request_?user_?input|ask_?followup_?question|ask_?question|question)$")
_YES = re.compile(
    r"^(?:yes|yep|yeah|sure|ok(?:ay)?|agreed|ja|klar|gern|oui|d'accord|sí|vale|claro|de acuerdo|sim|certo|pode|sì|va bene"
    r"|да|хорошо|давай|はい|了解|いいよ|好的?|是的?|可以|行|네|예|응|좋아요?)(?![\w'])"
)
_ASKS_WHICH = re.compile(
    r"^[\W_]*(?:which|what|how|where|who|why|when|welche\w*|was|wie|wo|wer|quel\w*|comment|où|qui|qué|cuál\w*|cómo|dónde"
    r"|qual\w*|como|onde|come|dove|chi|как\w*|где|что)\b|どれ|どちら|どの|哪|什么|어느|어떤|무엇"
)
_NAMES_ONE = re.compile(r"\d|\b[a-d]\b", re.I)
_COURTESY = re.compile(
    r"\b(?:can|may|could) i (?:help|assist)\b|\b(?:anything|something) else\b|\b(?:any|other|further|more) questions\b"
    r"|\b(?:ihnen|dir) helfen\b|\b(?:vous|t'?)\s?aider\b|\bdes questions\b"
    r"|\bayudar(?:te|le)?\b|\bajud(?:ar|á-l[oa])\b|\baiutar\w*"
    r"|お手伝い|ご用件|帮(?:您|你|助)|도와\s?드릴|\bпомочь\b"
)
_ENDING = re.compile(r"(?:ですか|ますか|でしょうか|ませんか|까요|나요|吗)。?\.?$")
_YES_CJK = ("はい", "了解", "いいよ", "好", "是的", "可以", "行", "네", "예", "응", "좋아")


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision, verbatim, with where it stands."""

    text: str
    reason: str
    """The because-clause, verbatim; empty where none is given."""
    origin: str
    """said (by the agent), assent (of a person to the agent's question), answer (of a person to a tool that asks)."""
    item: Item
    first: int
    """Characters from the start of the item's text."""
    last: int
    rejected: frozenset[str] = frozenset()
    """Words of what it turns down."""
    chosen: frozenset[str] = frozenset()
    answered_by: Item | None = None
    """The person's message, where a bare yes or a number decides what `text` asks."""
    superseded_by: Item | None = None

    @property
    def status(self) -> str:
        """active, or superseded by a later decision that turns down what this one chose."""
        return "superseded" if self.superseded_by else "active"


def decisions(items: Iterable[Item]) -> list[Decision]:
    """In the order in which they were made; the same words again stand once, where they first were."""
    own = [item for item in items if not item.is_sidechain]
    asked = {item.call_id: item for item in own if item.call_id and _asks(item)}
    found: dict[str, Decision] = {}
    said: Item | None = None
    for item in own:
        for one in _of(item, said, asked):
            key = _bare(one.text)
            if key in found and found[key].superseded_by is None:
                continue
            for other, earlier in found.items():
                if earlier.superseded_by is None and _turns_down(one, earlier):
                    found[other] = replace(earlier, superseded_by=item)
            found[f"{key} {len(found)}" if key in found else key] = one
        if item.kind in {ItemKind.ASSISTANT_TEXT, ItemKind.USER_TEXT} and item.text.strip():
            said = item
    return list(found.values())


@lru_cache(maxsize=4096)
def chosen_in(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text that say what was chosen or given up. Kept, as a window is looked at again at every call."""
    return tuple(sentence for sentence in sentences(text) if _language(sentence, text))


def _of(item: Item, before: Item | None, asked: dict[str, Item]) -> list[Decision]:
    if item.kind == ItemKind.ASSISTANT_TEXT:
        return [_said(item, sentence) for sentence in chosen_in(item.text)]
    if item.kind == ItemKind.USER_TEXT and before and before.kind == ItemKind.ASSISTANT_TEXT:
        return _assented(item, before)
    if item.kind == ItemKind.TOOL_RESULT and item.call_id in asked and "error" not in item.flags and item.text.strip():
        return [Decision(item.text.strip(), "", "answer", item, *_inside(item.text))]
    return []


def _said(item: Item, sentence: Sentence) -> Decision:
    code = _language(sentence, item.text)
    reason = _reason(CHOICES[code].reason.search(sentence.masked), sentence)
    rejected, chosen = _sides(sentence, code, reason)
    return Decision(sentence.text, reason, "said", item, sentence.first, sentence.last, rejected, chosen)


def _agreed(item: Item, sentence: Sentence, answered_by: Item | None = None) -> Decision:
    rejected, chosen = _sides(sentence, languages_of(sentence.masked, item.text)[0].code)
    return Decision(sentence.text, "", "assent", item, sentence.first, sentence.last, rejected, chosen, answered_by)


def _sides(sentence: Sentence, code: str, reason: str = "") -> tuple[frozenset[str], frozenset[str]]:
    """Words of what a sentence turns down, and of the rest of it without its reason."""
    turned_down = CHOICES[code].rejected.search(sentence.masked)
    first, last = _span(turned_down) if turned_down else (0, 0)
    rest = sentence.text[:first] + " " + sentence.text[last:]
    return content_words(sentence.text[first:last]), content_words(rest.replace(reason, " ") if reason else rest)


def _span(match: re.Match[str]) -> tuple[int, int]:
    names = (name for name in ("what", "first") if name in match.re.groupindex and match[name])
    return match.span(next(names))


def _reason(match: re.Match[str] | None, sentence: Sentence) -> str:
    if match is None:
        return ""
    if "before" in match.re.groupindex and match["before"]:
        return sentence.text[slice(*match.span("before"))]
    return sentence.text[match.start() :].rstrip(".!。！ ")


def _language(sentence: Sentence, text: str) -> str:
    """The language in which a sentence says a choice; empty where it is a question or says none."""
    if sentence.masked.rstrip("\"')* ").endswith(("?", "？")):
        return ""
    for language in languages_of(sentence.masked, text):
        if CHOICES[language.code].chosen.search(sentence.masked):
            return language.code
    return ""


def _assented(item: Item, question: Item) -> list[Decision]:
    """A bare yes decides what was asked; `yes, do X` decides in the person's own words."""
    asked = asking(question.text)
    if not asked or not item.text.strip():
        return []
    if is_assent(item.text):
        last = asked[-1]
        if _ASKS_WHICH.search(last.masked) and not _NAMES_ONE.search(item.text):
            return []
        return [_agreed(question, last, item)]
    start = item.text.strip().lower()
    if _YES.match(start) or start.startswith(_YES_CJK):
        first = next(iter(sentences(item.text)), None)
        if first:
            return [_agreed(item, first)]
    return []


def asking(text: str) -> list[Sentence]:
    """The questions with which a text ends: of its last three sentences, without offers of service."""
    return [one for one in sentences(text)[-3:] if is_question(one, text) and not _COURTESY.search(one.masked)]


def is_question(sentence: Sentence, text: str) -> bool:
    """By its mark, or in Japanese and Korean by its ending."""
    words = sentence.masked.rstrip("\"')*」 \n")
    return words.endswith(("?", "？")) or any(
        language.code in {"ja", "ko", "zh"} and _ENDING.search(words) for language in languages_of(sentence.masked, text)
    )


def _asks(item: Item) -> bool:
    name = (item.tool_name or "").lower().rsplit("__", 1)[-1]
    return item.kind == ItemKind.TOOL_CALL and bool(_ASKING.match(name))


def asked_by_tool(item: Item) -> list[str]:
    """The questions in the arguments of a tool that asks the person; none for any other item."""
    return _questions(item.text) if _asks(item) else []


def _questions(arguments: str) -> list[str]:
    try:
        waiting: list[Any] = [json.loads(arguments)]
    except (ValueError, RecursionError):
        return []
    found: list[str] = []
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, dict):
            found += [value["question"]] if isinstance(value.get("question"), str) else []
            waiting += [one for key, one in value.items() if key != "options"]
        elif isinstance(value, list):
            waiting += value
    return found


def _turns_down(later: Decision, earlier: Decision) -> bool:
    """The agent may go back on its own words; what a person decided, only a person takes back."""
    may = later.origin != "said" or earlier.origin == "said"
    return may and bool(later.rejected) and bool(earlier.chosen) and later.rejected <= earlier.chosen


def _inside(text: str) -> tuple[int, int]:
    first = len(text) - len(text.lstrip())
    return first, first + len(text.strip())


def _bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def texts(found: Sequence[Decision]) -> list[str]:
    """The words of decisions that still hold, on one line each."""
    return [" ".join(one.text.split()) for one in found if one.status == "active"]
