"""Secrets that only their surroundings give away: `password = …`, `Authorization: …`, `scheme://user:…@host`."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from tasks.redaction.strength import is_basic_credential, is_password, is_placeholder, is_random

_VALUE = r"[^ \t\r\n\"'`,;<>(){}|\\]"
_OPEN = r"(?:\\{0,3}[\"'`]){0,3}"
_SEPARATOR = r"(?:\\{0,3}[\"'`]|\])*[ \t]{0,8}(?:=>|:=|={1,3}|:|>|%3D|%3A)[ \t]{0,8}"

PASSWORD_NAME = r"(?:passw(?:or)?d|passphrase|pwd)"
TOKEN_NAME = (
    r"(?:secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|account[_-]?key|encryption[_-]?key|"
    r"signing[_-]?key|credential|master[_-]?key|service[_-]?key)"
)
_SUFFIX = r"([A-Za-z0-9_-]{0,30})"

NOT_A_SECRET = re.compile(
    r"(?:^s|[_-]?(?:id|ids|name|names|path|paths|file|files|dir|url|uri|type|kind|count|length|size|limit|ttl|expiry|expires|"
    r"expires[_-]?(?:at|in)|env|arn|field|label|hint|format|pattern|regex|used|usage|model|version|izer|ization|ize|ized))$",
    re.IGNORECASE,
)
"""Endings of a name that turn it into something about a secret: `token_count`, `secret_name`, `private_key_id`."""


@dataclass(frozen=True, slots=True)
class Context:
    """Surroundings, the value that stands in them, and the test the value has to pass."""

    name: str
    front: str
    """Up to the value. Its only group, where there is one, is the rest of the telling name."""
    value: str
    is_secret: Callable[[str], bool]
    hint_value: str = ""
    """Found in every value that passes the test, and cheaper to look for."""

    behind: str = ""
    spans_lines: bool = False

    @property
    def pattern(self) -> str:
        return f"{self.front}({self.value}){self.behind}"

    @property
    def hint(self) -> str:
        """Found wherever `pattern` is; counted repetitions are what costs the fast engine most."""
        return _COUNTED.sub("*", self.front) + (self.hint_value or self.value + self.behind)


_COUNTED = re.compile(r"\{\d+,\d+\}")
_RANDOM_HINT = rf"(?:{_VALUE}{{8}}{_VALUE}*[0-9]|{_VALUE}*[0-9]{_VALUE}{{8}})"
"""A digit in sixteen characters has eight before it or eight behind it."""


def is_url_password(value: str) -> bool:
    """Almost anything is, but not a port."""
    return not is_placeholder(value) and not (value.isdigit() and len(value) <= 5)


def is_any(value: str) -> bool:
    """For a value whose shape and name already say all."""
    return bool(value)


_URL = r"[A-Za-z][A-Za-z0-9+.-]{1,20}://"
_AUTHORIZATION = rf"(?i:authorization){_SEPARATOR}{_OPEN}"
_PASSWORD_OPTION = r"--(?:[a-z]+-)*(?:password|passphrase)[ \t=]+[\"']?"
_TOKEN_OPTION = r"--(?:[a-z]+-)*(?:token|secret|api-key|access-key)[ \t=]+[\"']?"
_NETRC = r"machine[ \t]+[^ \t\r\n]+[ \t\r\n]+login[ \t]+[^ \t\r\n]+[ \t\r\n]+password[ \t]+"
_NAMED_PASSWORD = rf"(?i:{PASSWORD_NAME}){_SUFFIX}{_SEPARATOR}"
_NAMED_SECRET = rf"(?i:{TOKEN_NAME}){_SUFFIX}{_SEPARATOR}"
_HOST = r"[A-Za-z0-9_\[{$%-]"

_USER = r"[^ \t\r\n:/?#@\"'`<>\\]{0,100}"
_URL_VALUE = r"[^ \t\r\n/?#\"'`<>\\]{1,200}"
_BASE64 = r"[A-Za-z0-9+/=_-]{8,}"
_BEARER = r"[A-Za-z0-9._~+/=-]{16,}"
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_IN_DOUBLE_QUOTES = r"[^ \t\r\n\"\\]{6,200}"
_IN_SINGLE_QUOTES = r"[^ \t\r\n'\"\\]{6,200}"

CONTEXTS = (
    Context("password", rf"{_URL}{_USER}:", _URL_VALUE, is_url_password, behind=rf"@{_HOST}"),
    Context("url_token", _URL, r"[A-Za-z0-9_-]{20,200}", is_random, behind="@[A-Za-z0-9]"),
    Context("basic_auth", rf"{_AUTHORIZATION}(?i:basic)[ \t]+", _BASE64, is_basic_credential),
    Context("basic_auth", rf"(?:_auth|\"auth\\?\"){_SEPARATOR}{_OPEN}", _BASE64, is_basic_credential),
    Context("bearer_token", rf"{_AUTHORIZATION}(?:(?i:bearer|token|bot|apikey|digest)[ \t]+)?", _BEARER, is_random),
    Context("bearer_token", r"(?i:bearer)[ \t]+", _BEARER, is_random),
    Context("heroku_key", rf"(?i:heroku)[A-Za-z0-9_.-]{{0,20}}{_SEPARATOR}{_OPEN}", _UUID, is_any),
    Context("password", _NETRC, r"[^ \t\r\n\"'\\]{6,200}", is_password, spans_lines=True),
    Context("password", _PASSWORD_OPTION, rf"{_VALUE}{{6,200}}", is_password),
    Context("secret", _TOKEN_OPTION, rf"{_VALUE}{{16,400}}", is_random, _RANDOM_HINT),
    Context("password", rf"{_NAMED_PASSWORD}\\{{0,3}}\"", _IN_DOUBLE_QUOTES, is_password, behind=r"\\{0,3}\""),
    Context("password", rf"{_NAMED_PASSWORD}'", _IN_SINGLE_QUOTES, is_password, behind="'"),
    Context("password", rf"{_NAMED_PASSWORD}{_OPEN}", rf"{_VALUE}{{6,200}}", is_password, rf"{_VALUE}{{6}}"),
    Context("secret", rf"{_NAMED_SECRET}{_OPEN}", rf"{_VALUE}{{16,400}}", is_random, _RANDOM_HINT),
)


def is_about_a_secret(suffix: str) -> bool:
    """Whether the rest of the name says that the value is something else, such as a count or a path."""
    return bool(NOT_A_SECRET.search(suffix))
