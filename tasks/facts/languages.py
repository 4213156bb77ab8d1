"""How people forbid, demand and prefer, in ten languages; and how they ask and report, which is neither.

Patterns meet sentences in lower case, with code and quotations masked. `report` is tried first: it describes what is, not what
shall be. Latin languages are told apart by their small words, the others by their script.
"""

# ruff: noqa: E501, PLR0917 (a rule of one language stands on one line, however many words it has)

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Language:
    """One language's rules. A sentence that matches `report` or `question` is no constraint, whatever else it holds."""

    code: str
    prohibition: re.Pattern[str]
    obligation: re.Pattern[str]
    preference: re.Pattern[str]
    question: re.Pattern[str]
    report: re.Pattern[str]
    small_words: frozenset[str] = frozenset()


def _rules(
    code: str, prohibition: str, obligation: str, preference: str, question: str, report: str, small: str = ""
) -> Language:
    def rule(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern) if pattern else re.compile(r"(?!)")

    return Language(
        code, rule(prohibition), rule(obligation), rule(preference), rule(question), rule(report), frozenset(small.split())
    )


_EN_VERBS = (
    r"add|adapt|adjust|allow|apply|ask|assume|avoid|base|begin|bring|build|bump|call|change|check|choose|clean|clear|close|commit|convert|copy|cover|create|"
    r"cut|define|deploy|design|do|document|drop|edit|enable|export|extend|extract|find|finish|fix|follow|format|generate|get|give|go|handle|implement|import|"
    r"improve|inline|install|integrate|introduce|investigate|keep|leave|let|limit|list|load|log|look|make|merge|migrate|mock|move|name|open|optimi[sz]e|parse|"
    r"pass|pick|port|print|put|raise|read|rebase|rebuild|redo|refactor|release|remove|rename|render|replace|report|restore|restructure|retry|return|reuse|revert|"
    r"review|rewrite|run|save|send|set|show|simplify|sort|split|start|stop|store|support|switch|take|test|throw|tidy|touch|translate|try|update|upgrade|use|"
    r"validate|verify|wire|work|wrap|write"
)
_EN_SOFT = (
    r"(?:and|but|please|also|then|so|just|instead|ok|okay|yes|no|well|now|again|first|finally|fyi|note|important|remember|that)"
)
# Where an order begins: at the start of a sentence or of a clause, or behind `you` and `we`.
_EN_START = rf"(?:^|[,;:(]\s*|\s[-–—]+\s+|\b{_EN_SOFT},?\s+)(?:\**)"
_EN_ORDER = rf"(?:^{_EN_SOFT}?,?\s*|{_EN_START}|\b(?:you (?:should|must|can|may|need to|have to)|let's|lets|we (?:should|must)|can you|could you|want you to|to)\s+)(?:{_EN_VERBS})\b"
ENGLISH = _rules(
    "en",
    r"\b(?:must|should|shall) ?(?:not|never|no longer|n't)\b|\bmustn't\b|\b(?:you|we|nothing|nobody) (?:can|may|will) ?(?:not|never|n't)\b|\byou can't\b|^we can't\b"
    r"|\bmay (?:not|never) be (?:changed|edited|modified|touched|used|deleted|removed|renamed|moved|broken)\b"
    rf"|{_EN_START}(?:you )?(?:do not|don't|dont|never)\b|^we (?:do not|don't|never)\b(?! (?:need|care|want to))|\b(?:you|i) (?:do not|don't|never) want\b|\byou (?:don't|do not) need\b"
    r"|\b(?:is|are|be) (?:not|never) (?:allowed|permitted|to be)\b|\bnot allowed\b|\bforbidden\b|\bprohibited\b|\boff[- ]limits\b|\bunder no circumstances\b"
    rf"|{_EN_START}(?:try to )?avoid\b|\bshould avoid\b|\b(?:want|need|have|sure|try) to avoid\b"
    rf"|{_EN_ORDER}[^.]*\bwithout (?:\w+ing\b|(?:a|an|any|the|new|extra)\b|_)"
    rf"|{_EN_START}stop \w+ing\b|\bleave\b.{{1,60}}\b(?:alone|as (?:is|they are|it is)|unchanged|untouched)\b|\bhands off\b"
    r"|^(?:and |but |also |please )*no (?:new|more|extra|other|external|additional|third[- ]party|hacks?|shortcuts?|mocks?|changes?|\w+ing\b)",
    r"\bmust\b(?! have been)|\b(?:should|must|to) always\b|(?<!just to )\b(?:make|be) sure\b|\bdon't forget\b|\bremember to\b"
    rf"|{_EN_START}(?:you )?(?:always|ensure|only)\b(?! \S+(?: \S+)? (?:was|were|is|are|has|have)\b)|{_EN_START}keep\b(?! (?:in mind|going|it since|on\b))"
    r"|\b(?:has|have|needs?) to (?:be|have|stay|remain|fit|match|pass|work|support|include|contain|use|run)\b|\byou (?:need|have) to\b|\b(?:is|are) (?:required|mandatory)\b|\brequired to\b"
    rf"|{_EN_ORDER}[^.]*\b(?:only|always|exactly)\b|\bshould (?:only|keep|stay|remain)\b"
    r"|\bfrom now on\b|\b(?:going|moving) forward\b|^(?:at most|at least|no more than|not more than|a maximum of) |\bno exceptions\b|\bwithout exception\b"
    r"|^(?:every|each|all|any) .{1,40}\b(?:needs?|has to|have to|should|shall)\b"
    rf"|{_EN_ORDER}[^.]*\b(?:before|after|on|for|with|in) (?:each|every)\b"
    rf"|{_EN_ORDER}[^.]*\b(?:at least|at most|no more than|no less than|exactly|under|below)\s+(?:~?\d|_|one|two|three|four|five|ten|once)",
    rf"\bprefer(?:ably|red)?\b|{_EN_ORDER}[^.]*\b(?:instead of|rather than)\b|\b(?:i|we)(?:'d| would) (?:much )?rather\b|\bideally\b|\bif (?:at all )?possible\b"
    rf"|{_EN_START}(?:favou?r|value|prioriti[sz]e) .{{1,60}}\bover\b|^(?:\S+ )?[\w-]+ over [\w-]+(?: (?:in|for|on|please|everywhere|here|always)\b|[,.!]|$)|\buse \S+(?: \S+)?,? not\b|\bwhere(?:ver)? possible\b",
    r"^(?:and |so |but |ok,? |okay,? |hm+,? )?(?:why|what|how|when (?:is|are|was|were|do|does|did|will|would|can|should|i)|where|who|which|whose|is|are|was|were|do(?! not\b)|does|did|has|have|had|"
    r"am|could it|can it|can we|can i|should we|should i|shall we|would it|any idea|wonder|i wonder)\b",
    # Somebody's own mind, or the behavior of a thing in the third person.
    r"^(?:hm+,? |ok,? |well,? |but |and |so |because |also |now |yes,? |no,? )*(?:"
    r"i(?:'m| am|'ve| have|'d| had)? (?:(?:do not|don't|did not|didn't|never|can not|cannot|can't|could not|couldn't|still|only|just|always|really) )*"
    r"(?:think|thought|reckon|observed|suppose|agree|challenging|know|knew|see|saw|seen|understand|get|got|remember|believe|guess|care|sure|not sure|find|found|notice|noticed|mind|"
    r"have to (?:go|leave|admit|say)|need to (?:go|think|leave|check|look|understand|know|see)|forgot|tried|was|wonder|wasn't)\b"
    r"|we (?:do not|don't|never|didn't) (?:have|know|see|understand|seem|get|had|saw)\b"
    r"|(?:i|we) (?:need|have) to (?!be\b|make sure)|consider\b"
    r"|there (?:is|are|was|were|isn't|aren't|'s)\b|there's\b"
    r"|(?:it|this|that|he|she|they|everything|nothing|something|\w+ing)(?:'s| is| was| still| also| now| just)* "
    r"(?:doesn't|does not|didn't|did not|don't|do not|isn't|is not|wasn't|was not|aren't|hasn't|has not|won't|will not|can't|cannot|could not|couldn't|wouldn't|"
    r"never \w+(?:s|ed)|always \w+s|only \w+s|no longer \w+s|not working|just \w+s|keeps)\b"
    r"|(?:the|this|that|my|our|your|a|some|these|those|all|one|both) (?:[\w./_-]+ ){1,5}?(?:still |also |now |just |sometimes )*"
    r"(?:doesn't|does not|didn't|did not|don't|do not (?=work|show|appear|seem|pass|run|match|load|have)|isn't|is not (?!allowed|permitted|to be)|wasn't|aren't|hasn't|won't|can't (?=find|see|be found|open|read|load|connect|parse)"
    r"|cannot (?=find|open|read|load|connect|parse)|could not|couldn't|never \w+(?:s|ed)\b|always \w+s\b|only \w+s\b|no longer \w+s\b|keeps\b|crashes|fails|failed|hangs|prints|shows|returns|displays|was|were)\b"
    r"|[\w./_-]+(?:\(\))? (?:still |also |now |just )*(?:doesn't|does not|didn't|isn't|wasn't|won't work|only \w+s\b|always \w+s\b|never \w+s\b|no longer \w+s\b|keeps\b|crashes|fails|hangs|prints|shows|returns|displays)"
    r"|never ?mind|don't worry|no worries|no problem|as long as|not sure"
    r")",
    "the and is to of in it you that for not this with be on are don't do must should never please we only use always a an at by from has have can can't will when if than then they what all every each any but or as so my your i i'd i'm into out no new",
)
GERMAN = _rules(
    "de",
    r"\bnicht\b|\bnie(?:mals)?\b|\bkein(?:e|en|er|em|es)?\b|\bauf keinen fall\b|\bverboten\b|\bohne\b|\bvermeide\b|\blass\b.{1,40}\b(?:in ruhe|wie es ist|unverändert)\b|\bnichts\b|\bfinger weg\b|\bunterlass\w*",
    r"\bimmer\b|\bmuss\b|\bmüssen\b|\bnur\b|\bstets\b|\bunbedingt\b|\bstelle? sicher\b|\bachte darauf\b|\bmindestens\b|\bhöchstens\b|\bgenau \d|\bpflicht\b|\bbehalte\b|\b(?:ab|von) (?:jetzt|sofort|nun)(?: an)?\b|\bkünftig\b|\bin zukunft\b|\bmaximal\b|\bsollen? immer\b|\bausschließlich\b|\bausnahmslos\b",
    r"\blieber\b|\bstatt\b|\banstelle\b|\bbevorzug\w*|\banstatt\b|\bam liebsten\b|\bwenn möglich\b|\bmöglichst\b|\bbesser\b.{1,60}\bals\b",
    r"^(?:und |aber |also )?(?:warum|wieso|weshalb|was|wie|wann|wo|wer|welche\w*|ist|sind|hat|kann man|soll ich|sollen wir|gibt es)\b",
    r"^(?:aber |und |leider |jetzt |also )*(?:ich (?:weiß|glaube|denke|verstehe|sehe|finde|kann|habe|bin|war|musste)\b"
    r"|wir (?:wissen|haben|hatten|sehen)\b|es (?:gibt|ist|war|geht|funktioniert|klappt|läuft|kommt|passiert|wird)\b|das (?:ist|war|geht|funktioniert|klappt|läuft|hat|stimmt)\b"
    r"|(?:der|die|das|dieser?|dieses|mein\w*) \S+(?: \S+)? (?:ist|war|geht|funktioniert|läuft|zeigt|liefert|wird|kommt|lädt|hat|stürzt|bricht|findet|startet|gibt)\b|kein problem|keine sorge|keine ahnung)",
    "der die das und ist nicht ein eine zu mit auf für den dem nie niemals immer nur bitte keine kein wir auch muss ohne statt dass datei stets im den dir du dich er es sie ich man von vor bei nach noch sind wird soll sollen darf alle aber oder wenn dann einen einer einem lieber bis ab",
)
FRENCH = _rules(
    "fr",
    r"\b(?:ne|n')\s?\S+(?: \S+){0,3}? (?:pas|jamais|plus|rien|aucun\w*)\b|\bjamais\b|\binterdi[ts]\w*|\bsans\b|\bévit\w+|\baucun\w*|\bpas (?:de|d')|\blaisse\w*\b.{1,40}\b(?:tel\w* quel\w*|tranquille)\b|\brien\b.{0,40}\b(?:modifier|changer|toucher|supprimer)\b|\bsurtout (?:pas|ne)\b|\bpas touche\b",
    r"\btoujours\b|\bdoi(?:t|s|vent)\b|\bseulement\b|\buniquement\b|\bil faut\b|\bassure\w*|\bobligatoire\w*|\bau moins\b|\bau plus\b|\bveille\w* à\b|\bgarde\w*\b|\bau (?:maximum|minimum)\b|\bà partir de maintenant\b|\bdésormais\b|\bdorénavant\b|\bfai(?:s|tes) en sorte\b|\bsans exception\b",
    r"\bpréfère\w*|\bplutôt\b|\bau lieu d|\b(?:il )?(?:vaut mieux|mieux vaut)\b|\bsi possible\b|\bde préférence\b|\bj'aimerais mieux\b|\bprivilégi\w+",
    r"^(?:et |mais |alors )?(?:pourquoi|comment|quand|où|qui|quel\w*|est-ce|qu'est-ce|que |faut-il|peut-on|dois-je|as-tu|avons-nous)\b",
    r"^(?:mais |et |alors )*(?:je (?:ne |n')?(?:sais|pense|crois|comprends|vois|trouve|suis|peux|me)\b|j'ai\b|je n'ai\b|(?:ça|cela|il|elle|ce) (?:ne |n')(?!faut)|c'est|ce n'est|il y a|il n'y a"
    r"|(?:le|la|les|l'|ce|cette|mon|notre) ?\S+(?: \S+)? (?:ne |n')(?!doi)|(?:le|la|les|ce|cette) \S+ (?:est|affiche|renvoie|plante|échoue|était)\b|pas de souci|pas de problème)",
    "le la les des est pas de et une un dans pour ne jamais toujours il faut que avec sans sur doit fichier seulement du au ce cette ces on je tu nous vous est-ce être avoir plus plutôt chaque tous toutes par mais ou si se n'est c'est l'on fais utilise",
)
SPANISH = _rules(
    "es",
    r"^(?:por favor,? )?no \w+|\bno (?:se )?(?:debe|deben|debes|puede|toques|cambies|uses|borres|hagas|modifiques|añadas|permite|permitido)\w*|[,;:] no \w+(?:es|as)\b|\by no \w+(?:es|as)\b|\bnunca\b|\bjamás\b|\bprohibid\w+|\bsin \w+(?:ar|er|ir)\b|\bsin (?:un|una|el|la|nuev\w+|dependencias|cambios|_)|\bevit\w+|\bdeja\w*\b.{1,40}\b(?:como está|en paz)\b|^nada de\b|\bning(?:ún|una)\b.{0,30}\bnuev\w+|^ni se te ocurra\b",
    r"\bsiempre\b|\bdeben?\b|\bdebes\b|\bsolo\b|\bsólo\b|\bsolamente\b|\bobligatori\w+|\basegúra\w*|\bhay que\b|\btiene[ns]? que\b|\bcomo mínimo\b|\bcomo máximo\b|\bal menos\b|\bmantén\b|\bmantener\b|\ba partir de ahora\b|\bde ahora en adelante\b|\bdesde ahora\b|\btienes que\b|\bsin excepci(?:ón|ones)\b|\bcomo mucho\b",
    r"\bprefier\w+|\bpreferi\w+|\ben lugar de\b|\ben vez de\b|\bmejor que\b|\b(?:es )?mejor\b.{1,60}\bque\b|\bsi es posible\b|\bpreferible\w*|\bda\w* prioridad\b|\bprioriza\w*",
    r"^¿|^(?:y |pero )?(?:por qué|qué|cómo|cuándo|dónde|quién|cuál\w*)\b",
    r"^(?:pero |y |ahora |todavía |aún )*(?:(?:yo )?no (?:sé|creo|entiendo|veo|pienso|recuerdo|estoy|tengo|funciona\w*|hay|es|encuentro|pude|aparece|se (?:ve|muestra|carga))\b|esto no\b|eso no\b"
    r"|(?:el|la|los|las|este|esta|mi) \S+(?: \S+)? (?:no (?:funciona|pasa|muestra|aparece|carga|compila|encuentra|responde|arranca|es|está)|solo \w+a\b|siempre \w+a\b|falla|está|era|nunca \w+a\b)|no hay problema|no pasa nada|sin problema|creo|tengo que)",
    "el la los las de que no en y un una por con para es nunca siempre solo sin archivo favor debe del al lo se a su sus tu este esta todas todos pero como más cada desde antes hay ser está lugar ya ni",
)
PORTUGUESE = _rules(
    "pt",
    r"\bnão (?:\w+ ){0,1}?(?:deve\w*|pode\w*|mex\w+|us\w+|toqu\w+|alter\w+|mud\w+|apag\w+|faç\w+|modifi\w+|adicion\w+|permit\w+|cri\w+|remov\w+|instal\w+|commit\w*|quero)\b|\bnunca\b|\bjamais\b|\bproibid\w+|\bsem \w+(?:ar|er|ir)\b|\bsem (?:um|uma|nov\w+|depend\w+|_)|\bevit\w+|\bdeix\w+\b.{1,40}\b(?:como está|em paz)\b|^nada de\b|\bnenhum\w?\b.{0,30}\bnov\w+",
    r"\bsempre\b|\bdeve[m]?\b|\bsó\b|\bsomente\b|\bapenas\b|\bobrigatóri\w+|\bgaranta\b|\bcertifique\w*|\bprecisa[m]? (?:ser|estar|ter)\b|\bpelo menos\b|\bno máximo\b|\bmantenha\b|\btem que\b|\ba partir de agora\b|\bd(?:e agora|aqui) em diante\b|\bno mínimo\b|\btem de\b|\bsem exce(?:ção|ções)\b|\bno mínimo\b",
    r"\bprefir\w+|\bprefer\w+|\bem vez de\b|\bao invés de\b|\bem lugar de\b|\bmelhor\b.{1,60}\bdo que\b|\bse possível\b|\bprioriz\w+|\bde preferência\b|\bpreferível\b",
    r"^(?:e |mas )?(?:por que|porque|o que|como|quando|onde|quem|qual\w*|será que)\b",
    r"^(?:mas |e |agora |ainda )*(?:(?:eu )?não (?:sei|acho|entendo|vejo|lembro|estou|tenho|consigo|funciona\w*|há|é|aparece)\b|isso não\b|isto não\b|ele não\b|ela não\b"
    r"|(?:o|a|os|as|este|esta|meu|minha) \S+(?: \S+)? (?:não (?:funciona|passa|mostra|aparece|carrega|compila|encontra|responde|é|está)|só \w+a\b|sempre \w+a\b|falha|está|era|nunca \w+a\b)|sem problema|acho|tenho que)",
    "o a os as de que não em e um uma por com para é nunca sempre só sem arquivo favor deve do da no na ao você apenas use dos das nos nas pelo pela mas ou se todas todos cada antes ser está esta este isso já mais vez seu sua eu",
)
ITALIAN = _rules(
    "it",
    r"\bnon (?:\w+ ){0,1}?(?:dev\w+|può|puoi|tocc\w+|us\w+|cambi\w+|modific\w+|cancell\w+|far\w*|aggiung\w+|cre\w+|rimuov\w+|install\w+|consentit\w+|permess\w+|voglio|committ\w+)\b|\bmai\b|\bvietat\w+|\bproibit\w+|\bsenza \w+(?:are|ere|ire)\b|\bsenza (?:un|una|nuov\w+|dipenden\w+|_)|\bevit\w+|\blasci\w+\b.{1,40}\b(?:com'è|stare)\b|^nient(?:e|'altro)\b|^nessun\w?\b.{0,30}\bnuov\w+",
    r"\bsempre\b|\bdev(?:e|i|ono)\b|\bsolo\b|\bsoltanto\b|\bobbligatori\w+|\bassicurati\b|\bbisogna\b|\balmeno\b|\bal massimo\b|\bmantieni\b|\btieni\b|\bd(?:a |')(?:ora|adesso) in (?:poi|avanti)\b|\bal minimo\b|\bfa(?:i|te)? in modo\b|\bsenza eccezioni\b|\bnon più di \d",
    r"\bpreferi\w+|\binvece di\b|\bpiuttosto che\b|\bal posto di\b|\bmeglio\b.{1,60}\bche\b|\bse possibile\b|\bpreferibil\w+|\bprecedenza\b|\bpriorità\b",
    r"^(?:e |ma )?(?:perché|che cosa|cosa|come|quando|dove|chi|quale|quali|è )\b",
    r"^(?:ma |e |ora |ancora )*(?:(?:io )?non (?:so|credo|capisco|vedo|penso|ricordo|sono|ho|riesco|funziona\w*|c'è|è|trovo|appare)\b|questo non\b|quello non\b"
    r"|(?:il|lo|la|i|gli|le|questo|questa) \S+(?: \S+)? (?:non (?:funziona|passa|mostra|appare|carica|compila|trova|risponde|è|parte)|fallisce|è|era|mostra|non \w+ mai\b|si blocca)|nessun problema|credo)",
    "il lo la i gli le di che non in e un una per con è mai sempre solo senza devi deve del della al questo file nel usa a da dal dei delle nella ma o se tutti tutte ogni prima essere sta questa più già suo sua io ho degli dello alla",
)
JAPANESE = _rules(
    "ja",
    r"しないで|するな|禁止|(?:て|で)はいけ(?:ない|ません)|(?:て|で)はなら(?:ない|ず)|(?:し|ら|わ|か|ま|え|れ|け|さ|た|べ)ないで|触ら(?:ない|ず)|避け(?:て|る)|なしで|ないこと|ぬこと|ないように|ては(?:だめ|ダメ|駄目)|いじらない|厳禁|せずに",
    r"必ず|だけ(?:に|を|で|使|変|修|編)|のみ|すること|(?:る|う|く|す|つ|ぶ|む|ぐ)こと(?:。|$)|必要があります|必須|なければなら|常に|以上にし|以内に|(?:今後|これから|以後|以降)は|最大|最低|(?:回|個|件|行|字|文字|秒|分)(?:まで|以内|以上|以下)|ようにして(?:ください|下さい|。|$)|毎回",
    r"以外|より(?:も)?.{0,12}を(?:使|優先)|優先|(?:の)?代わりに|ではなく|(?:ほう|方)が(?:い|良|よ|好)|できれば|なるべく|できるだけ|重視",
    r"[?？]$|(?:です|ます|でしょう|ません|した)か。?$|^(?:なぜ|どうして|どう|何|いつ|どこ|誰)",
    r"(?:動か|動き|表示さ|見つか|通ら|起動し|反映さ|失敗し|わか|分か|でき)[^。]{0,4}(?:ない|ません)(?:です)?(?:。|$)|(?:と思|知り|わかり|分かり)(?:います|ません)|(?:ました|でした|ている|ています)。?$",
)
CHINESE = _rules(
    "zh",
    r"不要|不得|禁止|(?:^|[，,。；;：:])?别(?!人|的|处|名|扭)|勿|(?:你|请|代码|测试|接口|我们)?不能(?!够?(?:运行|工作|打开|编译|加载|访问|用|正常))|切勿|不许|不准|不可(?:以)?|避免|严禁|无需|不允许|不应",
    r"必须|务必|只能|只(?:改|用|修改|允许|在|对|使用)|始终|保持|一定要|确保|需要保证|至少|最多|仅(?:限|用|修改|在)|总是要|都要|要先|从现在(?:开始|起)|从今以后|今后(?:都|请)|一律|不超过|确保|请?保证",
    r"尽量|优先|而不是|而非|最好(?:用|使用|不)|宁可|代替|更(?:喜欢|倾向|希望)|尽可能|比较好$|更重要",
    r"[?？]$|吗[。]?$|^(?:为什么|怎么|什么|如何|哪|谁|是不是|有没有|能不能)",
    r"^(?:但|现在|这个|那个|它|测试|页面|程序|我)?.{0,10}(?:不工作|不起作用|不显示|不能(?:运行|工作|打开|编译|加载|访问|正常)|没有反应|报错|失败了|崩溃|总是(?:失败|报错|返回|显示)|只(?:显示|返回|输出))|我(?:不知道|不确定|觉得|认为|没看)|没关系|没问题",
)
KOREAN = _rules(
    "ko",
    r"(?:하|쓰|건드리|바꾸|지우|고치|만들|넣|추가하|수정하|사용하|삭제하|커밋하|변경하|\S)지\s?(?:마|말|않도록)|금지|(?:면|서는|선)\s?안\s?(?:돼|되|된)|말\s?것|없이|피해\s?(?:줘|주세요)|하지\s?말|면\s?안\s?(?:됩|됨)|지\s?않(?:도록|게|기)|하지\s?마|삼가",
    r"반드시|항상|(?:\S)만\s(?:사용|수정|변경|써|쓰|고쳐|바꿔|허용|남|실행)|해야\s?(?:해|한다|합니다|돼|함)|꼭|필수|최소|최대|유지해|이상\s?이어야|지켜\s?(?:줘|주세요)|이제부터|앞으로는?\s|야\s?(?:합니다|해요|한다|함)|도록\s?(?:해|하세요|하십시오)|이하로|까지만|빠짐없이",
    r"보다는|대신|우선|선호|말고|(?:보다|느니|편이)\s?.{0,20}(?:낫|나아|나은|좋겠|좋습|좋아요)|가능하면|가급적|되도록",
    r"[?？]$|(?:나요|까요|습니까|니|냐|가요)[.?]?$|^(?:왜|어떻게|뭐|무엇|언제|어디|누가)",
    r"(?:작동|동작|실행|표시|통과|로드|연결)(?:이|가)?\s?(?:하지|되지|안)\s?(?:않|돼|되|됩|해)|(?:모르|생각|같아|같습니다)|(?:했|됐|었|았)(?:어요|습니다|다)[.]?$|괜찮",
)
RUSSIAN = _rules(
    "ru",
    r"\bне (?:\w+ ){0,1}?(?:надо|нужно|следует|должн\w+|\w+(?:й|йте|ь|ьте|и|ите|ать|ять|ить|еть))\b|\bникогда\b|\bнельзя\b|\bзапрещ\w+|\bбез (?:\w+)|\bизбега\w+|\bни в коем случае\b|\bнедопустим\w+|\bникак(?:их|ие|ой|ого)\b|\bне \w+(?:ая|яя|уя|ясь|я)\b|\bни(?:чего|что) не\b",
    r"\bвсегда\b|\bдолж(?:ен|на|но|ны)\b|\bобязательно\b|\bтолько\b|\bнеобходимо\b|\bубеди\w+|\bследи\w*\b|\bминимум\b|\bмаксимум\b|\bне менее\b|\bне более\b|\bоставь\w*|\bс этого момента\b|\bотныне\b|\bвпредь\b|\bне больше\b|\bне меньше\b|\bследует\b|\bбез исключений\b",
    r"\bпредпоч\w+|\bвместо\b|\bлучше (?!всего)|\bа не\b|\bпо возможности\b|\bжелательно\b|\bважнее\b",
    r"^(?:и |а |но )?(?:почему|что|как|когда|где|кто|какой|какая|какие|зачем|можно ли|есть ли|разве)\b",
    r"^(?:но |и |а |теперь |сейчас )*(?:я (?:не )?(?:знаю|думаю|понимаю|вижу|уверен\w*|помню|нашел|нашёл|могу)\b|(?:это|он|она|оно|они|всё|все) (?:\w+ )?(?:не |всегда \w+ет)|ничего не|(?:тест|тесты|сервер|страница|кнопка|скрипт|программа|сборка|код|приложение|\w+) (?:\w+ )?(?:не (?:работа|проход|загруж|показыва|отобража|запуска|собира|найд|наход|отвеча|видит|компилир)\w*|падает|всегда (?:падает|\w+ет)|только \w+ет)|не (?:работает|получается|знаю|уверен|вижу|понимаю|запускается)|без проблем|ничего страшного)",
)
LATIN = (ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN)
LANGUAGES = {language.code: language for language in (*LATIN, JAPANESE, CHINESE, KOREAN, RUSSIAN)}
# Not the parts of `os.path`, `a/b` or `--no-cache`: they are words of no language.
_WORD = re.compile(r"(?<![\w./\\-])[^\W\d_]+(?:'[^\W\d_]+)?(?![\w/\\(]|[.-]\w)")


def languages_of(sentence: str, message: str = "") -> tuple[Language, ...]:
    """What a sentence may be written in: one language by its script or small words, several where they do not tell."""
    for char in sentence:
        if "\u3040" <= char <= "\u30ff":
            return (JAPANESE,)
        if "\uac00" <= char <= "\ud7af":
            return (KOREAN,)
    if any("\u4e00" <= char <= "\u9fff" for char in sentence):
        return (JAPANESE,) if any("\u3040" <= char <= "\u30ff" for char in message) else (CHINESE,)
    if any("\u0400" <= char <= "\u04ff" for char in sentence):
        return (RUSSIAN,)
    candidates = _latin(sentence, LATIN)
    return candidates if len(candidates) == 1 else _latin(message.lower()[:2000], candidates)


def _latin(text: str, among: tuple[Language, ...]) -> tuple[Language, ...]:
    """The languages among some whose small words are the most in the text; all of them where it has none."""
    counts = {code: count for code, count in _counts(text) if any(language.code == code for language in among)}
    return tuple(language for language in among if counts[language.code] == max(counts.values()))


@lru_cache(maxsize=1024)
def _counts(text: str) -> tuple[tuple[str, int], ...]:
    """Small words of each Latin language. Kept, as every sentence of a message may ask for all of it."""
    words = _WORD.findall(text)
    return tuple((language.code, sum(word in language.small_words for word in words)) for language in LATIN)
