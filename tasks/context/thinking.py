"""How long a provider keeps the model's thinking in the window."""

import re
from enum import StrEnum
from functools import cache


class Kept(StrEnum):
    """Until when thinking is sent back."""

    ALWAYS = "always"
    TURN = "turn"
    """Until the next prompt."""
    NEVER = "never"


_FAMILY = re.compile(r"(opus|sonnet|haiku)-(\d{1,2})(?:-(\d{1,2}))?(?:-|$|@|\[)")
_KEEPS_SINCE = {"opus": (4, 5), "sonnet": (4, 6), "haiku": (4, 6)}


@cache
def kept(model: str | None) -> Kept:
    """Kimi keeps thinking of earlier turns, and Claude since Opus 4.5 and Sonnet 4.6; Gemini's is not sent back at all; all
    others get what they thought since the last prompt (OpenAI's models in a form that only they can read)."""
    name = (model or "").lower()
    if "gemini" in name:
        return Kept.NEVER
    if "claude" not in name:
        return Kept.ALWAYS if "kimi" in name else Kept.TURN
    found = _FAMILY.search(name)
    if found is None:
        return Kept.TURN if "claude-3" in name else Kept.ALWAYS
    return Kept.ALWAYS if (int(found[2]), int(found[3] or 0)) >= _KEEPS_SINCE[found[1]] else Kept.TURN
