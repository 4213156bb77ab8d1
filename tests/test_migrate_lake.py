"""A lake of an older schema answers as it will once it is written anew, and writing it anew may end at any step."""

import json
import shutil
from pathlib import Path

import duckdb
import pytest
import specimen
from kills import killed_at
from lakes import ask, fingerprint, night
from logs import ClaudeLog, CodexLog
from older_lakes import downgraded, untold

from tasks import find_losses, maintain, migrate_lake
from tasks.domain.errors import DamageError, MidwatchError, UsageError
from tasks.domain.ports import Silent
from tasks.domain.settings import Settings
from tasks.readers.claude_code import ClaudeCode
from tasks.store import catalog, durable, manifest, migrations
from tasks.store.layout import Layout
from tasks.store.schemas import RECORDS, TABLES

STEPS = {
    "0001__sources__add_form": "sources",
    "0002__records__add_origin": "records",
    "0003__seen_items__add_place": "seen_items",
    "0004__seen_requests__add_place": "seen_requests",
    "0005__seen_compactions__add_place": "seen_compactions",
    "0006__seen_items__add_opaque_chars": "seen_items",
    "0007__items__add_opaque_chars": "items",
    "0008__reconciliation__add_money": "reconciliation",
    "0009__residency__add_money_and_uses": "residency",
    "0010__cache_misses__add_cost": "cache_misses",
    "0011__seen_items__add_image_size_and_branch": "seen_items",
    "0012__items__add_image_size": "items",
    "0013__placements__add_branch": "placements",
}
"""From version 1 to today's, with the table that each leads on."""
FIRST = {table: name for name, table in reversed(STEPS.items())}
"""The first step of each table, which every part of version 1 takes."""


@pytest.fixture(scope="module")
def today(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake of two nights, in today's schema, with superseded rows, in which no new column tells what an old one could not."""
    folder = tmp_path_factory.mktemp("today")
    data = specimen.data(folder, is_sealed=False)
    ClaudeLog("late").prompt("Card.").answer("Carded.").write(folder / "archive")
    grown = CodexLog("spin-2").prompt("Spin more.").answer("Spun.")
    grown.write(folder / "archive")
    night(folder / "archive", data)
    grown.prompt("And more.").answer("Spun again.").write(folder / "archive")
    night(folder / "archive", data)
    assert manifest.latest(Layout(data)).superseded
    assert untold(data) > 2
    return folder


@pytest.fixture
def old(today: Path, tmp_path: Path) -> Path:
    """The same lake as version 1 wrote it."""
    data = tmp_path / "data"
    shutil.copytree(today / "data", data)
    assert downgraded(data) > 4
    return data


def plan(data: Path) -> migrate_lake.LakePlan:
    return migrate_lake.plan_lake(Settings(data=data))


def migrated(data: Path) -> migrate_lake.LakeReport:
    return migrate_lake.migrate_lake(Settings(data=data), Silent())


def test_every_step_leads_to_the_version_that_the_table_has():
    assert {name: 1 + len(found) for name, found in migrations.steps().items()} == {
        name: table.version for name, table in TABLES.items() if table.version > 1
    }


def test_steps_are_numbered_in_one_row():
    names = sorted(step.name for found in migrations.steps().values() for step in found)
    assert [name[:4] for name in names] == [f"{n:04}" for n in range(1, len(names) + 1)]


def test_old_parts_are_read_as_they_would_be_written_today(today: Path, old: Path):
    assert {part.version for part in manifest.latest(Layout(old)).parts} == {1}
    assert fingerprint(old) == fingerprint(today / "data")
    assert ask(old, "select distinct form from sources") == [("lines",)]
    assert ask(old, "select distinct origin from records") == [("",)]


def test_parts_of_several_versions_are_read_together(today: Path, old: Path):
    for table in ("sources", "records"):
        shutil.rmtree(old)
        shutil.copytree(today / "data", old)
        downgraded(old, table)
        assert fingerprint(old) == fingerprint(today / "data")


def test_a_condition_is_taken_down_to_old_parts(old: Path):
    """By their statistics no file can hold such a row, so none is opened."""
    with catalog.connect(Layout(old)) as con:
        told = con.execute("explain select count(*) from records where source_id = 'x'").fetchall()[0][1]
    assert "Empty Result" in told
    assert "PARQUET" not in told.upper()


def test_the_plan_lists_steps_files_and_rows(old: Path):
    now = manifest.latest(Layout(old))
    found = {step.step: (step.table, step.files, step.rows, step.bytes) for step in plan(old).steps}
    assert found == {
        name: (table, len(now.of(table)), sum(part.rows for part in now.of(table)), sum(part.bytes for part in now.of(table)))
        for name, table in STEPS.items()
        if now.of(table)
    }


def test_planning_writes_nothing(old: Path):
    before = {path: path.stat().st_mtime_ns for path in old.rglob("*")}
    plan(old)
    find_losses.find_losses(Settings(data=old), Silent())
    assert {path: path.stat().st_mtime_ns for path in old.rglob("*")} == before


def test_a_migrated_lake_has_the_same_rows_in_parts_of_today_and_says_what_was_done(today: Path, old: Path):
    before = manifest.latest(Layout(old))
    report = migrated(old)
    after = manifest.latest(Layout(old))
    assert {part.table: part.version for part in after.parts} == {
        part.table: TABLES[part.table].version for part in after.parts
    }
    assert fingerprint(old) == fingerprint(today / "data")
    assert (after.superseded, len(after.parts)) == (before.superseded, len(before.parts))
    parts = {name: before.of(table) for name, table in STEPS.items() if before.of(table)}
    old_parts = [part for name in FIRST.values() for part in parts.get(name, ())]
    assert (report.files, report.rows) == (len(old_parts), sum(part.rows for part in old_parts))
    recorded = {entry["step"]: (entry["files"], entry["rows"], entry["is_done"]) for entry in after.facts["migrations"]}
    assert recorded == {name: (len(table), sum(part.rows for part in table), True) for name, table in parts.items()}
    assert after.facts["schema_versions"] == {name: table.version for name, table in TABLES.items()}
    assert {name: fact for name, fact in before.facts.items() if name != "schema_versions"}.items() <= after.facts.items()


def test_a_second_migration_does_nothing(old: Path):
    migrated(old)
    before = {path: path.stat().st_mtime_ns for path in (old / "lake").rglob("*")}
    report = migrated(old)
    assert (report.files, report.steps, plan(old).steps) == (0, [], [])
    assert {path: path.stat().st_mtime_ns for path in (old / "lake").rglob("*")} == before


def test_old_files_stay_for_readers_of_the_snapshot_before(old: Path):
    layout = Layout(old)
    with catalog.connect(layout) as con:
        before = con.execute("select count(*) from records").fetchone()
        migrated(old)
        assert con.execute("select count(*) from records").fetchone() == before


def test_a_night_over_an_old_lake_is_like_one_over_a_new_one(today: Path, old: Path, tmp_path: Path):
    archive = tmp_path / "archive"
    shutil.copytree(today / "archive", archive)
    new = tmp_path / "new"
    shutil.copytree(today / "data", new)
    ClaudeLog("later").prompt("Full.").answer("Fulled.").write(archive)
    for data in (old, new):
        night(archive, data)
    assert fingerprint(old) == fingerprint(new)
    assert {part.version for part in manifest.latest(Layout(old)).of("records")} == {1, 2}
    migrated(old)
    night(archive, old)
    assert fingerprint(old) == fingerprint(new)


def test_a_night_keeps_the_record_of_migrations(today: Path, old: Path, tmp_path: Path):
    archive = tmp_path / "archive"
    shutil.copytree(today / "archive", archive)
    migrated(old)
    recorded = manifest.latest(Layout(old)).facts["migrations"]
    ClaudeLog("later").prompt("Full.").answer("Fulled.").write(archive)
    assert night(archive, old).is_committed
    assert manifest.latest(Layout(old)).facts["migrations"] == recorded
    assert plan(old).recorded == recorded


def test_maintenance_brings_old_parts_along_and_records_it(today: Path, old: Path):
    maintain.maintain(Settings(data=old), Silent())
    after = manifest.latest(Layout(old))
    assert migrations.older_parts(after) == []
    assert fingerprint(old) == fingerprint(today / "data")
    assert all(entry["is_done"] for entry in after.facts["migrations"])


def test_ended_at_every_step_a_lake_is_whole_and_the_next_run_goes_on(
    today: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A commit for every part, so that every step is met with some parts done and some not."""
    monkeypatch.setattr(migrate_lake, "COMMIT_BYTES", 1)
    old = tmp_path / "data"
    shutil.copytree(today / "data", old)
    downgraded(old, "sources", "seen_items")
    expected, at, partly = fingerprint(today / "data"), 0, 0
    data = tmp_path / "killed"
    total = len(migrations.older_parts(manifest.latest(Layout(old))))
    while True:
        at += 1
        if data.exists():
            shutil.rmtree(data)
        shutil.copytree(old, data)
        if not killed_at(at, lambda: migrated(data)):
            break
        left = len(migrations.older_parts(manifest.latest(Layout(data))))
        partly += 0 < left < total
        if at % 3 == 0:
            assert fingerprint(data) == expected
        migrated(data)
        after = manifest.latest(Layout(data))
        assert migrations.older_parts(after) == []
        firsts = [entry["files"] for entry in after.facts["migrations"] if entry["step"] in FIRST.values()]
        assert sum(firsts) == total
        assert fingerprint(data) == expected
    assert at > 5 * total
    assert partly > total


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), MemoryError()], ids=["disk full", "no memory"])
def test_failing_at_any_step_is_told_and_healed(today: Path, old: Path, fault: BaseException, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(migrate_lake, "COMMIT_BYTES", 1)
    expected = fingerprint(today / "data")
    for at in range(1, 200, 4):
        count = 0

        def fail(name: str, at: int = at) -> None:
            nonlocal count
            count += 1
            if count == at:
                raise fault

        monkeypatch.setattr(durable, "on_step", fail)
        try:
            migrated(old)
        except MidwatchError as error:
            assert str(old) in str(error) or "memory" in str(error)
        monkeypatch.setattr(durable, "on_step", lambda name: None)
        assert fingerprint(old) == expected
        if count < at:
            break
    assert plan(old).steps == []


def test_a_damaged_part_is_not_written_anew(old: Path):
    layout = Layout(old)
    part = manifest.latest(layout).of("records")[0]
    path = manifest.path_of(layout, part)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.chmod(0o600)
    path.write_bytes(content)
    with pytest.raises(DamageError, match=path.name):
        migrated(old)
    path.unlink()
    with pytest.raises(DamageError, match=path.name):
        plan(old)


def test_a_lake_of_a_newer_midwatch_is_refused(today: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    data = tmp_path / "data"
    shutil.copytree(today / "data", data)
    older = {**TABLES, "records": type(RECORDS)(*(getattr(RECORDS, name) for name in RECORDS.__slots__[:-1]), version=1)}
    monkeypatch.setattr(catalog, "TABLES", older)
    with duckdb.connect() as con, pytest.raises(UsageError, match="written in version 2 by a newer midwatch"):
        catalog.define(con, Layout(data), manifest.latest(Layout(data)))


def test_a_catalog_of_other_tables_is_made_again(today: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The snapshot is the same, but midwatch was updated."""
    data = tmp_path / "data"
    shutil.copytree(today / "data", data)
    layout = Layout(data)
    with monkeypatch.context() as before:
        before.setattr(catalog, "_definition", lambda: "of some older midwatch")
        catalog.publish(layout, manifest.latest(layout))
        inode = layout.catalog.stat().st_ino
        catalog.connect(layout).close()
        assert layout.catalog.stat().st_ino == inode
    catalog.connect(layout).close()
    assert layout.catalog.stat().st_ino != inode


def test_a_lake_is_built_again_from_copies_that_were_noted_before_a_column_came(today: Path, tmp_path: Path):
    data = tmp_path / "data"
    shutil.copytree(today / "data", data)
    archive = tmp_path / "archive"
    archive.mkdir()
    shutil.rmtree(data / "lake")
    for note in Layout(data).raw.glob("*/*/*.json"):
        values = json.loads(note.read_bytes())
        del values["form"]
        note.write_bytes(json.dumps(values).encode())
    night(archive, data)
    assert ask(data, "select count(*) from records") == ask(today / "data", "select count(*) from records")
    assert ask(data, "select distinct form from sources") == [("lines",)]


def test_a_reader_that_learned_more_reads_its_own_sources_again_and_no_others(
    today: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    data, archive = tmp_path / "data", tmp_path / "archive"
    shutil.copytree(today / "data", data)
    archive.mkdir()
    monkeypatch.setattr(ClaudeCode, "version", ClaudeCode.version + 1)
    commits = """
        select distinct records.source_id, records.commit
        from lake.records as records inner join lake.sources as sources using (source_id) where agent = '{}'
    """
    before = {agent: sorted(ask(data, commits.format(agent))) for agent in ("codex", "claude-code")}
    (reread,) = plan(data).rereads
    assert (reread.agent, reread.reader_version, reread.reader_versions) == (
        "claude-code", ClaudeCode.version, (ClaudeCode.version - 1,),
    )  # fmt: skip
    assert reread.sources == len({source for source, _ in before["claude-code"]})

    night(archive, data)

    after = {agent: sorted(ask(data, commits.format(agent))) for agent in ("codex", "claude-code")}
    assert after["codex"] == before["codex"]
    assert {source for source, _ in after["claude-code"]} == {source for source, _ in before["claude-code"]}
    assert {commit for _, commit in after["claude-code"]} == {manifest.latest(Layout(data)).snapshot}
    assert plan(data).rereads == []


def test_losses_are_told_by_agent_version_and_type(today: Path):
    lost = find_losses.find_losses(Settings(data=today / "data"), Silent())
    found = {(one.agent, one.version, one.type): one.fields for one in lost}
    assert "userType" in found["claude-code", "2.1.30", "user"]
    assert "message.content" not in found["claude-code", "2.1.30", "user"]
