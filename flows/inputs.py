"""Which logs a run reads and which lake a question is asked of, when the caller named neither."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from flows import console
from tasks.domain.errors import UsageError
from tasks.domain.settings import Settings
from tasks.domain.standard_places import standard_places

if TYPE_CHECKING:
    import duckdb

    from tasks.store.layout import Layout


def with_archive(settings: Settings) -> tuple[Settings, str]:
    """The settings with an archive to read, and one line that says so when it is not the caller's own.

    Without --archive: the standard places of the agents; where those hold no file and the lake is empty, the packaged
    samples, in a lake of their own.
    """
    for folder in settings.archive:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder that can be read; give --archive the folder that holds the logs")
    if settings.archive:
        empty = [str(folder) for folder in settings.archive if not _has_file(folder)]
        return settings, f"no file in {', '.join(empty)}: is that the folder of the logs?" if empty else ""
    places = tuple(place for place in standard_places() if _has_file(place))
    if places:
        return settings.model_copy(update={"archive": places}), f"reading {', '.join(map(str, places))}"
    if has_lake(settings.data):
        return settings, "no agent logs in the standard places; the lake stays as it is. Point --archive at a folder of logs"
    from tasks.store.samples import samples_dir

    # One folder per agent: the page beside them, for people, would be told as a log of no known agent.
    logs = tuple(sorted(place for place in samples_dir().iterdir() if place.is_dir()))
    demo = settings.model_copy(update={"archive": logs, "data": _demo(settings.data)})
    return demo, f"no agent logs found here: showing the packaged samples, in a lake of their own ({demo.data})"


def with_lake(settings: Settings) -> tuple[Settings, str]:
    """The settings with a lake to ask, and one line when it is the samples' one. UsageError when there is none yet."""
    if has_lake(settings.data):
        return settings, ""
    if has_lake(_demo(settings.data)):
        demo = settings.model_copy(update={"data": _demo(settings.data)})
        return demo, f"this is the lake of the packaged samples ({demo.data})"
    raise UsageError(
        f"there is no lake in {settings.data} yet; run `midwatch nightly --archive DIR`, or give --data another folder"
    )


@contextmanager
def lake(settings: Settings) -> Iterator[tuple["duckdb.DuckDBPyConnection", "Layout"]]:
    """The newest snapshot, read-only, and where it lies."""
    from tasks.store import catalog
    from tasks.store.layout import Layout

    settings, note = with_lake(settings)
    if note:
        console.say(note)
    layout = Layout(settings.data)
    with catalog.connect(layout) as con:
        yield con, layout


def has_lake(data: Path) -> bool:
    """Whether anything was ever committed there."""
    from tasks.store.layout import Layout
    from tasks.store.manifest import snapshots

    return bool(snapshots(Layout(data)))


def _demo(data: Path) -> Path:
    from tasks.store.layout import Layout

    return Layout(data).demo.data


def _has_file(place: Path) -> bool:
    return place.is_file() or any(path.is_file() for path in place.rglob("*"))
