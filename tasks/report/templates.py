"""The page templates of this room: every text on a page is escaped, and what cannot be seen in it is written out."""

from functools import lru_cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from tasks.domain.visible import clip, visible
from tasks.report import charts, words


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The environment that renders `*.html.jinja` of this room by name."""
    made = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_seen, auto_reload=False,
        loader=FunctionLoader(text_of),
    )  # fmt: skip
    made.globals["style"] = Markup(text_of("style.css"))
    made.filters |= {
        "compact": words.compact, "exact": words.exact, "percent": words.percent, "money": words.money, "size": words.size,
        "day": words.day, "minute": words.minute, "duration": words.duration, "short_path": words.short_path,
        "inside": words.inside, "clip": clip, "share": charts.share, "added": words.added, "added_money": words.added_money,
    }  # fmt: skip
    return made


def text_of(name: str) -> str:
    """A template or the style sheet."""
    return resources.files("tasks.report").joinpath(name).read_text(encoding="utf-8")


def names() -> list[str]:
    """All files that shape a page."""
    return sorted(file.name for file in resources.files("tasks.report").iterdir() if file.name.endswith((".jinja", ".css")))


def _seen(value: Any) -> Any:
    """Every text on a page comes through here."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
