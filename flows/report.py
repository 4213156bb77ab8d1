"""The report on demand: the page of the night or of one session, as HTML in a file or as Markdown on stdout."""

import json
from typing import TYPE_CHECKING

from flows import console
from flows.inputs import lake, with_lake
from tasks.domain.errors import UsageError

if TYPE_CHECKING:
    from tasks.domain.settings import Settings

FORMATS = ("html", "markdown")


def run_report(settings: "Settings", session: str | None, form: str) -> int:
    """The report that was asked for; its exit code."""
    if form not in FORMATS:
        raise UsageError(f"--format {form}: give {' or '.join(FORMATS)}")
    if session is not None:
        _show_session(settings, session, form)
    elif form == "markdown":
        _show_brief(settings)
    else:
        _write_page(settings)
    return 0


def _write_page(settings: "Settings") -> None:
    """Writes the page of the night, and says where it is."""
    from tasks.publish import build

    settings, note = with_lake(settings)
    if note:
        console.say(note)
    path = str(build(settings))
    console.show(json.dumps({"report": path}) if settings.json_output else path)


def _show_brief(settings: "Settings") -> None:
    from tasks import brief
    from tasks.report.brief import markdown

    with lake(settings) as (con, layout):
        night = brief.of_night(con, layout)
    console.show(json.dumps(brief.data(night), ensure_ascii=False) if settings.json_output else markdown(night))


def _show_session(settings: "Settings", session: str, form: str) -> None:
    """Prints Markdown, or writes the page and prints where it is; with --json, the data behind it."""
    from flows.select import session_id
    from tasks import publish_session
    from tasks.report.session import markdown

    with lake(settings) as (con, layout):
        one = publish_session.of_session(con, layout, session_id(con, session))
    if settings.json_output:
        console.show(json.dumps(publish_session.data(one), ensure_ascii=False))
    elif form == "markdown":
        console.show(markdown(one))
    else:
        console.show(str(publish_session.write(layout, one)))
