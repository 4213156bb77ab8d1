"""Characters that a reader would not see, or that would act on the terminal or page, written as what they are."""

import re
import unicodedata

_NAMES = {
    "\r": "\\r",
    "\x1b": "\\e",
    "\x00": "\\0",
    "\x07": "\\a",
    "\x08": "\\b",
    "\x0b": "\\v",
    "\x0c": "\\f",
    "\x7f": "\\x7f",
}
# C0 but tab and newline, DEL, C1; soft hyphen; Arabic letter mark; Mongolian separator; zero-width, bidi marks, line and
# paragraph separators, bidi embeddings and isolates; invisible operators; byte order mark; tags; lone surrogates.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_TICKS = re.compile("`+")
_FENCES = re.compile("`{3,}|~{3,}")
# A joiner between two emoji makes one picture: nothing is hidden there, and cutting it apart would spoil the text.
_EMOJI_JOIN = re.compile("(?<=[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d(?=[\u2640-\u27bf\U0001f000-\U0001faff])")


def visible(text: str) -> str:
    """The text with terminal escapes, bidi controls, zero-width and other unseen characters as `\\e`, `\\u202e`, ...

    Tab, newline and the joiners inside emoji stay; `\\r\\n` becomes a newline. Applying it twice changes nothing more.
    """
    text = text.replace("\r\n", "\n")
    kept = {match.start() for match in _EMOJI_JOIN.finditer(text)}
    return _UNSEEN.sub(lambda match: match[0] if match.start() in kept else _name(match[0]), text)


def _name(char: str) -> str:
    code = ord(char)
    wide = f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    return _NAMES.get(char) or (f"\\x{code:02x}" if code < 0x100 else wide)


def fenced(text: str) -> list[str]:
    """Lines of Markdown that show the text as it is: fences longer than any inside."""
    longest = max((len(run) for run in _FENCES.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return [f"{fence}text", text, fence]


def code(text: str | None) -> str:
    """One line of foreign text as Markdown code, between more backticks than any run in it."""
    line = visible(text or "").replace("\n", "\\n").replace("\t", " ").strip() or " "
    longest = max((len(run) for run in _TICKS.findall(line)), default=0)
    ticks = "`" * (longest + 1)
    room = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{room}{line}{room}{ticks}"


def clip(text: str, most: int, *, mark: str = " […]") -> str:
    """At most `most` characters, never cut inside a combined character or emoji, with a mark where something is left out."""
    if len(text) <= most:
        return text
    end = max(0, most - len(mark))
    while end > 0 and _continues(text, end):
        end -= 1
    return text[:end].rstrip() + mark


def _continues(text: str, at: int) -> bool:
    """Whether the character at `at` belongs to the one before it."""
    char, before = text[at], text[at - 1]
    joined = char == "\u200d" or before == "\u200d" or "\U0001f3fb" <= char <= "\U0001f3ff" or "\ufe00" <= char <= "\ufe0f"
    flag = "\U0001f1e6" <= char <= "\U0001f1ff" and "\U0001f1e6" <= before <= "\U0001f1ff"
    return joined or flag or unicodedata.combining(char) > 0 or unicodedata.category(char) in {"Mn", "Mc", "Me"}
