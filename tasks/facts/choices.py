"""How people and agents say what they chose or gave up, and why, in ten languages.

Patterns meet sentences in lower case, with code and quotations masked. A reason alone makes no decision: "it fails because ..."
explains, "I keep it because ..." decides.
"""

# ruff: noqa: E501 (a rule of one language stands on one line, however many words it has)

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choices:
    """One language's words of choosing."""

    chosen: re.Pattern[str]
    reason: re.Pattern[str]
    """From its start to the end of the sentence; or, where it has a group `before`, that group: the reason comes first."""
    rejected: re.Pattern[str]
    """Group `what` is what was turned down."""


def _words(chosen: str, reason: str, rejected: str) -> Choices:
    return Choices(re.compile(chosen), re.compile(reason), re.compile(rejected))


_END = r"(?P<what>[^,.;:。，；：]{2,80})"
CHOICES = {
    "en": _words(
        r"\b(?:i|we)(?:'ve| have)?(?: also| now| finally)? (?:decided|chose|chosen|opted|settled on|abandon(?:ed)?|dropped|gave up on|rejected|ruled out|discarded|picked|switched (?:to|from|back))\b"
        r"|\b(?:i'm|i am|we're|we are|i'll be|we'll be) (?:going (?:with|for)|sticking (?:with|to)|switching (?:to|from|back)|choosing|abandoning|dropping|opting)\b|^(?:going|sticking) (?:with|to)\b"
        r"|^(?:decided|chose|opted|abandoned|switched|switching|choosing|settled)\b|\b(?:i|we)(?:'ll| will) (?:go (?:with|for)|stick (?:with|to)|switch|keep|leave|use)\b"
        r"|^(?:decision|decided|chosen):|\b(?:is|was|has been|it's) (?:been )?decided\b|\bthe decision (?:is|was)\b|\bdecided (?:to|on|against|not)\b"
        r"|\b(?:won't|will not|can't|cannot) work\b(?=.{0,20}(?:here|,|:|;|because|since|as )|[.!]?$)"
        r"|^(?:so |then |and )?(?:i|we)(?:'ll| will|'m| am|'re| are)? (?!will now|can't|cannot|couldn't|did not|didn't|don't|see|saw|think|bet|guess|suspect|assume|believe|hope|expect|found|noticed|need|got|was|were|am not|had|fail)\w+\b[^?]*\b(?:because|instead of|rather than)\b",
        r"\b(?:because|since|so that|as (?=(?:the|it|this|that|we|they|i)\b)|due to|in order to)\b|(?<=: )\S",
        rf"\b(?:instead of|rather than|abandon(?:ed|ing)?|dropp(?:ed|ing)|gave up on|ruled out|rejected|discarded|switched from|switching from|decided against|over (?=\w+[.,]?$)) (?:the |a |an )?{_END}|^(?:a |an |the )?(?P<first>[^,.;:]{{2,60}}?) (?:won't|will not|can't|cannot) work\b",
    ),
    "de": _words(
        r"\b(?:entschieden|beschlossen|entscheid\w+ (?:mich|uns)|entschluss)\b|\bich bleibe bei\b|\b(?:ich|wir) (?:nehme|nehmen|verwende\w*|wähle\w*|benutze\w*|setze\w*|behalte\w*|verwerfe\w*|wechsle|wechseln)\b(?=.*\b(?:statt|anstatt|anstelle|weil|da|denn|damit)\b)|\b(?:statt|anstatt|anstelle)\b.*\b(?:ich|wir)\b"
        r"|\b(?:habe|haben) .{0,60}\b(?:gewählt|verworfen|aufgegeben|umgestellt|gewechselt)\b|^entscheidung:|\bfunktioniert hier nicht\b",
        r"\b(?:weil|denn|damit|da (?=\w+)|wegen)\b",
        rf"\b(?:statt|anstatt|anstelle von|gegen|verwerfe\w*) (?:de[rnms]|die|das|eine[rnms]?|zu)? ?{_END}",
    ),
    "fr": _words(
        r"\bj'ai (?:décidé|choisi|opté|retenu|abandonné|écarté|gardé)\b|\b(?:nous avons|on a) (?:décidé|choisi|opté|retenu|abandonné)\b|\b(?:on|nous) part(?:ons)? sur\b|\bje (?:pars|reste) sur\b|\bje (?:suis passé\w*|passe) à\b|\bje (?:choisis|garde|retiens|décide)\b|^décision ?:|\bne marchera pas\b",
        r"\b(?:parce qu|car\b|puisqu|étant donné|afin d|pour qu)",
        rf"\b(?:plutôt qu(?:e |')|au lieu (?:de |d')|abandonné |écarté )(?:le |la |les |l'|une? )?{_END}",
    ),
    "es": _words(
        r"\b(?:decidí|decidimos|he decidido|hemos decidido|elegí|elegimos (?=.*\b(?:porque|en lugar|en vez)\b)|he elegido|hemos elegido|opté|optamos|he optado|descarté|he descartado|abandoné|cambié a|he cambiado a|me quedo con|nos quedamos con|vamos con|voy con)\b|^decisión:|\bno va a funcionar\b|\bno funcionará\b",
        r"\b(?:porque|ya que|puesto que|dado que|pues|para que)\b",
        rf"\b(?:en lugar de|en vez de|descarté|descartado|abandoné) (?:el |la |los |las |una? )?{_END}",
    ),
    "pt": _words(
        r"\b(?:decidi|decidimos|escolhi|escolhemos (?=.*\b(?:porque|em vez)\b)|optei|optamos|descartei|abandonei|mudei para|troquei para|fico com|vamos com|vou com|ficamos com)\b|^decisão:|\bnão vai funcionar\b",
        r"\b(?:porque|já que|pois|uma vez que|visto que|dado que|para que)\b",
        rf"\b(?:em vez de|ao invés de|em lugar de|descartei|abandonei) (?:[oa]s? |uma? )?{_END}",
    ),
    "it": _words(
        r"\b(?:ho|abbiamo) (?:deciso|scelto|optato|scartato|abbandonato|mantenuto)\b|\bsono passat[oa] a\b|\b(?:tengo|teniamo|scelgo|resto su|vado con|andiamo con)\b|^decisione:|\bnon funzionerà\b",
        r"\b(?:perché|poiché|dato che|visto che|siccome|in quanto|affinché)\b",
        rf"\b(?:invece (?:di|del|della|dell')|piuttosto che|al posto (?:di|del|della)|scartato|abbandonato) ?(?:il |lo |la |i |le |un[ao']? )?{_END}",
    ),
    "ja": _words(
        r"こと(?:に|と)し(?:ました|ます|た|て)|ことに決め|決定し(?:ました|た)|採用し|選び(?:ました|ます)|選択し(?:ました|ます|た)|選んだ|に切り替え(?:ました|ます|た)|(?:は|を)(?:やめ|断念|却下)|方針(?:です|とします)|に変更しました",
        r"(?P<before>^.+?(?:ので|から|ため(?:に)?))、|(?:なぜなら|というのも|理由は)",
        r"(?P<what>[^、。]{2,40}?)(?:ではなく|の代わりに|をやめ|を断念|を却下|から)",
    ),
    "zh": _words(
        r"决定|选择了|选用|选定|改用|采用了?|放弃了?|改为|我选|我们选(?!.*[?？还])|(?:还是)?用.{1,20}(?:而不是|而非)|(?:这里)?行不通",
        r"因为|由于|以便|考虑到",
        r"(?:而不是|而非|放弃了?|不再用|不用)(?P<what>[^，。；、]{1,40})",
    ),
    "ko": _words(
        r"기로\s?(?:했|하였|결정|합니다)|결정했|선택했|선택하였|택했|채택|으로\s?(?:변경|전환)했|로\s?(?:바꿨|전환했)|포기했|사용하기로",
        r"(?P<before>^.+?(?:때문에|므로|니까|위해(?:서)?|(?:아|어|여|해)서))\s|왜냐하면",
        r"(?P<what>[^,.]{1,40}?)\s?(?:대신|보다는|말고|를 포기|을 포기)",
    ),
    "ru": _words(
        r"\b(?:я |мы )?(?:решил[аи]?|выбрал[аи]?|остановил(?:ся|ась|ись) на|переш[её]л на|перешл[аи] на|отказал(?:ся|ась|ись) от|отверг\w*|оставил[аи]?|использую|используем|беру|бер[её]м)\b(?!.*\?)|^решение:|\bне сработает\b|\bне подойд[её]т\b",
        r"\b(?:потому что|так как|поскольку|ведь|чтобы|из-за)\b",
        rf"\b(?:вместо|отказал(?:ся|ась|ись) от|а не) {_END}",
    ),
}  # fmt: skip
