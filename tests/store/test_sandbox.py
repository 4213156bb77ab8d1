"""What the query sandbox answers, what it refuses, and that a refused statement leaves every byte where it was."""

import hashlib
import time
from pathlib import Path

import duckdb
import pytest

from tasks.domain.errors import UsageError
from tasks.store import sandboxed
from tasks.store.sandbox import Answer, Limits, ask

Lake = tuple[Path, Path]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """A catalog over one part, with a secret beside and behind a link. The part is writable, so that only the walls hold."""
    folder = tmp_path_factory.mktemp("lake")
    part, catalog = folder / "lake" / "items" / "part-1.parquet", folder / "lake" / "midwatch.duckdb"
    part.parent.mkdir(parents=True)
    (folder / "secret.txt").write_text("a,b\nsecret,1\n")
    (folder / "lake" / "link.txt").symlink_to(folder / "secret.txt")
    with duckdb.connect() as con:
        con.execute(f"copy (select range as i, 'word ' || range as text from range(10)) to '{part}'")
        con.execute(f"copy (select 1 as i) to '{folder / 'other.parquet'}'")
    with duckdb.connect(str(catalog)) as con:
        con.execute("create schema lake")
        con.execute(f"create view lake.items as select * from read_parquet(['{part}'])")
        con.execute("create view items as select * from lake.items")
    return catalog, part


def run(lake: Lake, text: str, limits: Limits | None = None, **params: object) -> Answer:
    return ask(lake[0], [lake[1]], text, params, limits or Limits())


def fingerprint(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.parametrize(
    "text",
    [
        "select count(*) as n from items",
        "select count(*) as n from items;",
        "with few as (from items) select count(*) as n from few -- a comment at the end",
        "select n from (values (10)) t(n)",
        "select count(*) as n from items where i < $below",
    ],
)
def test_one_reading_statement_is_answered(lake: Lake, text: str) -> None:
    params = {"below": 10} if "$below" in text else {}
    assert ask(lake[0], [lake[1]], text, params, Limits()).rows == [[10]]


@pytest.mark.parametrize("text", ["from items", "table items", "describe items", "show tables", "summarize items"])
def test_short_forms_of_select_are_answered(lake: Lake, text: str) -> None:
    assert run(lake, text).rows


def test_values_arrive_as_json_has_them(lake: Lake) -> None:
    answer = run(
        lake,
        """select date '2026-01-02' as d, timestamp '2026-01-02 03:04:05' as t, 1.25::decimal(18,9) as m, 'nan'::double as x,
        2::hugeint ** 100 as big, [1, 2] as l, {'a': null} as s, 'é' as u, '\\xAB'::blob as b, map {1: 'z'} as k, true as y""",
    )
    row = dict(zip(answer.columns, answer.rows[0], strict=True))
    assert row == {
        "d": "2026-01-02",
        "t": "2026-01-02T03:04:05",
        "m": 1.25,
        "x": None,
        "big": float(2**100),
        "l": [1, 2],
        "s": {"a": None},
        "u": "é",
        "b": "ab",
        "k": {"1": "z"},
        "y": True,
    }


def test_huge_integers_stay_exact(lake: Lake) -> None:
    assert run(lake, "select 170141183460469231731687303715884105727::hugeint").rows == [[2**127 - 1]]


DENIED = {
    "read_text": "from read_text('{root}/secret.txt')",
    "read_blob": "from read_blob('{root}/secret.txt')",
    "read_csv": "from read_csv('{root}/secret.txt')",
    "read_csv_auto": "from read_csv_auto('{root}/secret.txt')",
    "read_single_csv_file": "from read_single_csv_file('{root}/secret.txt')",
    "sniff_csv": "from sniff_csv('{root}/secret.txt')",
    "read_json": "from read_json('{root}/secret.txt')",
    "read_ndjson_objects": "from read_ndjson_objects('{root}/secret.txt')",
    "another parquet file": "from read_parquet('{root}/other.parquet')",
    "parquet_metadata of another file": "from parquet_metadata('{root}/other.parquet')",
    "a file by its name": "from '{root}/other.parquet'",
    "the way up from the lake": "from read_text('{root}/lake/../secret.txt')",
    "the way up from the part": "from read_text('{part}/../../../secret.txt')",
    "a link in the lake": "from read_text('{root}/lake/link.txt')",
    "passwd": "from read_text('/etc/passwd')",
    "the process's own files": "from read_text('/proc/self/environ')",
    "the internet": "from read_csv('http://127.0.0.1:9/x.csv')",
    "glob": "from glob('{root}/*')",
    "glob over the parts": "from read_parquet('{root}/lake/*/*.parquet')",
    "another database": "from read_duckdb('{root}/x.duckdb', table_name='t')",
    "attach": "attach '{root}/new.duckdb' as new",
    "attach in memory": "attach ':memory:' as new",
    "detach": "detach midwatch",
    "copy to a new file": "copy (select 1) to '{root}/out.csv'",
    "copy to a new file in the lake": "copy (select 1) to '{root}/lake/out.csv'",
    "copy to the part": "copy (select 1) to '{part}' (use_tmp_file false)",
    "copy from": "copy items from '{root}/secret.txt'",
    "copy within WITH": "with x as (copy (select 1) to '{root}/out.csv') from x",
    "copy to the part within WITH": "with x as (copy (select 1) to '{part}' (use_tmp_file false)) from x",
    "the same, materialized": "with x as materialized (copy (select 1) to '{part}' (use_tmp_file false)) select 1",
    "the same, after a harmless one": "with y as (select 1), x as (copy (from y) to '{part}' (use_tmp_file false)) from x, y",
    "the same in a subquery": "select (with x as (copy (select 1) to '{part}' (use_tmp_file false)) from x)",
    "the same as a text": "from query('with x as (copy (select 1) to ''{part}'' (use_tmp_file false)) from x')",
    "copy as a text": "from query('copy (select 1) to ''{part}'' (use_tmp_file false)')",
    "the way out of the parentheses": "select 1) union all (select 2",
    "insert within WITH": "with x as (insert into lake.items values (1, 'x') returning *) from x",
    "delete within WITH": "with x as (delete from lake.items returning *) from x",
    "export": "export database '{root}/dump'",
    "import": "import database '{root}/dump'",
    "install": "install httpfs",
    "load": "load httpfs",
    "set": "set enable_external_access = true",
    "set by function": "select set_config('threads', '1')",
    "reset": "reset lock_configuration",
    "set variable": "set variable x = 1",
    "pragma": "pragma database_list",
    "pragma that sets": "pragma threads = 8",
    "call": "call pragma_version()",
    "create": "create table t (i int)",
    "create temp": "create temp table t as select 1",
    "create view": "create or replace temp view items as select 1",
    "create macro": "create temp macro m() as 1",
    "create secret": "create secret s (type s3)",
    "insert": "insert into lake.items values (1, 'x')",
    "update": "update lake.items set i = 1",
    "delete": "delete from lake.items",
    "truncate": "truncate lake.items",
    "drop": "drop view items",
    "alter": "alter view items rename to things",
    "comment": "comment on view items is 'x'",
    "two statements": "select 1; select 2",
    "a write after a read": "select 1; copy (select 1) to '{part}'",
    "no statement": "-- nothing",
    "explain": "explain select 1",
    "explain analyze": "explain analyze select 1",
    "explain analyze of a copy": "explain analyze copy (select 1) to '{part}' (use_tmp_file false)",
    "prepare": "prepare p as select 1",
    "execute": "execute p",
    "transaction": "begin",
    "checkpoint": "checkpoint",
    "vacuum": "vacuum",
    "use": "use lake",
    "logging to a file": "from enable_logging('QueryLog', storage='file', storage_path='{root}/log')",
    "profile to a file": "from enable_profiling(save_location='{root}/profile')",
    "a new grammar": "from add_grammar_extension('x')",
    "python variables": "from job",
    "environment": "select getenv('HOME')",
    "not SQL": "how many tokens did I use?",
    "an unknown column": "select wrods from items",
    "an unknown parameter": "select $x",
}


@pytest.mark.parametrize("text", DENIED.values(), ids=DENIED)
def test_everything_else_is_refused_and_touches_nothing(lake: Lake, text: str, tmp_path: Path) -> None:
    """The inside of the sandbox, here: a process for each of them takes a minute, see the slow test below."""
    root = lake[0].parent.parent
    before = fingerprint(root)
    job = {"catalog": str(lake[0]), "parts": [str(lake[1])], "memory": "1GB", "threads": 2}
    with sandboxed.open_catalog({**job, "scratch": str(tmp_path), "scratch_bytes": 2**30}) as con:  # noqa: SIM117
        with pytest.raises((duckdb.Error, sandboxed.RefusedError, RuntimeError)) as refusal:
            sandboxed.answer(con, sandboxed.admit(con, text.format(root=root, part=lake[1]), {}), {}, 10)
    assert "secret,1" not in str(refusal.value)
    assert fingerprint(root) == before


def refused_by_the_process(lake: Lake, text: str) -> None:
    root = lake[0].parent.parent
    before = fingerprint(root)
    with pytest.raises(UsageError) as refusal:
        run(lake, text.format(root=root, part=lake[1]))
    assert "Traceback" not in str(refusal.value)
    assert fingerprint(root) == before


@pytest.mark.parametrize("name", ["passwd", "a link in the lake", "copy to the part within WITH", "two statements", "not SQL"])
def test_the_process_refuses_in_words(lake: Lake, name: str) -> None:
    refused_by_the_process(lake, DENIED[name])


@pytest.mark.slow
@pytest.mark.parametrize("text", DENIED.values(), ids=DENIED)
def test_the_process_refuses_every_one_of_them(lake: Lake, text: str) -> None:
    refused_by_the_process(lake, text)


def test_settings_say_that_they_are_locked(lake: Lake) -> None:
    text = (
        "select name, value from duckdb_settings() where name in ('enable_external_access', 'lock_configuration') order by name"
    )
    assert run(lake, text).rows == [["enable_external_access", "false"], ["lock_configuration", "true"]]


def test_a_runaway_query_is_stopped_in_time(lake: Lake) -> None:
    started = time.monotonic()
    with pytest.raises(UsageError, match="stopped after 1 seconds"):
        run(lake, "select count(*) from range(10000000) a, range(10000000) b where a.range + b.range = 3", Limits(seconds=1))
    assert time.monotonic() - started < 5


def test_rows_beyond_the_limit_are_cut_and_said_so(lake: Lake) -> None:
    answer = run(lake, "from range(1000000000)", Limits(rows=5))
    assert (answer.rows, answer.is_cut) == ([[0], [1], [2], [3], [4]], True)
    assert not run(lake, "from range(5)", Limits(rows=5)).is_cut


def test_memory_beyond_the_limit_is_a_message(lake: Lake) -> None:
    with pytest.raises(UsageError, match="Out of Memory"):
        run(lake, "select length(string_agg(repeat('x', 1000), '')) from range(1000000)", Limits(memory="100MB"))


def test_nothing_is_left_behind(lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run(
        lake, "select range::varchar || repeat('y', 100) as t from range(300000) order by t desc", Limits(memory="50MB", rows=1)
    )
    assert list(tmp_path.iterdir()) == []
    assert sorted(path.name for path in lake[0].parent.iterdir()) == ["items", "link.txt", "midwatch.duckdb"]
