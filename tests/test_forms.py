"""Logs of every form in one archive: told by content, copied byte for byte, read whole, and counted once."""

import gzip
import hashlib
import json
import os
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import loom
import pytest
import zstandard
from lakes import ask, fingerprint, logical_rows, night
from logs import ClaudeLog

from tasks.readers import registry
from tasks.store import raw
from tasks.store.layout import Layout

SAID = "select text from items order by session_id, seq"
CALLS = "select count(*), sum(output_tokens)::int from requests"


@pytest.fixture(autouse=True)
def _loom_is_an_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "READERS", (*registry.READERS, loom.Loom()))


def said(data: Path) -> list[str]:
    return [text for (text,) in ask(data, SAID)]


def state(data: Path) -> list[tuple[str, str, int]]:
    return ask(data, "select form, state, generation from sources order by form, generation, path")


def texts(told: list[dict[str, object]]) -> list[object]:
    return [one["says"] for one in told]


def stamps(archive: Path) -> dict[str, tuple[int, str]]:
    files = [path for path in archive.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files}


def copies(data: Path) -> list[bytes]:
    found = ask(data, "select agent, source_id, generation, raw_bytes from sources where prefix_hash is not null order by all")
    layout = Layout(data)
    plain = []
    for agent, source_id, generation, packed in found:
        with raw.open_copy(layout.raw_log(agent, source_id, generation), packed) as log:
            plain.append(log.read())
    return plain


def test_a_document_is_read_whatever_its_name_and_layout(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    told = loom.messages(4)
    for name, indent in (("pretty.jsonl", 2), ("line.json", None)):
        path = loom.document(archive / name, told, name=name, indent=indent)
        assert night(archive, data).new_rejects == 0
        assert said(data)[-4:] == texts(told)
        assert path.read_bytes() in copies(data)
    assert ask(data, CALLS) == [(4, 12)]


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".zst", zstandard.compress), ("", bytes)])
def test_a_packed_document_and_its_plain_twin_are_one(suffix: str, pack: Callable[[bytes], bytes], tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    content = loom.document(archive / "session.json", loom.messages(2)).read_bytes()
    (archive / f"packed.json{suffix}").write_bytes(pack(content))
    night(archive, data)
    assert sorted(row[1] for row in state(data)) == ["copy", "new"]
    assert copies(data) == [content]
    assert ask(data, CALLS) == [(1, 2)]


def test_a_document_that_grew_is_a_new_generation_of_its_source(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    for count in (2, 4, 6):
        path = loom.document(archive / "session.json", loom.messages(count))
        night(archive, data)
    assert state(data) == [("document", "rewritten", 0), ("document", "rewritten", 1), ("document", "rewritten", 2)]
    assert said(data) == texts(loom.messages(6))
    assert ask(data, CALLS) == [(3, 12)]
    assert path.read_bytes() in copies(data)
    assert not night(archive, data).is_committed


def test_what_a_document_says_no_more_stays_off_the_path(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    loom.document(archive / "session.json", loom.messages(4))
    night(archive, data)
    loom.document(archive / "session.json", [*loom.messages(2), *loom.messages(2, "n", first=3)])
    night(archive, data)
    question = "select text, on_path from items inner join placements using (session_id, item_id) order by text"
    left = {"thread 3 of m", "thread 4 of m"}
    assert ask(data, question) == [
        (text, text not in left) for text in sorted({*texts(loom.messages(4)), "thread 3 of n", "thread 4 of n"})
    ]
    assert ask(data, CALLS) == [(3, 10)]


def test_a_message_that_changed_is_told_by_the_newest_generation(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    told = loom.messages(2)
    loom.document(archive / "session.json", [told[0], {**told[1], "says": "half an ans"}])
    night(archive, data)
    loom.document(archive / "session.json", told)
    night(archive, data)
    assert said(data) == texts(told)


def test_old_generations_go_unless_they_alone_hold_something(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    stories = [loom.messages(2, "lost"), *(loom.messages(count) for count in (2, 4, 6, 8))]
    for told in stories:
        loom.document(archive / "session.json", told)
        night(archive, data, raw_generations=2)
    assert ask(data, "select generation from sources order by all") == [(0,), (3,), (4,)]
    assert len(list(Layout(data).raw.rglob("*.zst"))) == len(list(Layout(data).raw.glob("*/*/*.json"))) == 3
    assert set(said(data)) == {*texts(loom.messages(8)), *texts(loom.messages(2, "lost"))}
    assert not night(archive, data, raw_generations=2).is_committed


def test_equal_documents_are_one_and_different_ones_of_a_session_are_two(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    loom.document(archive / "a.json", loom.messages(2))
    loom.document(archive / "b.json", loom.messages(2))
    loom.document(archive / "c.json", loom.messages(4))
    night(archive, data)
    assert sorted(row[1] for row in state(data)) == ["copy", "new", "new"]
    assert said(data) == texts(loom.messages(4))
    assert ask(data, CALLS) == [(2, 6)]


def test_a_document_that_moved_keeps_its_source(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    path = loom.document(archive / "a.json", loom.messages(2))
    night(archive, data)
    path.rename(archive / "b.json")
    night(archive, data)
    assert state(data) == [("document", "moved", 0)]
    loom.document(archive / "c.json", loom.messages(4))
    (archive / "b.json").unlink()
    night(archive, data)
    assert [row[2] for row in state(data)] == [0, 1]


def test_a_document_cut_while_it_is_written_waits_and_an_old_one_gives_what_it_has(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    path = loom.document(archive / "a.json", loom.messages(2))
    night(archive, data)
    whole = loom.document(archive / "a.json", loom.messages(4), indent=None).read_bytes()
    path.write_bytes(whole[: whole.rindex(b"thread 4")])
    report = night(archive, data)
    assert report.is_partial
    assert "breaks off" in report.problems[0].reason
    assert said(data) == texts(loom.messages(2))
    os.utime(path, (0, 0))
    assert night(archive, data).new_rejects == 1
    assert said(data) == texts(loom.messages(3))
    assert ask(data, "select reason from rejects") == [("cut document",)]


def test_a_folder_is_one_log_and_its_copy_is_one_archive(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    loom.folder(archive / "loom-one", loom.messages(4))
    night(archive, data)
    assert state(data) == [("folder", "new", 0)]
    assert said(data) == texts(loom.messages(4))
    (copy,) = copies(data)
    place = ask(data, "select byte_offset, byte_length, sha256 from records order by byte_offset")
    assert [hashlib.sha256(copy[at : at + size]).hexdigest() for at, size, _ in place] == [sha for *_, sha in place]
    loom.folder(archive / "loom-one", loom.messages(6))
    night(archive, data)
    assert said(data) == texts(loom.messages(6))
    assert (
        ask(data, "select bytes = bytes_in_rows + bytes_rejected + bytes_blank + bytes_pending from sources") == [(True,)] * 2
    )


def test_files_that_only_look_as_if_they_belonged_together_are_listed_one_by_one(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    for name in ("a", "b"):
        (archive / "loom-x").mkdir(parents=True, exist_ok=True)
        (archive / "loom-x" / f"{name}.json").write_text(json.dumps({"shuttle": name}))
    night(archive, data)
    assert ask(data, "select state, first_keys from sources order by path") == [("unclaimed", ["shuttle"])] * 2
    assert not night(archive, data).is_committed


def test_a_database_is_read_with_what_only_its_write_ahead_log_holds_and_is_not_touched(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    told = loom.messages(4)
    con = loom.database(archive / "loom.db", told, is_open=True)
    before = stamps(archive)
    night(archive, data)
    assert stamps(archive) == before
    assert con is not None
    con.close()
    assert said(data) == texts(told)
    assert ask(data, CALLS) == [(2, 6)]
    night(archive, data)  # closed, the database has what the log had
    assert said(data) == texts(told)
    assert [row[:2] for row in state(data)] == [("database", "rewritten")] * 2
    before = stamps(archive)
    assert not night(archive, data).is_committed
    assert stamps(archive) == before


def test_a_damaged_database_is_unreadable_and_what_was_known_of_it_stays(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    loom.database(archive / "loom.db", loom.messages(200))
    night(archive, data)
    content = (archive / "loom.db").read_bytes()
    (archive / "loom.db").write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    report = night(archive, data)
    assert report.is_partial
    assert "damaged database" in report.problems[0].reason
    assert said(data) == texts(loom.messages(200))


def test_the_same_session_in_every_form_is_counted_once(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    told = loom.messages(6)
    loom.document(archive / "session.json", told[:2])
    loom.folder(archive / "loom-one", told[:4])
    loom.database(archive / "loom.db", told)
    night(archive, data)
    assert ask(data, "select session_id from sessions") == [("loom:one",)]
    assert sorted(said(data)) == sorted(map(str, texts(told)))
    assert ask(data, CALLS) == [(3, 12)]


def test_text_grows_like_lines_do(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    loom.text(archive / "loom.md", loom.messages(2))
    night(archive, data)
    loom.text(archive / "loom.md", loom.messages(5))
    night(archive, data)
    assert state(data) == [("text", "appended", 0)]
    assert said(data) == texts(loom.messages(5))


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tgz", ".tar.zst"])
def test_logs_in_a_tar_archive_are_read_as_if_they_lay_there(suffix: str, tmp_path: Path):
    log = ClaudeLog("tarred").prompt("Warp it.").answer("Warped.")
    files = {
        "home/projects/a.jsonl": b"".join(log.lines()),
        "home/loom-two/m1.json": json.dumps(loom.messages(2)[0]).encode(),
        "home/loom-two/m2.json": json.dumps(loom.messages(2)[1]).encode(),
        "home/session.json": json.dumps({"loom": "one", "messages": loom.messages(4)}).encode(),
        "../escape.json": b"{}",
    }
    packed, plain = tmp_path / "packed", tmp_path / "plain"
    for name, content in files.items():
        path = plain / name.removeprefix("../")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    path = loom.tar(packed / f"logs{suffix}", files, "w:gz" if suffix in (".tar.gz", ".tgz") else "w")
    if suffix == ".tar.zst":
        path.write_bytes(zstandard.compress(path.read_bytes()))
    before = stamps(packed)
    night(packed, tmp_path / "data", final_grace_hours=0)
    night(plain, tmp_path / "data-plain", final_grace_hours=0)
    assert fingerprint_without_paths(tmp_path / "data") == fingerprint_without_paths(tmp_path / "data-plain")
    assert stamps(packed) == before
    assert not night(packed, tmp_path / "data").is_committed
    assert len(said(tmp_path / "data")) == 8
    assert f"logs{suffix}!home/projects/a.jsonl" in str(ask(tmp_path / "data", "select path from sources"))


def fingerprint_without_paths(data: Path) -> list[tuple[object, ...]]:
    """Sessions, items and calls; the key of a lake is its own, so hashes of listings differ."""
    return ask(data, "select session_id, text, seq, turn, kind from items order by all")


def test_a_damaged_tar_archive_is_one_problem_and_the_rest_is_read(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    loom.document(archive / "session.json", loom.messages(2))
    (archive / "logs.tar.gz").write_bytes(b"\x1f\x8b\x08\x00 no such thing")
    (archive / "other.tar").write_bytes(b"no tar at all" * 100)
    report = night(archive, data)
    assert sorted(problem.path.rsplit("/", 1)[1] for problem in report.problems) == ["logs.tar.gz", "other.tar"]
    assert said(data) == texts(loom.messages(2))


def test_logs_stay_when_their_archive_cannot_be_read_any_more(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    content = json.dumps({"loom": "one", "messages": loom.messages(2)}).encode()
    path = loom.tar(archive / "logs.tar", {"session.json": content})
    night(archive, data)
    path.write_bytes(b"torn" * 200)
    night(archive, data)
    assert said(data) == texts(loom.messages(2))
    assert ("document", "new", 0) in state(data)


def test_nights_of_growing_documents_equal_one_night(tmp_path: Path):
    archive, one = tmp_path / "archive", tmp_path / "one"
    for count in (2, 4, 6, 8):
        loom.document(archive / "session.json", loom.messages(count))
        night(archive, tmp_path / "many", raw_generations=1)
    night(archive, one)
    tables = ("sessions", "requests", "placements", "compactions")
    assert logical_rows(tmp_path / "many", tables) == logical_rows(one, tables)
    told = "select * exclude (generation, commit) from lake.items order by all"
    assert ask(tmp_path / "many", told) == ask(one, told)


def test_a_lake_made_again_from_raw_is_the_same_lake(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    loom.document(archive / "session.json", loom.messages(2))
    loom.folder(archive / "loom-two", loom.messages(4, "t"))
    loom.database(archive / "loom.db", loom.messages(6, "d"))
    night(archive, data)
    loom.document(archive / "session.json", loom.messages(4))
    night(archive, data)
    before = fingerprint(data)
    for path in sorted(Layout(data).lake.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    night(archive, data)
    assert fingerprint(data) == before


def session(name: str, count: int = 2) -> bytes:
    return json.dumps({"loom": name, "messages": loom.messages(count, name)}).encode()


@pytest.mark.parametrize("hurt", ["cut in a log", "cut between logs", "no end", "header"])
def test_what_stands_before_the_damage_of_an_archive_is_read_and_the_damage_is_told(hurt: str, tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    path = loom.tar(archive / "logs.tar", {"a.json": session("a"), "b.json": session("b"), "c.json": session("c")})
    night(archive, data)
    whole = path.read_bytes()
    path.write_bytes({
        "cut in a log": whole[: 2 * 1024 + 600], "cut between logs": whole[: 2 * 1024], "no end": whole[: 3 * 1024],
        "header": whole[:2100] + b"?" * 20 + whole[2120:],
    }[hurt])  # fmt: skip
    report = night(archive, data)
    assert [problem.path.rsplit("/", 1)[1] for problem in report.problems] == ["logs.tar"]
    assert "not all of it can be read" in report.problems[0].reason
    assert not ask(data, "select * from sources where state = 'gone'")
    fresh = tmp_path / "fresh"
    assert night(archive, fresh).is_partial
    assert ask(fresh, "select count(*) from sessions") == [(3 if hurt == "no end" else 2,)]


def test_a_member_larger_than_its_archive_is_no_log(tmp_path: Path):
    path = loom.tar(tmp_path / "archive" / "logs.tar", {"a.json": session("a"), "b.json": session("b")})
    entry = tarfile.TarInfo("huge.json")
    entry.size = 1 << 40
    path.write_bytes(path.read_bytes()[:2048] + entry.tobuf(tarfile.GNU_FORMAT) + b"{}")
    assert night(tmp_path / "archive", tmp_path / "data").is_partial
    assert ask(tmp_path / "data", "select count(*) from sessions") == [(2,)]


def test_a_folder_may_lie_at_the_top_of_an_archive_or_deep_in_it(tmp_path: Path):
    told = {f"{one['id']}.json": json.dumps(one).encode() for one in loom.messages(4)}
    for number, root in enumerate(("loom-top/", "home/loom-top/", "./loom-top/", "/srv/loom-top/")):
        archive, data = tmp_path / str(number), tmp_path / f"{number}-data"
        loom.tar(archive / "logs.tar", {f"{root}{name}": content for name, content in told.items()})
        night(archive, data)
        assert state(data) == [("folder", "new", 0)]
        assert said(data) == texts(loom.messages(4))
        loom.folder(archive / "loom-top", loom.messages(4))
        night(archive, data)
        assert sorted(row[1] for row in state(data)) == ["copy", "new"]


def test_an_archive_inside_an_archive_is_listed_with_what_to_do(tmp_path: Path):
    inner = loom.tar(tmp_path / "inner.tar", {"a.json": session("a")}).read_bytes()
    loom.tar(tmp_path / "archive" / "logs.tar", {"inner.tar": inner})
    night(tmp_path / "archive", tmp_path / "data")
    ((reason,),) = ask(tmp_path / "data", "select reason from sources")
    assert "unpack" in reason


def test_a_sparse_file_of_an_archive_is_told(tmp_path: Path):
    path = loom.tar(tmp_path / "archive" / "logs.tar", {"a.json": session("a"), "b.json": session("b")})
    content = bytearray(path.read_bytes())
    content[156:157] = tarfile.GNUTYPE_SPARSE
    content[257:265] = tarfile.GNU_MAGIC
    content[148:156] = b" " * 8
    content[148:156] = b"%06o\0 " % sum(content[:512])
    path.write_bytes(content)
    report = night(tmp_path / "archive", tmp_path / "data")
    assert "sparse files are not read: a.json" in report.problems[0].reason


def test_a_key_said_twice_is_no_failure(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    archive.mkdir()
    told = json.dumps(loom.messages(2))
    (archive / "a.json").write_text(f'{{"loom": "one", "messages": {told}, "messages": 7}}')
    (archive / "b.json").write_text(f'{{"loom": "two", "messages": 7, "messages": {told}}}')
    assert not night(archive, data).is_partial
    assert ask(data, "select count(*) from items") == [(4,)]


def test_what_is_nested_beyond_measure_is_rejected_and_does_not_wait_for_a_writer(tmp_path: Path):
    archive, data = tmp_path / "archive", tmp_path / "data"
    archive.mkdir()
    told = json.dumps(loom.messages(2)[0])
    deep = "[" * 100_000 + "]" * 100_000
    (archive / "a.json").write_text(f'{{"loom": "one", "messages": [{told}, {{"id": "d", "deep": {deep}}}]}}')
    report = night(archive, data)
    assert not report.problems
    assert ask(data, "select reason from rejects") == [("nesting over 200",)]
    assert said(data) == texts(loom.messages(1))


def _in_archive(root: Path, count: int) -> None:
    files = {f"loom-t/{one['id']}.json": json.dumps(one).encode() for one in loom.messages(count)}
    path = loom.tar(root / "logs.tar", files)
    path.with_suffix(".tar.zst").write_bytes(zstandard.compress(path.read_bytes()))
    path.unlink()


def _database(root: Path, count: int) -> None:
    (root / "loom.db").unlink(missing_ok=True)
    loom.database(root / "loom.db", loom.messages(count))


GROWING: dict[str, Callable[[Path, int], object]] = {
    "text": lambda root, count: loom.text(root / "loom.md", loom.messages(count)),
    "folder": lambda root, count: loom.folder(root / "loom-q", loom.messages(count)),
    "database": _database,
    "tar": _in_archive,
}


@pytest.mark.parametrize("form", GROWING)
def test_nights_of_growth_equal_one_night_and_what_raw_gives_back(form: str, tmp_path: Path):
    archive, one, many = tmp_path / "archive", tmp_path / "one", tmp_path / "many"
    for data in (one, many):
        Layout(data).prepare()
        Layout(data).key.write_bytes(b"k" * 32)
    archive.mkdir()
    for count in (2, 4, 6, 8):
        GROWING[form](archive, count)
        night(archive, many, raw_generations=1)
    night(archive, one)
    tables, told = ("sessions", "requests", "placements"), "select * exclude (generation, commit) from lake.items order by all"
    assert logical_rows(many, tables) == logical_rows(one, tables)
    assert ask(many, told) == ask(one, told)
    before = fingerprint(many)
    shutil.rmtree(Layout(many).lake)
    night(archive, many, raw_generations=1)
    assert fingerprint(many) == before
