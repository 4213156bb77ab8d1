"""The session of ninety minutes, compacted item by item: 182,520 tokens of three rows come to 4,220 at most."""

import json
from collections.abc import Iterable

import pytest
from compaction import ninety_minutes as story

from tasks.compaction.item_level import ItemLevel
from tasks.compaction.plan import Budget, Context, Disposition, Outcome, outcome
from tasks.domain.kinds import ItemKind

LARGEST = {"reads": 2_100, "run": 500, "history": 1_620}
ROWS = {"reads": Disposition.REFERENCE, "run": Disposition.SPLIT, "history": Disposition.SUMMARIZED}


@pytest.fixture(scope="module")
def session() -> story.Session:
    return story.session()


@pytest.fixture(scope="module")
def context(session: story.Session) -> Context:
    return session.context()


@pytest.fixture(scope="module")
def done(context: Context) -> Outcome:
    return outcome(ItemLevel().plan(context, Budget()), context)


def after(done: Outcome, row: str) -> int:
    """Tokens of what stands for a row."""
    if row == "history":
        return sum(story.count(one.text) for one in done.plan.inserts if one.kind == ItemKind.COMPACTION_SUMMARY)
    return sum(story.count(change.text or "") for change in done.plan.changes if change.disposition == ROWS[row])


def texts(items: Iterable[object]) -> str:
    return "\n".join(getattr(item, "text", "") for item in items)


def marker(done: Outcome) -> str:
    return next(one.text for one in done.plan.inserts if one.text.startswith("[COMPACTED"))


def test_C23_the_session_is_that_of_the_published_account(session: story.Session):
    assert {row: session.tokens(row) for row in LARGEST} == {"reads": 131_700, "run": 6_800, "history": 44_020}
    assert sum(session.tokens(row) for row in LARGEST) == 182_520
    assert sum(item.tokens or 0 for item in session.items) == 199_960
    assert len(session.rows["reads"]) == 48
    assert story.test_run().count("PASSED") == 211


@pytest.mark.parametrize("row", LARGEST)
def test_C10_C23_C40_each_row_comes_to_no_more_than_the_account_says(
    session: story.Session, context: Context, done: Outcome, row: str
):
    touched = {context.items[c.position].item_id for c in done.plan.changes if c.disposition == ROWS[row]}
    assert touched == set(session.rows[row])
    assert 0 < after(done, row) <= LARGEST[row]


def test_C40_edits_and_reasoning_become_two_blocks_a_27th_of_their_size(done: Outcome):
    assert sum(one.kind == ItemKind.COMPACTION_SUMMARY for one in done.plan.inserts) == 2
    assert after(done, "history") * 27 <= story.HISTORY_TOKENS


def test_C10_together_they_are_4_220_at_most_and_all_else_is_as_it_was(session: story.Session, done: Outcome):
    retained = sum(after(done, row) for row in LARGEST)
    assert retained <= 4_220
    assert f"— {182_520 - retained:,} tokens removed, {retained:,} retained." in marker(done)
    touched = {name for row in LARGEST for name in session.rows[row]}
    view = {id(item) for item in done.view}
    assert [item for item in session.items if item.item_id not in touched and id(item) not in view] == []


def test_C35_the_session_ends_still_knowing_the_rule(done: Outcome):
    carried = next(item.text for item in done.view if "compacted:pinned" in item.flags)
    assert story.RULE in carried
    assert story.RULE in texts(item for item in done.view if item.kind == ItemKind.USER_TEXT)


def test_C12_C14_the_file_that_was_edited_46_turns_after_its_read_is_stale_and_no_other(done: Outcome):
    told = [change.text or "" for change in done.plan.changes if change.disposition == Disposition.REFERENCE]
    stale = [text for text in told if "STALE" in text]
    assert len(stale) == 1
    assert stale[0].startswith(f"{story.SCHEMA} @ ")
    assert "(read turn 12, " in stale[0]
    assert stale[0].endswith(" lines)  [STALE: edited turn 58]")


def test_C20_C21_a_run_two_turns_old_is_split_and_its_failures_stand_as_printed(done: Outcome):
    (kept,) = [change.text or "" for change in done.plan.changes if change.disposition == Disposition.SPLIT]
    for name, told in story.FAILURES:
        assert f"____ {name} ____" in kept.split("\n")
        assert f"E   {told}" in kept.split("\n")


def test_C33_the_step_after_the_backfill_stands_word_for_word(session: story.Session, done: Outcome):
    carried = next(item.text for item in done.view if "compacted:pinned" in item.flags)
    assert f"- {story.STEP}" in carried.split("\n")
    plan = next(item for item in session.items if item.tool_name == "TodoWrite")
    assert any(item is plan for item in done.view)


def test_C50_C52_the_marker_covers_turns_4_to_55_in_130_tokens(done: Outcome):
    assert story.count(marker(done)) <= 130
    assert "\n Covered: turns 4–55. Evicted: 48 file reads (contents; paths and revisions\n retained above)," in marker(done)


def test_C54_the_lines_of_the_marker_give_back_all_that_was_evicted(session: story.Session, context: Context, done: Outcome):
    log = [json.dumps({"id": item.item_id, "text": item.text}) for item in session.items]
    places = {item.line_no: line for item, line in zip(session.items, log, strict=True)}
    told = next(line for line in marker(done).split("\n") if "Originals" in line).removesuffix(".")
    path, _, lines = told.removeprefix(" Originals: ").partition(" lines ")
    first, last = (int(number.replace(",", "")) for number in lines.split("–"))
    read = [json.loads(line) for number, line in sorted(places.items()) if first <= (number or 0) <= last]
    there = {one["id"]: one["text"] for one in read}
    evicted = [context.items[c.position] for c in done.plan.changes if c.disposition in ROWS.values()]
    assert path == story.LOG
    assert {item.item_id: item.text for item in evicted}.items() <= there.items()
