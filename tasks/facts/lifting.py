"""Which later sentence takes back an earlier rule: the same object named with the opposite polarity.

Strict on purpose: a rule that wrongly stays costs some twenty tokens, a rule that wrongly goes is lost.
"""

# ruff: noqa: E501 (a list of words stands together, however long it is)

import re

from tasks.facts.objects import content_words, scope

# What allows again, and what asks no longer; in lower case, in ten languages.
_ALLOWS = re.compile(
    r"\b(?:you|we) (?:can|may|are allowed to)\b(?! not|'t)|\bit(?:'s| is) (?:now )?(?:ok|okay|fine|allowed)\b|\bfeel free to\b|\bgo ahead and\b|\b(?:is|are) (?:now )?(?:allowed|permitted)\b"
    r"|\b(?:du|ihr|wir|sie) (?:darf\w*|dürf\w+|kannst|könnt|können)\b|\bdarfst\b|\berlaubt\b|\b(?:tu peux|vous pouvez|on peut|autorisé\w*|permis)\b"
    r"|\b(?:puedes?|pueden|podemos|permitid[oa]s?|pode[ms]?|liberad[oa]s?|puoi|potete|possiamo|permess[oi]|consentit[oi])\b"
    r"|(?:て|で)も(?:いい|よい|良い|かまい|構い|構わ)|可以|允许|(?:아|어|해)도\s?(?:돼|됩|좋|괜찮)|\b(?:можно|можешь|можете|разреш\w+)\b"
)  # fmt: skip
_RELEASES = re.compile(
    r"\b(?:no longer|don't|do not|needn't|not) (?:need|have) to\b|\bno need to\b|\b(?:not|no longer) (?:necessary|required|needed)\b"
    r"|\bnicht (?:mehr )?(?:nötig|notwendig|zu)\b|\b(?:brauchst|musst) .{0,40}\bnicht\b|\b(?:plus|pas) (?:besoin|nécessaire|obligé)\b"
    r"|\bno hace falta\b|\bno es necesario\b|\bya no\b|\bnão (?:precisa|é (?:mais )?necessário)\b|\bnon (?:serve|occorre|è (?:più )?necessario|c'è (?:più )?bisogno)\b"
    r"|必要は?(?:ない|ありません)|なくて(?:も)?(?:いい|よい)|不用|不必|无需|不需要|필요\s?(?:는\s?)?없|\b(?:больше )?не (?:нужно|надо|обязательно|требуется)\b|\bнеобязательно\b"
)  # fmt: skip
_CHANGING = re.compile(
    r"touch|edit|chang|modif|delet|remov|änder|anfass|bearbeit|lösch|supprim|cambi|toc[ach]|toqu|borr|alter|mex|mud|apag|cancell|трог|мен[яи]|редакт|удал"
    r"|触|変更|編集|削除|动|改|删|건드|수정|변경|바꾸|삭제"
)


def allows(masked: str) -> bool:
    return bool(_ALLOWS.search(masked))


def releases(masked: str) -> bool:
    return bool(_RELEASES.search(masked))


def is_lifted(kind: str, rule: str, later_kind: str | None, later: str, masked: str) -> bool:
    """Whether a later sentence takes back a rule of a kind. `masked` is the later one without what it quotes, in lower case."""
    if kind == "prohibition":
        plain = later_kind != "prohibition" and allows(masked)
        opposite = later_kind in {"obligation", "preference"}
    else:
        plain = releases(masked)
        opposite = later_kind == "prohibition"
    return (plain or opposite) and names_the_same(rule, later, fewest=1 if plain else 2)


def names_the_same(rule: str, later: str, *, fewest: int) -> bool:
    """Same places and something done to them; or, where the rule names none, all of its words."""
    places, others = _places(rule), _places(later)
    words, said = content_words(_without_places(rule)), content_words(_without_places(later))
    if places:
        return places <= others and (
            bool(words & said) or bool(_CHANGING.search(rule.lower()) and _CHANGING.search(later.lower()))
        )
    return len(words) >= fewest and all(_is_among(word, said) for word in words)


def _places(text: str) -> frozenset[str]:
    return frozenset(place.casefold().rstrip("/*") for place in scope(text))


def _without_places(text: str) -> str:
    for place in scope(text):
        text = text.replace(place, " ")
    return text


def _is_among(word: str, said: frozenset[str]) -> bool:
    """`push` is among words where `pushing` stands; four letters at least."""
    return word in said or any(
        min(len(word), len(other)) >= 4 and (word.startswith(other) or other.startswith(word)) for other in said
    )
