"""Writes tasks/readers/LOSSES.md: what no row tells of the sample logs, by agent, version and type of record.

Run it after a reader learned something or a sample came: `python tests/losses.py`, with the checkout and tests/ on PYTHONPATH.
"""

from collections.abc import Iterator
from pathlib import Path

from readings import head_of, records_of

from tasks.domain.records import SourceHint
from tasks.readers import registry
from tasks.readers.losses import Field, tried

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "tasks" / "readers" / "LOSSES.md"
PLACES = (ROOT / "data" / "samples", ROOT / "tests" / "migrations" / "versions")
BEGINNING = """\
# What the lake does not hold

Written by `tests/losses.py`, which takes each field of the sample logs away, and changes it, and looks whether any row is
another. What is listed is whole in `raw/`, and no row tells it; some of it says again what another record says. For the logs of
a lake of yours: `midwatch migrate --lake --dry-run`. Fields that no sample has are not here.

| agent | version | record | fields |
|---|---|---|---|
"""


def page() -> str:
    """The page as it should be."""
    return BEGINNING + "".join(_lines())


def _lines() -> Iterator[str]:
    """A field counts as lost when no sample that has it tells it."""
    found: dict[tuple[str, Field], bool] = {}
    for log in sorted(log for place in PLACES for log in _logs(place)):
        head = head_of(log)
        reader = registry.find(head)
        if reader is None:
            continue
        path = log.relative_to(ROOT).as_posix()
        hint = SourceHint(reader.agent, path, native_id=reader.identify(head, path), form=head.form)
        for field, is_lost in tried(reader, records_of(log, head.form, reader), hint).items():
            found[reader.agent, field] = found.get((reader.agent, field), True) and is_lost
    rows: dict[tuple[str, str, str], list[str]] = {}
    for (agent, field), is_lost in sorted(found.items()):
        is_inside = any(other.startswith(field.name + mark) for mark in ".[" for other in _names(found, agent, field))
        if is_lost and not is_inside:
            rows.setdefault((agent, field.version, field.type), []).append(field.name)
    for (agent, version, kind), names in rows.items():
        yield f"| {agent} | {version or '(none)'} | `{kind}` | {', '.join(f'`{name}`' for name in names)} |\n"


def _names(found: dict[tuple[str, Field], bool], agent: str, like: Field) -> list[str]:
    return [one.name for owner, one in found if (owner, one.version, one.type) == (agent, like.version, like.type)]


def _logs(place: Path) -> Iterator[Path]:
    """The files of a place; a folder that is a log as a whole counts as one."""
    for path in sorted(place.rglob("*")):
        if path.is_file() and path.suffix != ".md":
            yield path


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
