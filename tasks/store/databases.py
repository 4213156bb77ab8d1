"""Rows of an SQLite file, read from a copy of our own: SQLite would write beside the agent's."""

import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from tasks.domain.kinds import Form
from tasks.domain.records import Head, Record
from tasks.store.content import BLOCK, LogError

MAGIC = b"SQLite format 3\0"


def is_begun(first: bytes) -> bool:
    """Whether a database begins with these bytes, alone or as the first of an archive."""
    return MAGIC in (first[: len(MAGIC)], first[tarfile.BLOCKSIZE : tarfile.BLOCKSIZE + len(MAGIC)])


@contextmanager
def unpacked(stream: BinaryIO, scratch: Path) -> Iterator[Path]:
    """A database of our own with these bytes: an SQLite file, or a tar archive of one and its log or journal."""
    scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        path = Path(folder) / "log.db"
        copy = Path(folder) / "stored"
        with copy.open("wb") as out:
            shutil.copyfileobj(stream, out, BLOCK)
        if tarfile.is_tarfile(copy):
            with tarfile.open(copy, "r:") as archive:
                for member in archive:
                    source = archive.extractfile(member)
                    if source is not None:
                        suffix = next((one for one in ("-wal", "-journal") if member.name.endswith(one)), "")
                        target = path.with_name(f"{path.name}{suffix}")
                        with target.open("wb") as out:
                            shutil.copyfileobj(source, out, BLOCK)
        else:
            copy.rename(path)
        yield path


def head(path: Path) -> Head:
    """Its tables, each with its first row. LogError when it is no whole database."""
    with closing(_connect(path)) as con, _explained():
        tables = [name for (name,) in con.execute("select name from sqlite_master where type = 'table' order by name")]
        return Head(Form.DATABASE, tuple(_first(con, table) for table in tables), tuple(tables))


def rows(path: Path, tables: Sequence[str]) -> Iterator[Record]:
    """The rows of those of these tables that there are, each table in the order of its rows. LogError when it is damaged."""
    number = 0
    with closing(_connect(path)) as con, _explained():
        problems = [row[0] for row in con.execute("pragma quick_check(1)")]
        if problems != ["ok"]:
            message = f"damaged database: {problems[0]}"
            raise LogError(message)
        present = {name for (name,) in con.execute("select name from sqlite_master where type = 'table'")}
        for table in tables:
            for row in con.execute(f"select * from {_quoted(table)}") if table in present else ():
                number += 1
                data = dict(row)
                yield Record(number, 0, 0, orjson.dumps(data, default=repr, option=orjson.OPT_SORT_KEYS), data, (), table)


def _connect(path: Path) -> sqlite3.Connection:
    con = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)
    con.text_factory = lambda raw: raw.decode("utf-8", "replace")
    con.row_factory = sqlite3.Row
    return con


def _first(con: sqlite3.Connection, table: str) -> dict[str, Any]:
    """Empty where SQLite lacks the module of a virtual table, or cannot tell its columns."""
    try:
        found = con.execute(f"select * from {_quoted(table)} limit 1")
        row = found.fetchone()
        return dict(row) if row else {column[0]: None for column in found.description}
    except (sqlite3.OperationalError, UnicodeDecodeError):
        return {}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class _explained:  # noqa: N801
    """What SQLite says of a file it cannot read, as what befell a log."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, sqlite3.Error):
            message = f"damaged database: {error}"
            raise LogError(message) from None
