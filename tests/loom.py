"""An agent that exists in tests alone and keeps the same session in every form of log there is."""

import io
import json
import re
import sqlite3
import tarfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tasks.domain.kinds import Form, ItemKind
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers.draft import Draft
from tasks.readers.protocol import Reader
from tasks.readers.usage import cached_beside


class Loom(Reader):
    """Its messages are `{"id", "who", "says", "tokens"}`, whatever they lie in."""

    agent = "loom"
    version = 1
    forms = frozenset(Form)
    folder = re.compile(r"^(?P<root>.*/loom-[^/]*)/[^/]+\.json$")
    tables = ("message",)

    def claims(self, head: Head) -> bool:
        if head.form is Form.TEXT:
            return str(head.objects[0]["text"]).startswith("% loom ")
        if head.form is Form.LINES:
            return any("who" in one and "loom" in one for one in head.objects)
        return any("loom" in one or one.get("who") in ("weaver", "loom") for one in head.objects)

    def identify(self, head: Head, path: str) -> str:
        if head.form is Form.TEXT:
            return "one"
        names = [str(one["loom"]) for one in head.objects if "loom" in one]
        return names[0] if names else re.search(r"loom-(\w+)", path)[1]  # type: ignore[index]

    def line_kind(self, line: str) -> str:
        return "head" if line.startswith("%") else "weaver" if line.startswith("> ") else "loom"

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft = Draft(self.agent)
        draft.open(hint.native_id)
        for record in records:
            data = record.data
            if hint.form is Form.TEXT:
                data = {"who": record.origin, "says": data["text"].removeprefix("> ")}
            who = data.get("who")
            draft.record(record, str(who or "head"), native_id=data.get("id"))
            if who in ("weaver", "loom"):
                call = draft.call(data["id"], cached_beside(1, output=data["tokens"])) if data.get("tokens") else None
                kind = ItemKind.USER_TEXT if who == "weaver" else ItemKind.ASSISTANT_TEXT
                draft.item(kind, data["says"], role=who, request_id=call)
        return draft.finish()


def messages(count: int, name: str = "m", *, first: int = 1) -> list[dict[str, Any]]:
    """Prompts and answers in turn; every answer cost its number in tokens."""
    return [
        {"id": f"{name}{n}", "who": "weaver" if n % 2 else "loom", "says": f"thread {n} of {name}", "tokens": 0 if n % 2 else n}
        for n in range(first, first + count)
    ]


def document(path: Path, told: Sequence[dict[str, Any]], *, name: str = "one", indent: int | None = 2) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"loom": name, "messages": list(told)}, indent=indent), encoding="utf-8")
    return path


def folder(path: Path, told: Sequence[dict[str, Any]]) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for one in told:
        (path / f"{one['id']}.json").write_text(json.dumps(one), encoding="utf-8")
    return path


def database(path: Path, told: Sequence[dict[str, Any]], *, is_open: bool = False) -> sqlite3.Connection | None:
    """Adds messages to a database; left open, the last of them stand in its write-ahead log alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    con = sqlite3.connect(path, isolation_level=None)
    con.execute("pragma journal_mode = wal")
    con.execute("create table if not exists loom (loom text)")
    con.execute("create table if not exists message (id text primary key, who text, says text, tokens integer)")
    con.execute("insert into loom select 'one' where not exists (from loom)".replace("(from loom)", "(select 1 from loom)"))
    con.executemany("insert into message values (:id, :who, :says, :tokens)", told)
    if is_open:
        return con
    con.close()
    return None


def text(path: Path, told: Sequence[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    said = "".join(f"{'> ' if one['who'] == 'weaver' else ''}{one['says']}\n" for one in told)
    path.write_text(f"% loom one\n{said}", encoding="utf-8")
    return path


def tar(path: Path, files: dict[str, bytes], mode: str = "w") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


def rows(path: Path, statement: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as con:
        return con.execute(statement).fetchall()
