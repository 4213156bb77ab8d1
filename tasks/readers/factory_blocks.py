"""Words that both dialects of Droid share."""

from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.readers.draft import Draft
from tasks.readers.values import canonical, fields, split_tagged, text

_TAGS = ("system-reminder", "system-notification")


def prompt(draft: Draft, said: str, **facts: Any) -> None:
    """A person's words, apart from the reminders that the program puts around them."""
    for tag, inside in split_tagged(said, _TAGS):
        if inside:
            draft.item(ItemKind.INJECTED if tag else ItemKind.USER_TEXT, inside, role="user", **facts)


def words(content: Any) -> str:
    """What a tool gave, as text: a text, parts, or the streams of a command."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(one if isinstance(one, str) else text(fields(one).get("text")) or canonical(one) for one in content)
    given = fields(content)
    streams = [given.get(name) for name in ("stdout", "stderr")]
    if any(isinstance(one, str) for one in streams):
        return "\n".join(one for one in streams if isinstance(one, str) and one)
    return "" if content is None else canonical(content)
