"""The marker that a compaction leaves, in the form that was published."""

from dataclasses import replace

from compaction.ninety_minutes import count

from tasks.compaction.marker import MOST_TOKENS, Marker, history, reads, run_output, within

LOG = ".agent/log/sess_b7e2.jsonl"
GIVEN = Marker(
    turn=61, removed=176_520, retained=4_220, covered=(4, 55),
    evicted=(reads(48), run_output(((3, ".agent/artifacts/test-run-3.txt"),)), history(44_020)),
    originals=f"{LOG} lines 118–2,904",
)  # fmt: skip


def test_C50_the_five_sentences_stand_as_published():
    assert GIVEN.text() == (
        "[COMPACTED at turn 61 — 176,520 tokens removed, 4,220 retained.\n"
        " Covered: turns 4–55. Evicted: 48 file reads (contents; paths and revisions\n"
        " retained above), full test output for run 3 (see .agent/artifacts/test-run-3.txt),\n"
        " 44,020 tokens of edit history (summarised above).\n"
        f" Originals: {LOG} lines 118–2,904.\n"
        ' Nothing under "carried forward verbatim" was rewritten.]'
    )


def test_C51_it_says_turn_removed_retained_covered_evicted_originals_and_what_was_not_rewritten():
    text = replace(
        GIVEN, turn=7, removed=1_234, retained=56, covered=(2, 2), evicted=(reads(1),), originals="a lines 1–9"
    ).text()
    told = ("turn 7", "1,234 tokens removed", "56 retained", "turn 2.", "1 file read (", "Originals: a lines 1–9", "verbatim")
    assert [part for part in told if part not in text] == []


def test_C51_of_several_test_runs_it_says_how_many_and_in_which_folder():
    runs = tuple((number, f".agent/artifacts/test-run-{number}.txt") for number in (2, 3, 9))
    assert run_output(runs) == "full test output for 3 runs, 2 to 9 (see .agent/artifacts/)"


def test_C52_it_costs_at_most_130_tokens():
    assert MOST_TOKENS == 130
    assert count(GIVEN.text()) <= 130
    assert within(GIVEN, LOG, count) == GIVEN.text()


def test_C52_of_a_log_in_a_deep_folder_its_name_stands_alone_or_how_it_ends():
    deep = "/srv/" + "pottery-of-the-valley/" * 8 + "7d1e0f52-9a3b-4c6d-8e1f-2a3b4c5d6e7f.jsonl"
    made = replace(GIVEN, originals=f"{deep} lines 118–2,904")
    assert count(made.text()) > 130
    text = within(made, deep, count)
    assert "\n Originals: …/*2a3b4c5d6e7f.jsonl lines 118–2,904.\n" in text
    assert count(text) <= 130
    short = deep.replace("7d1e0f52-9a3b-4c6d-8e1f-2a3b4c5d6e7f", "kilns")
    text = within(replace(GIVEN, originals=f"{short} lines 118–2,904"), short, count)
    assert "\n Originals: …/kilns.jsonl lines 118–2,904.\n" in text
