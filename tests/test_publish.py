"""The page stands alone, says what the lake says, and does nothing that a log could ask of it."""

import re
import stat
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

from lakes import analyzed, night
from logs import ClaudeLog
from pages import HOSTILE, Tags
from tables import on_disk

from tasks import handoff, publish
from tasks.domain.ports import InProcess, Silent
from tasks.domain.settings import Settings
from tasks.report import nights
from tasks.store import sql
from tasks.store.layout import Layout

CALLS = 10
"""Of the one session, each with a prompt of 1,000 tokens; from the second one on it holds all three items."""


def lake_rows(text: str = "kiln", cost: str | None = "0.25") -> dict[str, list[dict[str, Any]]]:
    """One of everything the page shows, with one text in every place that a log can fill."""
    item = {"session_id": "a:1", "text": text, "day": "2026-03-02", "source_id": "s", "generation": 0}
    of_tool = {**item, "tool_name": text, "tool_category": "read", "call_id": "c", "path": text}
    free = "0" if cost else None
    read = {"cost_usd": cost, "cost_cache_read_usd": cost, "cost_cache_write_usd": free, "cost_uncached_usd": free}
    stay = {"session_id": "a:1", "form": "full", "last_request_no": CALLS, **read}
    parts = {"explained": "0.075", "overhead": "0.1", "residual": "0.025", "output": "0.05"}
    paid = {f"cost_{part}_usd": dollars if cost else None for part, dollars in parts.items()}
    seen = {"first_seen_at": "2026-03-03T02:00:00", "last_changed_at": "2026-03-03T02:00:00"}
    return {
        "runs": [{"run_id": "n", "started_at": "2026-03-03T02:00:00"}],
        "sources": [
            {"source_id": "s", "generation": 0, "agent": "codex", "path": text, "state": "new", "bytes": 90,
             "lines": 1, "lines_in_rows": 1,
             "bytes_in_rows": 70, "bytes_rejected": 20, "bytes_blank": 0, "bytes_pending": 0, "reason": text, **seen},
        ],
        "records": [{"source_id": "s", "generation": 0, "session_id": "a:1"}],
        "rejects": [{"source_id": "s", "generation": 0, "reason": text, "byte_length": 20}],
        "sessions": [
            {"session_id": "a:1", "agent": "codex", "native_id": text, "project": text, "cwd": text, "title": text,
             "started_at": "2026-03-02T09:00:00", "ended_at": "2026-03-02T10:00:00", "ending": "clean"},
        ],
        "requests": [
            {"request_id": f"r{no}", "session_id": "a:1", "request_no": no, "day": "2026-03-02", "model": text,
             "prompt_tokens": 1000, "input_uncached_tokens": 100, "cache_read_tokens": 900, "output_tokens": 70,
             "cost_usd": cost}
            for no in range(1, CALLS + 1)
        ],
        "items": [
            {**item, "item_id": "i1", "seq": 1, "turn": 1, "kind": "user_text", "tokens": 20, "starts_turn": True},
            {**of_tool, "item_id": "i2", "seq": 2, "turn": 1, "kind": "tool_call", "tokens": 30},
            {**of_tool, "item_id": "i3", "seq": 3, "turn": 1, "kind": "tool_result", "tokens": 50},
        ],
        "placements": [{"session_id": "a:1", "position": n, "item_id": f"i{n}", "turn": 1, "on_path": True} for n in (1, 2, 3)],
        "compactions": [
            {"compaction_id": "c", "session_id": "a:1", "request_no": 5, "trigger": text, "tokens_before": 150_000},
        ],
        "reconciliation": [
            {"session_id": "a:1", "request_id": f"r{no}", "request_no": no, "prompt_tokens": 1000,
             "explained_tokens": 20 if no == 1 else 100, "overhead_tokens": 890,
             "residual_tokens": 90 if no == 1 else 10, **paid}
            for no in range(1, CALLS + 1)
        ],
        "residency": [
            {**stay, "item_id": "i1", "first_request_no": 1, "requests": 10, "tokens_calibrated": 20, "token_requests": 200},
            {**stay, "item_id": "i2", "first_request_no": 2, "requests": 9, "tokens_calibrated": 30, "token_requests": 270},
            {**stay, "item_id": "i3", "first_request_no": 2, "requests": 9, "tokens_calibrated": 50, "token_requests": 450},
        ],
        "cache_misses": [
            {"session_id": "a:1", "request_id": "r6", "request_no": 6, "tokens_repaid": 800, "cause": "compaction",
             "cost_usd": cost},
        ],
    }  # fmt: skip


def page(data: Path, rows: dict[str, list[dict[str, Any]]] | None = None) -> str:
    if rows:
        on_disk(Layout(data), rows)
    return publish.build(Settings(data=data)).read_text(encoding="utf-8")


def words(text: str) -> str:
    """All that is to be read, with single spaces."""
    return " ".join("".join(Tags(text).text).split())


def test_figures_are_those_of_the_lake(tmp_path: Path) -> None:
    """10 calls of 1,000 tokens, 920 of them explained by 100 that were said once: 200 + 270 + 450."""
    told = words(page(tmp_path, lake_rows()))
    shown = ("Cost$2.50", "Prompt tokens10.0k", "From the cache90.0 %", "Output tokens700", "Explained9.2 %", "Overhead89.0 %")
    assert [figure for figure in shown if figure not in told] == []
    assert "100 tokens that were said once came to 920 in prompts, 9 times as many; 4.5 % of all prompts were tool" in told
    assert "tool results509.04504.5 %$0.25" in told
    assert "tool results5050.0 %" in told
    assert "All that must hold of the lake does" in told


def test_parts_of_prompts_add_up_to_all_that_was_sent(tmp_path: Path) -> None:
    """Overhead 10 x 890, the rest 90 + 9 x 10, and what the three items came to."""
    cell = r'<td class="n">([\d,−-]+)</td><td class="n opt">[^<]*%</td>'
    parts = re.findall(cell, section(page(tmp_path, lake_rows()), "where"))
    assert sorted(int(part.replace(",", "")) for part in parts) == [180, 200, 270, 450, 8900]


def test_parts_of_the_bill_add_up_to_all_that_was_paid(tmp_path: Path) -> None:
    """Three items of 0.25, and ten calls with 0.1 for overhead, 0.025 for the rest and 0.05 for the answer."""
    told = section(page(tmp_path, lake_rows()), "where")
    parts = re.findall(r'<td class="n">(\$[\d.]+)</td><td class="n opt">[\d.]+ %</td>\s*</tr>', told)
    assert sorted(parts) == ["$0.25", "$0.25", "$0.25", "$0.25", "$0.50", "$1.00"]


def section(text: str, name: str) -> str:
    """The HTML of one section."""
    found = re.search(rf'<section aria-labelledby="{name}">.*?</section>', text, re.S)
    assert found
    return found[0]


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
    assert all(re.match(r"(\.\./handoffs/[a-z0-9-]+\.md|#[a-z]+)$", a["href"] or "") for _, a in tags if "href" in a)
    assert not [name for tag, a in tags for name in a if name in {"xlink:href", "srcset", "action", "formaction", "ping"}]


def test_places_on_the_page_that_it_names_are_there(tmp_path: Path) -> None:
    tags = Tags(page(tmp_path, lake_rows())).tags
    ids = Counter(a["id"] for _, a in tags if "id" in a)
    assert {(a["href"] or "").removeprefix("#") for tag, a in tags if tag == "a"} <= ids.keys()
    assert {*ids.values()} == {1}


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


def test_each_chart_says_in_words_what_it_shows(tmp_path: Path) -> None:
    """A chart is one picture to those who hear the page, and tells its point: twice drawn, once told to each."""
    charts = [a for tag, a in Tags(page(tmp_path, lake_rows())).tags if "chart" in (a.get("class") or "").split()]
    assert {chart["role"] for chart in charts} == {"img"}
    told = [chart["aria-label"] or "" for chart in charts]
    assert len({*told}) == 8
    assert all(re.search(r"\d", one) for one in told)
    days = "Prompt tokens by day, from 2026-03-02 to 2026-03-02; the most, 10.0k, on 2026-03-02."
    assert f"{days} All numbers are in the table below." in told


def test_each_chart_has_its_size_before_it_is_drawn(tmp_path: Path) -> None:
    pictures = [a for tag, a in Tags(page(tmp_path, lake_rows())).tags if tag == "svg"]
    assert pictures
    assert all(a["width"] and a["height"] and a["viewbox"] == f"0 0 {a['width']} {a['height']}" for a in pictures)


def test_each_chart_stands_with_the_sql_that_made_it(tmp_path: Path) -> None:
    text = page(tmp_path, lake_rows())
    for name in ("where", "accounts", "growth", "tools", "misses", "daily"):
        told = section(text, name)
        assert 'class="chart' in told
        assert "midwatch query " in told
        assert "-- grain: " in told


def test_same_lake_gives_the_same_bytes(tmp_path: Path) -> None:
    assert page(tmp_path / "a", lake_rows()) == page(tmp_path / "b", lake_rows())


def test_unpriced_is_never_shown_as_zero(tmp_path: Path) -> None:
    text = page(tmp_path, lake_rows(cost=None))
    assert "unpriced" in section(text, "where")
    assert "Costunpriced" in words(text)
    assert "$0" not in words(re.sub(r"<pre>.*?</pre>", "", text, flags=re.S))


def test_a_broken_check_stands_at_the_top(tmp_path: Path) -> None:
    rows = lake_rows()
    rows["reconciliation"][0]["residual_tokens"] += 1
    told = section(page(tmp_path, rows), "changed")
    assert "What is broken" in told
    assert "midwatch query checks/fail__account_does_not_add_up" in told


def test_first_night_says_that_there_is_none_to_compare(tmp_path: Path) -> None:
    told = words(page(tmp_path, lake_rows()))
    assert "nothing to compare it with" in told
    assert "There is a trend from the second night on" in told


def test_second_night_says_what_it_added(tmp_path: Path) -> None:
    archive, data = tmp_path / "archive", tmp_path / "data"
    weave = ClaudeLog("weave").prompt("Warp the loom.").answer("Warping.")
    weave.write(archive)
    night(archive, data)
    analyzed(data)
    page(data)
    weave.prompt("Now the weft.").answer("On it.").write(archive)
    ClaudeLog("dye").prompt("Mix the madder.").answer("Mixed.").write(archive)
    night(archive, data)
    analyzed(data)
    told = section(page(data), "changed")
    assert "Sessions</dt><dd>+1<small>without sub-agents 1 new, 1 grown" in told
    assert "Calls</dt><dd>+2" in told
    assert len(nights.read(Layout(data).nights.read_bytes())) == 2


def test_lines_of_nights_survive_a_torn_one_and_a_page_made_again(tmp_path: Path) -> None:
    page(tmp_path, lake_rows())
    kept = Layout(tmp_path).nights
    (tonight,) = nights.read(kept.read_bytes())
    before = nights.Night(tonight.at - timedelta(days=1), 0, prompt_tokens=4000, sessions=1)
    kept.write_bytes(nights.told([before]) + kept.read_bytes()[:-30])
    (Layout(tmp_path).reports / "index.html").unlink()
    assert "Prompt tokens</dt><dd>+6.00k" in page(tmp_path)
    assert nights.read(kept.read_bytes()) == [before, tonight]
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_empty_lake_has_a_page_too(tmp_path: Path) -> None:
    text = "".join(Tags(page(tmp_path)).text)
    assert "Nothing was read yet." in text
    assert "Nothing is open." in text


def test_open_session_links_to_its_handoff(tmp_path: Path) -> None:
    on_disk(Layout(tmp_path), lake_rows())
    before = page(tmp_path)
    handoff.build_all(Settings(data=tmp_path), InProcess(), Silent())
    links = [a["href"] for tag, a in Tags(page(tmp_path)).tags if tag == "a" and "#" not in (a["href"] or "")]
    assert "../handoffs" not in before
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
    named = set(re.findall(r"midwatch query ([a-z_]+)(?!/)\b", page(tmp_path, lake_rows())))
    assert {"cost_by_kind", "cost_by_tool", "cache_misses_by_cause", "tokens_by_kind"} <= named
    assert named <= {*sql.names("analysis")}
