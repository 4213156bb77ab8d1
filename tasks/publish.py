"""Writes the nightly page, only when the lake or the handoffs changed, and keeps a line of each night beside it."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from tasks.ask import answers
from tasks.domain.settings import Settings
from tasks.store import durable, manifest, sql
from tasks.store.layout import Layout

GENERATOR = 2
"""Raised when the same lake, template and SQL give another page."""
POLICY = {"retries": 1, "retry_delay_seconds": 5}
HEAD_BYTES = 2_048
"""The stamp stands in the beginning of the page."""


def build(settings: Settings) -> Path:
    """The page's path; written anew when it was made from another snapshot, other handoffs or an older generator."""
    layout = Layout(settings.data)
    path = layout.reports / "index.html"
    snapshot = manifest.latest(layout).snapshot
    index = _handoff_index(layout)
    stamp = f"{GENERATOR}-{snapshot}-{_made_from(index)}"
    if f'name="midwatch-stamp" content="{stamp}"' not in _head(path):
        layout.prepare()
        page, nights = _page(layout, snapshot, stamp, _addresses(layout, index))
        if nights:
            durable.write_whole(layout.nights, nights)
        durable.write_whole(path, page.encode())
    return path


def _made_from(index: bytes) -> str:
    """Hash of all that shapes the page beside the lake: its templates, the questions of SQL, and the handoffs there are."""
    from tasks.report import templates

    told = hashlib.sha256()
    for name in templates.names():
        told.update(templates.text_of(name).encode())
    for name in sql.names("analysis"):
        told.update(sql.load(name).text.encode())
    told.update(index)
    return told.hexdigest()[:16]


def _page(layout: Layout, snapshot: int, stamp: str, handoffs: Mapping[str, str]) -> tuple[str, bytes]:
    """(the page, the lines of all nights with this one)"""
    from tasks.report import nights
    from tasks.report.page import QUESTIONS, Nightly, render
    from tasks.store import catalog
    from tasks.store.offenders import offenders

    with catalog.connect(layout) as con:
        found = answers(con, QUESTIONS)
        archive = sql.run(con, sql.load("views/archive")).dicts()[0]
        odd = {name: (rows, sql.load(f"checks/{name}").question) for name, rows in offenders(con).items()}
    tonight = nights.tonight(found, snapshot, len(handoffs), odd)
    known = nights.with_tonight(nights.read(_known(layout)), tonight) if tonight else []
    return render(Nightly(found, archive, snapshot, stamp, handoffs, known, odd)), nights.told(known)


def _known(layout: Layout) -> bytes:
    try:
        return layout.nights.read_bytes()
    except FileNotFoundError:
        return b""


def _head(path: Path) -> str:
    try:
        with path.open("rb") as page:
            return page.read(HEAD_BYTES).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""


def _handoff_index(layout: Layout) -> bytes:
    try:
        return (layout.handoffs / "index.json").read_bytes()
    except FileNotFoundError:
        return b"{}"


def _addresses(layout: Layout, index: bytes) -> dict[str, str]:
    """Sessions with a document, and where it is as seen from the page."""
    try:
        entries = json.loads(index).get("sessions", {}).values()
        return {entry["session_id"]: f"../{layout.handoffs.name}/{entry['file']}.md" for entry in entries if entry["file"]}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
