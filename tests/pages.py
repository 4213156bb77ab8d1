"""Reads reports as those would who show them: pages as tags and text, Markdown as tokens."""

from html.parser import HTMLParser

from markdown_it import MarkdownIt
from markdown_it.token import Token

HOSTILE = "</title><script>alert(1)</script><img src=//x.example/i onerror=alert(2)>\"'`\x1b[31m\u202egnp.exe\u200b{{ 7*7 }}"
"""What a log may hold to make a page act."""


class Tags(HTMLParser):
    """Tags and their attributes, in order; the text apart; those left open at the end."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(markdown: str) -> list[Token]:
    """All tokens of Markdown with tables, those inside of others too."""
    found: list[Token] = []
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        found += [token, *(token.children or [])]
    return found
