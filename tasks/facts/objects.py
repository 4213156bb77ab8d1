"""What a sentence is about: the paths, globs and commands that it names, and its words without the small ones. Pure."""

# ruff: noqa: E501 (a list of words stands together, however long it is)

import re

_CODE = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(
    r"(?<![\w`/@:])(?:~|\.{1,2})?/?(?:[\w.@*-]+/)+[\w.*-]*"  # with a slash
    r"|(?<![\w`/@:.])(?:[\w*-]+\.)+(?:py|pyi|ipynb|[cm]?[jt]sx?|go|rs|java|kts?|rb|php|[ch](?:pp|c|h)?|cs|swift|scala|lua|vue|md|mdx|rst|txt|toml|ya?ml|jsonl?|lock|sql|sh|s?css|html?|xml|ini|cfg|conf|env|csv|proto|gradle|tf|png|svg|pdf)\b(?![(\w/])"  # with an ending
    r"|(?<!\w)\*[\w.*/-]+"
    r"|(?<![\w/])/[\w*-][\w.*-]*"  # from the root, one step deep
)
_COMMAND = re.compile(
    r"\b(?:git (?:push|commit|reset|rebase|merge|checkout|stash|add|clean|tag)|npm (?:install|run|publish|ci|test)|pip install|docker (?:run|compose|build)"
    r"|cargo (?:add|test|build|fmt)|go (?:test|get|mod)|make (?!(?:sure|it|this|that|these|the|an?|them|use|any|no|all|my|your|our|sense)\b)[a-z-]+|uv (?:add|sync|run)|rm -rf|sudo)\b(?: --?[\w-]+)*"
)
_NEVER = {"e.g", "i.e", "and/or", "he/she", "his/her", "yes/no", "either/or", "n/a", "w/o", "vs/and"}
_WORD = re.compile(r"[^\W_](?:[\w.-]*\w)?")
_CJK = re.compile(r"[\u4e00-\u9fff]{2,}|[\u30a0-\u30ff]{2,}|[\uac00-\ud7af]{2,}|[A-Za-z][\w.-]+")
_IS_CJK = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_PARTICLE = re.compile(r"(?<=[\uac00-\ud7af])(?:은|는|이|가|을|를|에|에서|에게|으로|로|의|와|과|도|만)$")
_SMALL_WORDS = """
a an the and or but of in on at to for from by with without into is are be do does not no never don't dont must should
shall always only please you we i it this that these those any all now again so then just can may ok okay yes use make sure
have has need needs i'll i'm we're we'll will my our your its as if instead rather than because since directly straight
der die das den dem ein eine und oder zu im auf für mit nicht nie niemals kein keine immer nur bitte du ich wir muss es ist
jetzt darfst kannst direkt le la les l' un une des de et ou à au pour dans ne pas jamais toujours il faut que sans sur je tu est
directement maintenant peux el los las una y o del al por para con nunca siempre sin solo lo se puedes ahora directamente os as um
uma e do da em na não sempre sem só favor pode agora diretamente i gli di che non mai è per della nel puoi adesso direttamente
не никогда всегда нельзя только и или в на с к по для это я мы ты надо нужно теперь можно напрямую сразу
禁止 不要 不得 不能 必须 务必 只能 可以 现在 必ず ください 이제 이제부터 지금 하지 마세요 항상 반드시 직접 됩니다 해도 금지
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_SMALL_HAN = re.compile("|".join(word for word in _SMALL_WORDS.split() if "\u4e00" <= word[0] <= "\u9fff"))


def scope(text: str) -> tuple[str, ...]:
    """Paths, globs and commands in a sentence, in their order, each once, as written."""
    found = [(match.start(1), match[1].strip()) for match in _CODE.finditer(text)]
    bare = _CODE.sub(lambda match: " " * len(match[0]), text)
    for pattern in (_PATH, _COMMAND):
        named = ((match.start(), match[0].rstrip(".,;:!?")) for match in pattern.finditer(bare))
        found += [(at, name) for at, name in named if name.lower() not in _NEVER and not name.isupper()]
    return tuple(dict.fromkeys(name for _, name in sorted(found) if len(name) > 1))


def content_words(text: str) -> frozenset[str]:
    """Lower-case words that say what a sentence is about; pairs of characters where Chinese puts no spaces."""
    lowered = text.casefold().replace("’", "'")
    found = _CJK.findall(_SMALL_HAN.sub(" ", lowered)) if _IS_CJK.search(lowered) else _WORD.findall(lowered)
    return frozenset(part for word in found for part in _parts(_PARTICLE.sub("", word))) - _SMALL


def _parts(run: str) -> list[str]:
    """Pairs of neighbors in a run of Chinese characters, which holds several words; anything else is one word."""
    if not "\u4e00" <= run[0] <= "\u9fff":
        return [run]
    return [run[at : at + 2] for at in range(len(run) - 1)]
