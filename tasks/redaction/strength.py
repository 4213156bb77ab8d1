"""Whether a value that stands beside a telling name is a secret, or a word, an identifier, a placeholder."""

import base64
import binascii
import math
import re
from collections import Counter

PLACEHOLDER = re.compile(
    r"^[<{(]|^\$[({A-Za-z_]|^%[({A-Z]|^#\{|^(?:your|my|the|some)[_-]|example|placeholder|changeme|change[_-]me|redacted"
    r"|(?:^|[_-])dummy|x{5,}|\*{3}|\.{3}|…|0{8,}|^123456(?:78)?$|\$\{|\{\{|\$\(",
    re.IGNORECASE,
)
"""Stands for a secret in documentation, templates and tests."""
WORDS = frozenset(
    """password passwd passphrase pass pwd secret token username user login key apikey api_key none null nil true false
    undefined string str bytes int bool optional required hidden masked bearer basic""".split()  # noqa: SIM905 - read as words
)
PATH = re.compile(r"^(?:[~.]{0,2}/[\w.@/ -]*$|[A-Za-z]:[\\/]|[\w.-]+(?:/[\w.-]+)*\.[a-z]{1,5}(?::\d+)?$|https?:)")
DOTTED = re.compile(r"^[A-Za-z_]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+$")
SEGMENTS = re.compile(r"[_.:/-]+")
CHANGES = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
UUID = re.compile(r"^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", re.IGNORECASE)
SYMBOL = re.compile(r"[!@#$%^&*+=?~]")

MIN_TOKEN_CHARS = 16
MIN_PASSWORD_CHARS = 6
MIN_SEGMENT_CHARS = 8
MIN_ENTROPY_BITS = 3.0
"""Per character. English words have less than random letters, but length is a better guide below this."""
MIN_DISTINCT = 5


def is_placeholder(value: str) -> bool:
    """True for what nobody would use as a secret: a template, a documented example, one letter over and over."""
    return bool(PLACEHOLDER.search(value)) or value.lower() in WORDS or len(set(value)) < MIN_DISTINCT


def is_random(value: str) -> bool:
    """True for a token: long, letters and digits mixed inside one segment. Words and dates joined by dashes are not."""
    if len(value) < MIN_TOKEN_CHARS or is_placeholder(value) or PATH.search(value) or UUID.match(value):
        return False
    if entropy_bits(value) < MIN_ENTROPY_BITS:
        return False
    longest = max(len(CHANGES.findall(part)) if len(part) >= MIN_SEGMENT_CHARS else 0 for part in SEGMENTS.split(value))
    return longest >= 2 or len(CHANGES.findall(value)) >= 4


def is_password(value: str) -> bool:
    """True for what a person could have typed as a password: letters with a digit or symbol, and not code or a path."""
    if len(value) < MIN_PASSWORD_CHARS or is_placeholder(value) or PATH.search(value) or DOTTED.match(value):
        return False
    has_letter = any(char.isalpha() for char in value)
    has_more = any(char.isdigit() for char in value) or bool(SYMBOL.search(value))
    return has_letter and has_more


def is_basic_credential(value: str) -> bool:
    """True for the base64 of `user:password`."""
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in decoded[1:] and decoded.isascii() and all(byte >= 32 for byte in decoded)


def entropy_bits(value: str) -> float:
    """Shannon entropy per character."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)
