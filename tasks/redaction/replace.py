"""Secrets out, placeholders in. Equal secrets get equal placeholders, under one key, on every rebuild."""

import hashlib
import hmac
from dataclasses import dataclass

from tasks.redaction.detect import Found, find

REDACTION_VERSION = 1
"""Raised when a text may come out otherwise than before: its source is then written again."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets. `count` is how many were taken out of it; 0 means `text` is the very text given."""

    text: str
    count: int


class Redactor:
    """Replaces each secret by `[REDACTED:type:hmac8]`. Applying it twice changes nothing more."""

    def __init__(self, key: bytes) -> None:
        """`key` is random and stays on this machine: without it a placeholder says nothing about the secret."""
        self._key = key

    def redact(self, text: str) -> Redacted:
        """A secret cut loose by the replacement of its neighbor is found in the next round."""
        count = 0
        while found := find(text):
            text = self._replaced(text, found)
            count += len(found)
        return Redacted(text, count)

    def placeholder(self, secret: str, kind: str) -> str:
        digest = hmac.new(self._key, secret.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        return f"[REDACTED:{kind}:{digest[:8]}]"

    def _replaced(self, text: str, found: list[Found]) -> str:
        parts: list[str] = []
        last = 0
        for start, end, kind in found:
            parts += text[last:start], self.placeholder(text[start:end], kind)
            last = end
        return "".join((*parts, text[last:]))
