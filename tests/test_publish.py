"""The page stands alone, says what the lake says, and does nothing that a log could ask of it."""

import re
import stat
from pathlib import Path
from typing import Any

from pages import HOSTILE, Tags
from tables import on_disk

from tasks import handoff, publish
from tasks.domain.ports import InProcess, Silent
from tasks.domain.settings import Settings
from tasks.store import sql
from tasks.store.layout import Layout


def lake_rows(text: str = "kiln") -> dict[str, list[dict[str, Any]]]:
    """One of everything the page shows, with one text in every place that a log can fill."""
    item = {"session_id": "a:1", "text": text, "day": "2026-03-02", "source_id": "s", "generation": 0}
    of_tool = {**item, "tool_name": text, "tool_category": "read", "call_id": "c"}
    return {
        "sources": [
            {"source_id": "s", "generation": 0, "agent": "codex", "path": text, "state": "new", "bytes": 90,
             "bytes_in_rows": 70, "bytes_rejected": 20, "bytes_blank": 0, "bytes_pending": 0, "reason": text},
        ],
        "rejects": [{"source_id": "s", "generation": 0, "reason": text, "byte_length": 20}],
        "sessions": [
            {"session_id": "a:1", "agent": "codex", "native_id": text, "project": text, "cwd": text, "title": text,
             "started_at": "2026-03-02T09:00:00", "ended_at": "2026-03-02T10:00:00", "ending": "clean"},
        ],
        "requests": [
            {"request_id": "r", "session_id": "a:1", "request_no": 1, "day": "2026-03-02", "model": text, "prompt_tokens": 1000,
             "input_uncached_tokens": 100, "cache_read_tokens": 900, "output_tokens": 70, "cost_usd": "0.25"},
        ],
        "items": [
            {**item, "item_id": "i1", "seq": 1, "turn": 1, "kind": "user_text", "tokens": 20, "starts_turn": True},
            {**of_tool, "item_id": "i2", "seq": 2, "turn": 1, "kind": "tool_call", "tokens": 30, "path": text},
            {**of_tool, "item_id": "i3", "seq": 3, "turn": 1, "kind": "tool_result", "tokens": 50},
        ],
        "placements": [{"session_id": "a:1", "position": n, "item_id": f"i{n}", "turn": 1, "on_path": True} for n in (1, 2, 3)],
        "compactions": [{"compaction_id": "c", "session_id": "a:1", "trigger": "auto", "tokens_before": 150_000}],
    }  # fmt: skip


def page(data: Path, rows: dict[str, list[dict[str, Any]]] | None = None) -> str:
    if rows:
        on_disk(Layout(data), rows)
    return publish.build(Settings(data=data)).read_text(encoding="utf-8")


def test_figures_are_those_of_the_lake(tmp_path: Path) -> None:
    text = " ".join("".join(Tags(page(tmp_path, lake_rows())).text).split())
    for shown in ("Prompt tokens1.00k", "From the cache90.0 %", "Output tokens70", "Cost$0.25", "80.0 % of the content"):
        assert shown in text
    assert "tool results5050.0 %" in text


def test_nothing_is_loaded_from_anywhere(tmp_path: Path) -> None:
    text = page(tmp_path, lake_rows())
    tags = Tags(text).tags
    policy = next(
        attributes["content"] for tag, attributes in tags if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy and policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert not {tag for tag, _ in tags} & {
        "script",
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "base",
        "form",
        "audio",
        "video",
    }
    assert not [
        attributes for _, attributes in tags if "src" in attributes or any(name.startswith("on") for name in attributes)
    ]
    assert "url(" not in text
    assert "@import" not in text
    assert all(re.match(r"\.\./handoffs/[a-z0-9-]+\.md$", a["href"] or "") for _, a in tags if "href" in a)


def test_text_of_a_log_is_shown_and_does_nothing(tmp_path: Path) -> None:
    """Every place that a log can fill holds markup, an escape sequence and characters that reorder text."""
    plain, hostile = Tags(page(tmp_path / "a", lake_rows())), Tags(page(tmp_path / "b", lake_rows(HOSTILE)))
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in plain.tags]
    shown = "".join(hostile.text)
    assert "<script>alert(1)</script>" in shown
    assert "\\e[31m\\u202egnp.exe\\u200b{{ 7*7 }}" in shown
    everything = page(tmp_path / "b")
    assert not set(everything) & set("\x1b\u202e\u200b")


def test_tags_close_where_they_should(tmp_path: Path) -> None:
    assert Tags(page(tmp_path, lake_rows())).open == []


def test_chart_says_in_words_what_it_shows(tmp_path: Path) -> None:
    charts = [a for tag, a in Tags(page(tmp_path, lake_rows())).tags if tag == "svg"]
    assert [chart["role"] for chart in charts] == ["img"]
    assert charts[0]["aria-label"] and charts[0]["aria-label"].startswith(
        "Prompt tokens on 1 day from 2026-03-02 to 2026-03-02; the most, 1.00k, on 2026-03-02."
    )


def test_empty_lake_has_a_page_too(tmp_path: Path) -> None:
    text = "".join(Tags(page(tmp_path)).text)
    assert "Nothing was read yet." in text
    assert "Nothing is open." in text


def test_open_session_links_to_its_handoff(tmp_path: Path) -> None:
    on_disk(Layout(tmp_path), lake_rows())
    before = page(tmp_path)
    handoff.build_all(Settings(data=tmp_path), InProcess(), Silent())
    links = [a["href"] for tag, a in Tags(page(tmp_path)).tags if tag == "a"]
    assert "href" not in before
    assert len(links) == 1
    assert links[0] and (Layout(tmp_path).reports / links[0]).is_file()


def test_unchanged_lake_leaves_the_page_alone(tmp_path: Path) -> None:
    path = publish.build(Settings(data=tmp_path)) if on_disk(Layout(tmp_path), lake_rows()) else Path()
    stamp = path.stat().st_mtime_ns
    assert publish.build(Settings(data=tmp_path)).stat().st_mtime_ns == stamp
    on_disk(Layout(tmp_path), lake_rows())
    assert publish.build(Settings(data=tmp_path)).stat().st_mtime_ns != stamp


def test_page_is_private(tmp_path: Path) -> None:
    path = publish.build(Settings(data=tmp_path))
    assert path == Layout(tmp_path).reports / "index.html"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_page_never_breaks_on_a_damaged_handoff_index(tmp_path: Path) -> None:
    on_disk(Layout(tmp_path), lake_rows())
    for content in (b"", b"[]", b'{"sessions": {"a": 5}}'):
        (Layout(tmp_path).handoffs / "index.json").write_bytes(content)
        assert "What is still open" in page(tmp_path)


def test_section_names_the_query_behind_it(tmp_path: Path) -> None:
    named = set(re.findall(r"midwatch query (\w+)", page(tmp_path, lake_rows())))
    assert "tokens_by_kind" in named
    assert named <= set(sql.names("analysis"))
