"""The constraint ledger: what a person demanded, forbade or preferred, in their own words.

Only what a person typed is read. Tool results, injected text, summaries and the assistant never add to it, whatever they say.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.facts.languages import Language, languages_of
from tasks.facts.prose import Sentence, sentences


@dataclass(frozen=True, slots=True)
class Constraint:
    """One sentence of the ledger, verbatim, with where it was said."""

    text: str
    kind: str
    """prohibition, obligation or preference."""
    language: str
    item: Item
    """The message it stands in: turn, session and log line are its."""
    first: int
    """Characters from the start of the message."""
    last: int


def constraints(items: Iterable[Item]) -> list[Constraint]:
    """The ledger of some items in their order; a sentence said again word for word stands once, where it was first said."""
    found: dict[str, Constraint] = {}
    for item in items:
        if item.kind != ItemKind.USER_TEXT or item.is_sidechain:
            continue
        for sentence in sentences(item.text):
            for language in languages_of(sentence.masked, item.text):
                if kind := classify(sentence, language):
                    found.setdefault(" ".join(sentence.text.split()), _constraint(item, sentence, kind, language))
                    break
    return list(found.values())


def _constraint(item: Item, sentence: Sentence, kind: str, language: Language) -> Constraint:
    return Constraint(sentence.text, kind, language.code, item, sentence.first, sentence.last)


def classify(sentence: Sentence, language: Language) -> str | None:
    """prohibition, obligation, preference, or None for a question, a report or anything else."""
    words = sentence.masked
    if not _is_polite_order(words) and (words.rstrip("\"')").endswith(("?", "？", "؟")) or language.question.search(words)):
        return None
    if language.report.search(words):
        return None
    for kind in ("prohibition", "obligation", "preference"):
        if getattr(language, kind).search(words):
            return kind
    return None


def _is_polite_order(words: str) -> bool:
    """`Can you make sure that ...?` asks for obedience, not for an answer."""
    start = words.removeprefix("and ").removeprefix("please ")
    return start.startswith(("can you ", "could you ", "would you ", "will you ")) and any(
        order in start
        for order in (" make sure", " ensure", " only ", " avoid", " never ", " not ", " keep ", " always ", " without ")
    )
