"""TraeX: a clone of Codex. Its rollouts are Codex's in all but the provider's name, and so are the rules."""

from tasks.domain.records import Head
from tasks.readers import codex_claims
from tasks.readers.codex import Codex


class TraeX(Codex):
    """The reader of TraeX's rollouts."""

    agent = "traex"
    version = 2

    def claims(self, head: Head) -> bool:
        return codex_claims.claims(head.objects) and codex_claims.is_traex(head.objects)
