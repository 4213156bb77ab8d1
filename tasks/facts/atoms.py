"""Atoms: the small exact things in a text that can be found again in another one, such as paths and names. Pure.

Words between white space are looked at once each and remembered, so a text costs what its distinct words cost. No pattern can
run away: what is longer than a name can be is data and holds none, and all else is bounded or ends with its line.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

PATH, IDENTIFIER, ENV, HEX, URL, ERROR = "path", "identifier", "env", "hex", "url", "error"
KEBAB, NUMBER, QUOTED, VERSION, PORT, FLAG = "kebab", "number", "quoted", "version", "port", "flag"
EVIDENCE = frozenset({PATH, IDENTIFIER, ENV, HEX, URL, ERROR, FLAG})
"""Kinds rare enough to say, when they come again, where they came from. Numbers and words with hyphens are not."""
KINDS = EVIDENCE | {KEBAB, NUMBER, QUOTED, VERSION, PORT}
SHORTEST = 6
"""Characters of a path, a name, a URL."""
LONGEST = 256
"""Characters of a piece without space or bracket; more is data, not a name."""
REMEMBERED = 150_000
"""Words; then the memory starts anew."""


class Atom(NamedTuple):
    """One atom. `text` is as written, in NFC; a path has neither `./` before it nor a line number behind it."""

    kind: str
    text: str


_SEPARATORS = b"\"'`()<>[]{},;|=*&!?^#%+"
_SPACED = bytes.maketrans(_SEPARATORS, b" " * len(_SEPARATORS))
_SOLID = r"\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\U0010ffff"
"""Scripts that put no space between words, or glue endings to foreign ones: there a name ends where they begin."""
_NAME = re.compile(rf"[^\W{_SOLID}]{{3,}}")
_PIECE = re.compile(rf"(?:[^\W{_SOLID}]|[.$@~:/-])+")
_COMPOUND = re.compile(r"\w[.:/-]+\w|[$/]\w|--\w")
_URL = re.compile(r"https?://[^\s\"'`<>()\[\]{}|\\^]{3,2000}")
_PORT = re.compile(r"(?:localhost|\d\.\d{1,3}|//[\w.-]{1,253}):(\d{2,5})(?![\w.])")
_FLAG = re.compile(r"--[A-Za-z][\w-]*")
_KEBAB = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+(?![\w-])")
_QUALIFIED = re.compile(r"\w+(?:::\w+)+")
_SIGIL = re.compile(r"\$([^\W\d]\w*)")
_VERSION = re.compile(r"v?\d+\.\d+\.\d+(?:[-.]?[A-Za-z][\w.-]*)?|v\d+\.\d+")
_HEX = re.compile(r"(?:0x)?(?=[a-f]*\d)(?=\d*[a-f])(?:[0-9a-f]{7,40}|[0-9a-f]{64})", re.I)
_ESCAPE = re.compile(r"\\+[nrt]?")
_DRIVE = re.compile(r"(?<!\w)[A-Za-z]:(?:\\{1,2}[\w.@~$-]+)+")
_LINE_OF_GREP = re.compile(r"(\.[A-Za-z]\w{0,5})-\d+-.*$")
_EXTENSION = re.compile(r"\.\w{1,6}$")
_FILE = re.compile(
    r"""[\w@.-]*\w\.(?:
      astro|bash|bat|cc?|cfg|clj|cmake|conf|cpp|css?|csv|cu|cxx|dart|diff|ejs|elm|env|erl|exs?|fs|go|gradle|graphql|groovy
    | hbs|hh?|hpp|hs|html?|ini?|ipynb|java|jinja|jl|jsx?|jsonc?|jsonl|kts?|less|lock|log|lua|mdx?|mjs|mli?|mod|nix|parquet
    | patch|php|pl|pm|proto|ps1|pyi?|pyx|rb?|rs|rst|sass|scala|scss|sh|sol|sql|sum|svelte|svg|swift|tex|tf|toml|tsx?|txt|vue
    | xml|ya?ml|zig
    )""",
    re.X,
)
_FAILURE = re.compile(r"(?:Error|Exception|FAIL(?:ED)?|panic)(?=[:\s\]])[^\n]{8,80}")
_FAILURES = ("Error", "Exception", "FAIL", "panic")
_QUOTES = (re.compile(r'"[^"\n]*"'), re.compile(r"`[^`\n]*`"), re.compile(r"'(?<!\w')[^'\n]{8,80}'(?!\w)"))
_NAMED_PORT = re.compile(r"[Pp][Oo][Rr][Tt][\"']?[ =:]{1,3}(\d{2,5})\b")


def atoms(text: str, kinds: frozenset[str] = KINDS) -> set[Atom]:
    """The atoms of a text, of some kinds. Two texts with a line break between them hold what the one and the other hold."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    words = text.replace("→", " ").encode(errors="surrogatepass").translate(_SPACED).split()
    found = set(chain.from_iterable(map(_memory(kinds).__getitem__, set(words))))
    if URL in kinds:
        found.update(Atom(URL, url.rstrip(".,;:!?*")) for url in _URL.findall(text))
    if ERROR in kinds:
        found.update(_errors(text))
    if QUOTED in kinds:
        found.update(_quoted(text))
    if PORT in kinds:
        found.update(Atom(PORT, port) for port in _NAMED_PORT.findall(text))
    return found


class _Memory(dict[bytes, tuple[Atom, ...]]):
    """What words hold of some kinds: a word is looked up, and one that is new is found out about."""

    def __init__(self, kinds: frozenset[str]) -> None:
        super().__init__()
        self._kinds = kinds

    def __missing__(self, word: bytes) -> tuple[Atom, ...]:
        found = tuple(atom for atom in _of_word(word) if atom.kind in self._kinds)
        if len(word) <= LONGEST:
            if len(self) >= REMEMBERED:
                self.clear()
            self[word] = found
        return found


@cache
def _memory(kinds: frozenset[str]) -> _Memory:
    return _Memory(kinds)


def _of_word(raw: bytes) -> Sequence[Atom]:
    """The atoms of what stands between spaces and brackets."""
    if raw.isalpha() and (raw.islower() or raw.istitle()):
        return ()
    word = raw.decode(errors="surrogatepass")
    found: list[Atom] = []
    if "\\" in word:
        word = _without_backslashes(word, found)
    found += [Atom(kind, name) for name in _NAME.findall(word) if (kind := _kind_of(name))]
    if _COMPOUND.search(word):
        for piece in _PIECE.findall(word):
            if SHORTEST - 2 <= len(piece) <= LONGEST:
                found += _compounds(piece)
    return found


def _kind_of(name: str) -> str | None:
    """What one word of letters, digits and underscores is."""
    if name.isdigit():
        return NUMBER
    if not SHORTEST <= len(name) <= LONGEST:
        return None
    if "_" in name:
        body = name.strip("_")
        if "_" in body and not body.replace("_", "").isdigit():
            return ENV if name.isupper() else IDENTIFIER
        name = body
    if name.islower() or name.isupper():
        return HEX if not name.isalpha() and _HEX.fullmatch(name) else None
    if _HEX.fullmatch(name):
        return HEX
    return IDENTIFIER if name[1:] != name[1:].lower() else None


def _compounds(piece: str) -> Iterator[Atom]:
    """What several words make together: paths, versions, flags."""
    if "-" in piece:
        if flag := _FLAG.match(piece):
            yield Atom(FLAG, flag[0])
        yield from (Atom(KEBAB, name) for name in _KEBAB.findall(piece) if len(name) >= SHORTEST)
    if "$" in piece:
        yield from _variables(piece)
    if ":" not in piece:
        yield from _paths(piece)
        return
    yield from (Atom(PORT, port) for port in _PORT.findall(piece))
    if "::" in piece:
        yield from (Atom(IDENTIFIER, name) for name in _QUALIFIED.findall(piece) if len(name) >= SHORTEST)
    for part in piece.split(":"):
        yield from _paths(part)


def _without_backslashes(word: str, found: list[Atom]) -> str:
    """Adds paths of Windows. Elsewhere a backslash is an escape, where `\\nwarp` says `warp`, or stands between names."""
    for drive in _DRIVE.findall(word[: 16 * LONGEST]):
        path = drive.replace("\\\\", "\\")
        found.append(Atom(PATH, path))
        found += _paths(path.rpartition("\\")[2])
    return _ESCAPE.sub(" ", word)


def _variables(piece: str) -> Iterator[Atom]:
    """`$warpCount` is the name warpCount anyway; `$offset` is one only with its sign."""
    for name in _SIGIL.findall(piece):
        if name.isupper():
            yield Atom(ENV, name)
        elif len(name) >= SHORTEST - 1 and _kind_of(name) is None:
            yield Atom(IDENTIFIER, f"${name}")


def _paths(part: str) -> Iterator[Atom]:
    """A path and the name of its file, or a version. Of `a/warp/cloth.py` in a diff also what it stands for."""
    if "." not in part and "/" not in part:
        return
    if "-" in part:
        part = _LINE_OF_GREP.sub(r"\1", part)
    part = part.rstrip("./-~$") if "/" in part else part.strip(".-~")
    if "/" not in part:
        yield from _dotted(part)
        return
    path = part[2:] if part.startswith(("//", "./")) else part
    name = path[path.rfind("/") + 1 :]
    has_extension = _EXTENSION.search(name) is not None
    if len(path) < SHORTEST or path.upper() == path.lower():
        return
    if path.count("/") >= 2 or ("/" in path and has_extension):
        yield Atom(PATH, path)
        if path.startswith(("a/", "b/")) and len(path) >= SHORTEST + 2:
            yield Atom(PATH, path[2:])
    if has_extension and len(name) >= SHORTEST and not name.replace(".", "").isdigit():
        yield Atom(PATH, name)


def _dotted(part: str) -> Iterator[Atom]:
    if _VERSION.fullmatch(part):
        yield Atom(VERSION, part)
    elif len(part) >= SHORTEST and _FILE.fullmatch(part):
        yield Atom(PATH, part)


def _errors(text: str) -> Iterator[Atom]:
    """The word that says what failed, and what follows it on its line."""
    for word in _FAILURES:
        at = text.find(word)
        while at >= 0:
            if failed := _FAILURE.match(text, at):
                start = at
                while start > 0 and at - start < LONGEST and (text[start - 1].isalnum() or text[start - 1] in "_."):
                    start -= 1
                yield Atom(ERROR, text[start : failed.end()].rstrip())
            at = text.find(word, at + len(word))


def _quoted(text: str) -> Iterator[Atom]:
    """Strings of 8 to 80 characters between marks on one line."""
    for marks in _QUOTES:
        yield from (Atom(QUOTED, words[1:-1]) for words in set(marks.findall(text)) if 10 <= len(words) <= 82)
