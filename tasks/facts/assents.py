"""Prompts that only agree, or only choose: they say nothing without what they answer.

Decided by the words, never by the length: "Undo it." is short and an order.
"""

import re

_ASSENT = """
a b c d y n yes yep yeah yup ok okay k sure please go ahead on do it proceed continue thanks thank you great
good fine cool nice perfect right correct exactly agreed done lgtm looks sounds that this works ja jo klar gut
bitte danke weiter mach gern genau passt oui bien merci continuez vas parfait accord sí si vale claro bueno
gracias sigue adelante perfecto sim bom obrigado obrigada continua perfeito sì va bene grazie procedi avanti
perfetto да ага хорошо спасибо давай дальше продолжай はい お願いします 続けて ありがとう いいよ 了解
好 好的 是 是的 可以 继续 谢谢 行 对 네 예 응
좋아 좋아요 계속 고마워
"""
_WORDS = frozenset(_ASSENT.split())
_WORD = re.compile(r"[^\W_]+")


def is_assent(text: str) -> bool:
    """Whether a prompt holds nothing but words of assent, numbers or single letters."""
    words = _WORD.findall(text.casefold())
    return all(word in _WORDS or word.isdigit() for word in words)
