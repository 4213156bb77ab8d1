"""The page of one session stands alone, says what the lake says, and does nothing that a log could ask of it."""

import re
import stat
import time
from pathlib import Path
from typing import Any

import pytest
from accounts import SESSION, story, without
from pages import HOSTILE, Tags
from tables import on_disk

from tasks import publish_session
from tasks.report.session import OneSession
from tasks.store import catalog, sql
from tasks.store.layout import Layout


def one(data: Path, rows: dict[str, list[dict[str, Any]]] | None = None, session: str = SESSION) -> OneSession:
    layout = Layout(data)
    if rows:
        on_disk(layout, rows)
    with catalog.connect(layout) as con:
        return publish_session.of_session(con, layout, session)


def page(data: Path, rows: dict[str, list[dict[str, Any]]] | None = None, session: str = SESSION) -> str:
    return publish_session.write(Layout(data), one(data, rows, session)).read_text(encoding="utf-8")


def words(text: str) -> str:
    return " ".join("".join(Tags(text).text).split())


def test_figures_are_those_of_the_lake(tmp_path: Path) -> None:
    """Three calls of 1,000, 1,600 and 1,600 tokens, half of them read from the cache, at 25 cents each."""
    shown = words(page(tmp_path, story()))
    for told in ("Prompt tokens4.20k", "Largest prompt1.60k", "From the cache50.0 %", "Output tokens30", "Cost$0.75"):
        assert told in shown
    assert "3 calls after 1 prompt within 2 h 0 min. The largest prompt held 1.60k tokens, 80.0 % of the limit" in shown
    assert "the window was compacted once" in shown


def test_costs_stand_beside_what_caused_them(tmp_path: Path) -> None:
    """The result costs 30 cents, three calls' overhead 30, their output 6, the prompt and the residual 3 each: 72 cents."""
    shown = words(page(tmp_path, story()))
    assert "Most of the money went to overhead that no log shows (41.7 %) and tool results (41.7 %)." in shown
    assert re.search(r"tool results ?1 ?1\.00k ?\$0\.30 ?– ?– ?\$0\.30 ?41\.7 %", shown)
    assert re.search(r"unexplained rest ?– ?200 ?– ?– ?– ?\$0\.03 ?4\.2 %", shown)


def test_the_fullest_window_is_split_by_what_filled_it(tmp_path: Path) -> None:
    """The second call is the first of the two largest: 900 of overhead, 500 of a result, 100 of a prompt, 100 unexplained."""
    shown = words(page(tmp_path, story(text="kiln.py")))
    assert "At call 2." in shown
    assert re.search(r"tool results of kiln\.py ?1 ?500 ?31\.2 %", shown)
    assert re.search(r"overhead ?– ?900 ?56\.2 %", shown)


def test_a_thing_leads_to_its_line_in_the_log(tmp_path: Path) -> None:
    assert "/srv/logs/a.jsonl:4" in words(page(tmp_path, story(text="/srv/logs/a.jsonl")))


def test_quality_of_the_account_is_told_in_words(tmp_path: Path) -> None:
    """Residuals are 0 of 1,000 and twice 100 of 1,600 tokens, which is 6.25 %."""
    shown = words(page(tmp_path, story()))
    assert "The residual is at most 6.2 % of the prompt for half of the calls, 6.2 % for nine in ten" in shown
    assert "The overhead is estimated as 900 tokens at every call." in shown
    assert "shrank for good without a record once" in shown
    assert "times 1.050 for this session" in shown


def test_without_prices_tokens_are_told_and_no_money(tmp_path: Path) -> None:
    shown = words(page(tmp_path, story(has_money=False)))
    assert "Costunpriced" in shown
    assert "Most of what was sent went to overhead that no log shows" in shown
    assert "No money is told" in shown
    assert not re.search(r"\$\d", shown)


def test_unlooked_for_uses_are_not_told_as_none(tmp_path: Path) -> None:
    rows = story()
    assert "Results that nobody used again" in words(page(tmp_path / "a", rows))
    for stay in rows["residency"]:
        stay["later_uses"] = None
    assert "Results that nobody used again" not in words(page(tmp_path / "b", rows))


def test_a_session_whose_log_counts_nothing_says_so_and_shows_its_content(tmp_path: Path) -> None:
    rows = without(story(), "requests", "reconciliation", "residency", "cache_misses", "calibrations")
    shown = words(page(tmp_path, rows))
    assert "The log of this session records no call to a model" in shown
    assert "What stands in the log" in shown
    assert re.search(r"tool results of kiln ?1 ?480 ?80\.0 %", shown)
    assert "How the context grew" not in shown


def test_an_empty_session_has_a_page(tmp_path: Path) -> None:
    shown = words(page(tmp_path, {"sessions": [{"session_id": SESSION, "agent": "weaver"}]}))
    assert "Nothing was said or done." in shown
    assert "not in the log" in shown


def test_one_call_is_enough_for_a_picture(tmp_path: Path) -> None:
    told = [a["aria-label"] for tag, a in Tags(page(tmp_path, story(calls=1))).tags if a.get("role") == "img"]
    assert "Prompt tokens at calls 1 to 1; the most, 1,000, at call 1, of a limit of 2,000. Compacted once." in told


def test_relatives_are_linked_where_they_have_a_page(tmp_path: Path) -> None:
    assert "href" not in page(tmp_path, story()).replace('href="#', "")
    page(tmp_path, session="weaver:loom-0")
    links = [a["href"] for tag, a in Tags(page(tmp_path)).tags if tag == "a" and not (a["href"] or "#").startswith("#")]
    assert len(links) == 2
    assert all((Layout(tmp_path).session_reports / str(link)).is_file() for link in links)


def test_nothing_is_loaded_from_anywhere(tmp_path: Path) -> None:
    text = page(tmp_path, story())
    tags = Tags(text)
    assert not {tag for tag, _ in tags.tags} & {"script", "link", "img", "image", "iframe", "object", "embed", "base", "form"}
    assert not [a for _, a in tags.tags if "src" in a or any(name.startswith("on") for name in a)]
    assert "url(" not in text
    assert tags.open == []


def test_text_of_a_log_is_shown_and_does_nothing(tmp_path: Path) -> None:
    """Every place that a log can fill holds markup, an escape sequence and characters that reorder text."""
    plain, hostile = page(tmp_path / "a", story()), page(tmp_path / "b", story(text=HOSTILE))
    assert [tag for tag, _ in Tags(hostile).tags] == [tag for tag, _ in Tags(plain).tags]
    assert "<script>alert(1)</script>" in "".join(Tags(hostile).text)
    assert not set(hostile) & set("\x1b\u202e\u200b")


def test_every_figure_has_the_question_that_gave_it(tmp_path: Path) -> None:
    """A session's id goes into the command as one word of a shell."""
    text = "".join(Tags(page(tmp_path, story(session="weaver:it's"), session="weaver:it's")).text)
    asked = re.findall(r"midwatch query (\w+) --param 'session=weaver:it'\"'\"'s'", text)
    assert len(asked) >= 13
    assert set(asked) <= set(sql.names("analysis"))


def test_page_is_private_and_named_by_us(tmp_path: Path) -> None:
    rows = {"sessions": [{"session_id": "weaver:../../x", "agent": "weaver"}]}
    path = publish_session.write(Layout(tmp_path), one(tmp_path, rows, "weaver:../../x"))
    assert path.parent == Layout(tmp_path).session_reports
    assert re.fullmatch(r"weaver-x-[0-9a-f]{12}\.html", path.name)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_same_snapshot_gives_the_same_bytes(tmp_path: Path) -> None:
    assert page(tmp_path, story()) == page(tmp_path)


def test_data_behind_the_page_is_plain(tmp_path: Path) -> None:
    data = publish_session.data(one(tmp_path, story()))
    assert data["session_id"] == SESSION
    assert data["answers"]["facts_of_session"][0]["cost_usd"] == 0.75
    assert data["answers"]["facts_of_session"][0]["started_at"] == "2026-03-02T09:00:00"


@pytest.mark.timeout(120)
def test_a_long_session_has_a_short_page(tmp_path: Path) -> None:
    """5,000 calls and 20,000 items: the picture has 400 of the calls, the tables have their largest rows."""
    page(tmp_path, long_story(5_000, 20_000))
    started = time.monotonic()
    text = page(tmp_path)
    assert len(text.encode()) < 1_500_000
    assert time.monotonic() - started < 20
    assert "of 5,000 calls, the fullest of each stretch are drawn" in words(text)


def long_story(calls: int, items: int) -> dict[str, list[dict[str, Any]]]:
    """Every item stays for a hundred calls; each tenth call pays again for something, each hundredth is compacted."""
    rows, own = story(calls), {"session_id": SESSION}
    for name in ("items", "placements", "residency", "cache_misses", "compactions"):
        rows[name] = []
    for n in range(items):
        first = 1 + n * calls // items
        kind = ("user_text", "assistant_text", "tool_call", "tool_result")[n % 4]
        rows["items"].append({**own, "item_id": f"i{n:06}", "seq": n, "turn": n // 40, "kind": kind, "text": f"kiln {n}",
                              "starts_turn": kind == "user_text", "tokens": 10, "tool_name": f"tool {n % 60}",
                              "path": f"/srv/kiln/{n % 3_000}.py"})  # fmt: skip
        rows["placements"].append({**own, "position": n, "item_id": f"i{n:06}", "turn": n // 40, "request_no": first,
                                   "inherited": False})  # fmt: skip
        rows["residency"].append({**own, "item_id": f"i{n:06}", "is_sidechain": False, "form": "full", "inferred": False,
                                  "first_request_no": first, "last_request_no": min(calls, first + 99), "requests": 100,
                                  "tokens_calibrated": 10, "token_requests": 1_000})  # fmt: skip
    for no in range(10, calls, 10):
        rows["cache_misses"].append({**own, "request_id": f"r{no}", "request_no": no, "tokens_repaid": no, "cause": "edit"})
    for no in range(100, calls, 100):
        rows["compactions"].append({**own, "compaction_id": f"k{no}", "request_no": no, "trigger": "auto"})
    return rows
