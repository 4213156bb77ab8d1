"""Reports as Markdown, for terminals, issues and pull requests. Every text of a log stands in a table, as code.

Code shows a text as it is: no link, picture, tag or mention in it acts, so nothing is fetched and nobody is called. Only our
own words (`Markup`) and numbers go out as they are.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from tasks.domain.visible import clip, code
from tasks.report import words
from tasks.report.templates import text_of

_PIPES = re.compile(r"(\\*)\|")


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The environment that renders `*.md.jinja` of this room by name."""
    made = Environment(
        autoescape=False, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_cell, auto_reload=False,
        loader=FunctionLoader(text_of), keep_trailing_newline=True,
    )  # fmt: skip
    told = (words.compact, words.exact, words.percent, words.money, words.size, words.day, words.minute, words.duration)
    made.filters |= {told_by.__name__: _ours(told_by) for told_by in told}
    made.filters |= {"clip": clip, "inside": words.inside, "ours": Markup, "said": _said}
    return made


def cell(text: str | None) -> str:
    """Foreign text as code that may stand in a table."""
    return _PIPES.sub(_pipe, code(text))


def _cell(value: Any) -> Any:
    """Every value of a template comes through here."""
    return cell(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _pipe(match: re.Match[str]) -> str:
    """An odd run of backslashes would escape the one that keeps the pipe in its cell."""
    return match[1] + (r"\x7c" if len(match[1]) % 2 else r"\|")


def _ours(write: Callable[..., str]) -> Callable[..., Markup]:
    """A number in our own notation."""
    return lambda *given: Markup(write(*given))


def _said(name: str | None, known: Mapping[str, str], other: str = "–") -> str:
    """Our words for a name of the lake; a name that has none is shown as it is."""
    if name is None:
        return Markup(other)
    return Markup(known[name]) if name in known else name
