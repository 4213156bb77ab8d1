"""The constraint ledger: what a person demanded, forbade or preferred, in their own words.

Only what a person typed is read. Tool results, injected text, summaries and the assistant never add to it, whatever they say.
A ledger of the items up to a point knows nothing that was said after it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.facts.languages import Language, languages_of
from tasks.facts.lifting import allows, is_lifted, releases
from tasks.facts.objects import scope
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
    scope: tuple[str, ...] = ()
    """Paths, globs and commands that it names, as written."""
    superseded_by: Item | None = None
    """The later message that names the same object with the opposite polarity."""

    @property
    def status(self) -> str:
        return "superseded" if self.superseded_by else "active"

    @property
    def bytes(self) -> tuple[int, int]:
        """First and last byte of the sentence in the message as UTF-8, the last one exclusive."""
        start = len(self.item.text[: self.first].encode("utf-8", "surrogatepass"))
        return start, start + len(self.text.encode("utf-8", "surrogatepass"))


def active(items: Iterable[Item]) -> list[Constraint]:
    """The rules that hold after some items: those of the ledger that nothing later took back."""
    return [rule for rule in constraints(items) if rule.status == "active"]


def constraints(items: Iterable[Item]) -> list[Constraint]:
    """The ledger of some items in their order, with what was taken back; a sentence said again word for word stands once,
    where it was first said, unless it had been taken back in between."""
    found: list[Constraint] = []
    held: dict[str, int] = {}
    for item in items:
        if item.kind != ItemKind.USER_TEXT or item.is_sidechain:
            continue
        for sentence in sentences(item.text):
            kind, language = _classified(sentence, item.text)
            _supersede(found, held, sentence, kind, item)
            words = " ".join(sentence.text.split())
            if kind and language and words not in held:
                held[words] = len(found)
                found.append(
                    Constraint(sentence.text, kind, language.code, item, sentence.first, sentence.last, scope(sentence.text))
                )
    return found


def _supersede(found: list[Constraint], held: dict[str, int], sentence: Sentence, kind: str | None, item: Item) -> None:
    """Marks the rules of earlier messages that a sentence takes back; they stay in the ledger."""
    if not kind and not ((allows(sentence.masked) or releases(sentence.masked)) and not _asks(sentence)):
        return
    for words, at in list(held.items()):
        rule = found[at]
        if rule.item is not item and is_lifted(rule.kind, rule.text, kind, sentence.text, sentence.masked):
            found[at] = replace(rule, superseded_by=item)
            del held[words]


def _classified(sentence: Sentence, message: str) -> tuple[str | None, Language | None]:
    for language in languages_of(sentence.masked, message):
        if kind := classify(sentence, language):
            return kind, language
    return None, None


def classify(sentence: Sentence, language: Language) -> str | None:
    """prohibition, obligation, preference, or None for a question, a report or anything else."""
    words = sentence.masked
    if not _is_polite_order(words) and (_asks(sentence) or language.question.search(words)):
        return None
    if language.report.search(words):
        return None
    for kind in ("prohibition", "obligation", "preference"):
        if getattr(language, kind).search(words):
            return kind
    return None


def _asks(sentence: Sentence) -> bool:
    return sentence.masked.rstrip("\"')").endswith(("?", "？", "؟"))


def _is_polite_order(words: str) -> bool:
    """`Can you make sure that ...?` asks for obedience, not for an answer."""
    start = words.removeprefix("and ").removeprefix("please ")
    return start.startswith(("can you ", "could you ", "would you ", "will you ")) and any(
        order in start
        for order in (" make sure", " ensure", " only ", " avoid", " never ", " not ", " keep ", " always ", " without ")
    )
