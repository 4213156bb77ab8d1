"""`midwatch doctor`: what a person wants to know of an installation that does not do what it should."""

import json
import os
import platform
import urllib.request
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from flows import console
from tasks.domain.errors import MidwatchError

if TYPE_CHECKING:
    from tasks.domain.settings import Settings

PACKAGES = ("midwatch", "prefect", "duckdb", "pyarrow", "tiktoken", "litellm")
SECONDS = 3

Finding = tuple[bool, str]
"""Whether all is well, and the finding in words."""


def examine(settings: "Settings") -> int:
    """Prints every finding; 1 when one of them keeps a night from running."""
    findings = {name: _guarded(check, settings) for name, check in CHECKS.items()}
    if settings.json_output:
        console.show(json.dumps({name: {"is_well": well, "finding": words} for name, (well, words) in findings.items()}))
    else:
        console.show("\n".join(f"  {'ok' if well else '!!'}  {name:<11} {words}" for name, (well, words) in findings.items()))
    return 0 if all(well for well, _ in findings.values()) else 1


def _guarded(check: Callable[["Settings"], Finding], settings: "Settings") -> Finding:
    try:
        return check(settings)
    except (MidwatchError, OSError) as error:
        return False, str(error)


def _versions(_: "Settings") -> Finding:
    return True, f"Python {platform.python_version()}, " + ", ".join(f"{name} {installed(name)}" for name in PACKAGES)


def installed(name: str) -> str:
    """Version of a package, in words where there is none."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed" if name != "midwatch" else "from its checkout"


def _data(settings: "Settings") -> Finding:
    folder = settings.data
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if not os.access(existing, os.W_OK):
        return False, f"{existing} cannot be written; give --data another folder"
    return True, f"{folder}{'' if existing == folder else ' (made by the first night)'}"


def _lake(settings: "Settings") -> Finding:
    from tasks.store.layout import Layout
    from tasks.store.manifest import latest

    manifest = latest(Layout(settings.data))
    if manifest.snapshot:
        return True, f"snapshot {manifest.snapshot}, {len(manifest.parts):,} parts"
    has_samples = latest(Layout(settings.data).demo).snapshot > 0
    return True, "empty; questions are answered from the samples' own" if has_samples else "empty"


def _lock(settings: "Settings") -> Finding:
    from tasks.store.layout import Layout
    from tasks.store.lock import holder

    held = holder(Layout(settings.data).lock)
    return True, f"held by {held}" if held else "free"


def _logs(settings: "Settings") -> Finding:
    from tasks.domain.standard_places import standard_places

    places = settings.archive or standard_places()
    if missing := [str(place) for place in places if not place.exists()]:
        return False, f"{', '.join(missing)}: no such folder"
    counts = (f"{place} ({sum(1 for path in (place, *place.rglob('*')) if path.is_file()):,} files)" for place in places)
    return True, ", ".join(counts) or "none in the standard places; the packaged samples would be shown"


def _vocabulary(_: "Settings") -> Finding:
    from tasks.tokens.counter import Counter

    counter = Counter()
    return counter.count("the middle watch").tokens > 0, f"{counter.name}, on this machine"


def _prefect(_: "Settings") -> Finding:
    from flows.quiet import prefect_api

    url = prefect_api()
    if url is None:
        return True, "no server is configured; nights run in one process"
    try:
        with urllib.request.urlopen(f"{url.rstrip('/')}/health", timeout=SECONDS) as reply:
            return reply.status == 200, f"{url} answers"
    except (OSError, ValueError) as error:
        return False, f"{url} does not answer ({error}); start it, or use --runner local"


def _model(_: "Settings") -> Finding:
    return True, "none is named; nothing leaves this machine"


CHECKS: dict[str, Callable[["Settings"], Finding]] = {
    "versions": _versions,
    "data": _data,
    "lake": _lake,
    "lock": _lock,
    "logs": _logs,
    "vocabulary": _vocabulary,
    "Prefect": _prefect,
    "model": _model,
}
