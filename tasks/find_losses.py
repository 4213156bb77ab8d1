"""What the lake does not hold of the logs: for each agent and version a log of raw/ is tried, field by field."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import duckdb

from tasks.domain.errors import DamageError
from tasks.domain.kinds import Form
from tasks.domain.ports import Progress
from tasks.domain.records import Books, Record, SourceHint
from tasks.domain.settings import Settings
from tasks.readers import forms, registry
from tasks.readers.losses import MOST_RECORDS, losses
from tasks.store import catalog, manifest, raw
from tasks.store.layout import Layout

MOST_BYTES = 256 << 10
"""The longest log up to there says most; where a version has none, its shortest one is tried."""
NEWEST_VERSIONS = 3
_AGENTS = frozenset(reader.agent for reader in registry.READERS)
_LOGS = """
    with logs as (
        select sources.agent, records.agent_version as version, source_id, generation, any_value(sources.path) as path,
            any_value(sources.native_id) as native_id, any_value(sources.form) as form, any_value(sources.bytes) as bytes,
            any_value(sources.raw_bytes) as raw_bytes, max(sources.last_changed_at) as changed_at
        from lake.records as records inner join lake.sources as sources using (source_id, generation)
        group by all
    ),
    versions as (
        select *, max(changed_at) over (partition by agent, version) as newest,
            row_number() over (
                partition by agent, version
                order by bytes <= $most desc, case when bytes <= $most then -bytes else bytes end, source_id, generation
            ) as place
        from logs
    )
    select agent, coalesce(version, ''), source_id, generation, path, coalesce(native_id, ''), form, raw_bytes
    from versions where place = 1
    qualify row_number() over (partition by agent order by version is null, newest desc, version desc) <= $newest
    order by agent, version nulls first
"""


@dataclass(frozen=True, slots=True)
class Lost:
    """Fields of one type of record that no row tells."""

    agent: str
    version: str
    type: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Log:
    agent: str
    version: str
    source_id: str
    generation: int
    path: str
    native_id: str
    form: str
    raw_bytes: int


def find_losses(settings: Settings, progress: Progress) -> list[Lost]:
    """For each agent, its newest versions in the lake. A copy that cannot be read tells nothing."""
    layout = Layout(settings.data)
    now = manifest.latest(layout)
    with catalog.explained(layout, now), duckdb.connect(":memory:") as con:
        catalog.define(con, layout, now)
        found = con.execute(_LOGS, {"most": MOST_BYTES, "newest": NEWEST_VERSIONS}).fetchall()
    logs = [log for log in (_Log(*row) for row in found) if log.agent in _AGENTS and log.form != Form.DATABASE]
    progress.start("comparing logs with the lake", len(logs))
    lost = [one for log in logs for one in _lost(layout, log, progress)]
    progress.finish()
    return lost


def _lost(layout: Layout, log: _Log, progress: Progress) -> Iterator[Lost]:
    reader, form = registry.by_agent(log.agent), Form(log.form)
    try:
        with raw.open_copy(layout.raw_log(log.agent, log.source_id, log.generation), log.raw_bytes) as plain:
            parts = forms.read(plain, form, reader, Books(), final=True)
            records = list(islice((part for part in parts if isinstance(part, Record)), MOST_RECORDS))
    except DamageError:
        records = []
    by_type: dict[str, list[str]] = {}
    for loss in losses(reader, records, SourceHint(log.agent, log.path, log.source_id, log.native_id, form)) if records else ():
        if loss.version == log.version:
            by_type.setdefault(loss.type, []).append(loss.name)
    progress.advance()
    yield from (Lost(log.agent, log.version, kind, tuple(fields)) for kind, fields in sorted(by_type.items()))
