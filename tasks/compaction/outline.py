"""A context with one line per item, as `midwatch outline` shows a session. Pure."""

from collections.abc import Callable, Iterable, Iterator

from tasks.compaction.plan import MARK
from tasks.domain.item import Item
from tasks.domain.visible import fenced, visible

START_CHARS = 200


def outline(items: Iterable[Item], count: Callable[[str], int]) -> Iterator[str]:
    """Place in the context, turn, tokens, kind, tool, path, what became of it, and how its text begins."""
    for at, item in enumerate(items):
        tokens = count(item.text) if item.tokens is None else item.tokens
        what = " ".join(part for part in (item.kind, item.tool_name, item.path) if part)
        made = ", ".join(flag.removeprefix(MARK) for flag in item.flags if flag.startswith(MARK))
        note = f"  [{made}]" if made else ""
        start = " ".join(item.text[:START_CHARS].split())
        yield f"{at:>5} t{item.turn or 0:<4} {tokens:>7,}  {what}{note}  {start}".rstrip()


def as_markdown(items: Iterable[Item]) -> str:
    """The context for people: each item under a heading, its text fenced, since it is a record and no Markdown."""
    lines: list[str] = []
    for at, item in enumerate(items):
        made = [flag.removeprefix(MARK) for flag in item.flags if flag.startswith(MARK)]
        what = " · ".join(visible(part) for part in (item.kind, item.tool_name, *made) if part)
        lines += [f"## {at}. {what}", "", *fenced(visible(item.text)), ""]
    return "\n".join(lines).rstrip() + "\n"
