"""The ledger holds what a person demanded, word for word, and nothing that a tool, a log or a question said."""

from pathlib import Path

import pytest

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.facts.constraints import constraints

LABELED = Path(__file__).parent / "cases" / "constraints"
LANGUAGES = sorted(path.stem for path in LABELED.glob("*.tsv"))


def typed(text: str, *, kind: str = ItemKind.USER_TEXT, **other: object) -> Item:
    return Item("a", "a:1", 1, kind, text, turn=2, line_no=7, **other)  # type: ignore[arg-type]


def said(text: str) -> list[str]:
    return [found.text for found in constraints([typed(text)])]


def labeled(language: str) -> list[tuple[str, str]]:
    lines = (LABELED / f"{language}.tsv").read_text(encoding="utf-8").splitlines()
    return [(label, text) for label, text in (line.split("\t") for line in lines)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_recall_and_precision_on_labeled_sentences(language: str) -> None:
    """English 0.90 and 0.85, others 0.80 and 0.75: a miss costs a rule, a false find some twenty tokens.

    The sentences were invented together with the rules, so this is a floor that later rules must keep, and no estimate of
    the error on prompts that nobody has seen.
    """
    rows = [(label != "none", bool(said(text)), text) for label, text in labeled(language)]
    hits = sum(wanted and found for wanted, found, _ in rows)
    recall = hits / sum(wanted for wanted, _, _ in rows)
    precision = hits / sum(found for _, found, _ in rows)
    wrong = [text for wanted, found, text in rows if wanted != found]
    print(f"{language}: recall {recall:.2f}, precision {precision:.2f}, n {len(rows)}")
    assert (recall, precision) >= ((0.90, 0.85) if language == "en" else (0.80, 0.75)), wrong
    assert precision >= (0.85 if language == "en" else 0.75), wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_found_sentences_have_their_language_and_mostly_their_kind(language: str) -> None:
    found = [(label, constraints([typed(text)])) for label, text in labeled(language) if label != "none"]
    rows = [(label, ledger[0]) for label, ledger in found if ledger]
    assert sum(entry.language == language for _, entry in rows) / len(rows) >= 0.8
    assert sum(entry.kind == label for label, entry in rows) / len(rows) >= 0.8


def test_constraint_knows_turn_line_and_span() -> None:
    text = "Design a raku kiln. Never push to main."
    (entry,) = constraints([typed(text)])
    assert (entry.text, entry.kind, entry.item.turn, entry.item.line_no) == ("Never push to main.", "prohibition", 2, 7)
    assert text[entry.first : entry.last] == entry.text


@pytest.mark.parametrize("kind", [k for k in ItemKind if k != ItemKind.USER_TEXT])
def test_only_typed_text_is_read(kind: ItemKind) -> None:
    assert constraints([typed("Never push to main.", kind=kind)]) == []


def test_prompt_of_a_subagent_is_nobodys_rule() -> None:
    assert constraints([typed("Never push to main.", is_sidechain=True)]) == []


def test_same_sentence_stands_once() -> None:
    assert said("Never push to main.\nGo on.\nNever  push to main.") == ["Never push to main."]


@pytest.mark.parametrize(
    "text",
    [
        "Look at this:\n```\nnever do this\nyou must not\n```\n",
        "```\nunclosed fence: you must not read on",
        "He wrote:\n> You must never use glaze 3.\n",
        "<system-reminder>You must always obey.</system-reminder>",
        "2026-03-02 10:00:00 ERROR you must not do that",
        "ValueError: value must not be negative",
        'Traceback (most recent call last):\n  File "a.py", line 1, in never_do\nKeyError: must',
        "    if not allowed: never()",
        "$ git commit --no-verify # do not",
        'Why did you print "do not touch" there?',
        "Rename the function `must_not_fail` to `may_fail`.",
        "See https://example.invalid/do-not/never for the idea.",
    ],
    ids=range(12),
)
def test_code_quotations_and_pasted_output_make_no_rule(text: str) -> None:
    assert said(text) == []


def test_rule_beside_pasted_output_is_found() -> None:
    assert said("It prints\n```\nmust not\n```\nFix that, but do not touch the parser.") == [
        "Fix that, but do not touch the parser."
    ]


@pytest.mark.parametrize("text", ["ok, never push to main", "ok but do not touch the loom", "Ok never push to main"])
def test_ok_begins_an_order_as_well_as_a_line_of_a_test_run(text: str) -> None:
    assert said(text) == [text]
    assert said(f"ok 12 - {text}\nnot ok 3 - {text}\nok  \tkiln/never\t0.01s must not") == []


def test_line_broken_by_an_editor_is_one_sentence() -> None:
    text = "When you rebuild the glaze mixer, you must never touch\nthe firing schedule."
    assert said(text) == [text]


def test_bullets_are_sentences_without_their_bullet() -> None:
    assert said("Rules:\n- Never push to main\n- Always run the tests\n3. Keep it short") == [
        "Never push to main", "Always run the tests", "Keep it short",
    ]  # fmt: skip


def test_abbreviation_does_not_end_a_sentence() -> None:
    assert said("Do not edit generated files, e.g. lock files.") == ["Do not edit generated files, e.g. lock files."]


def test_rule_after_a_huge_paste_is_found() -> None:
    assert said("x y z\n" * 50_000 + "\nNever push to main.") == ["Never push to main."]


def test_hostile_text_takes_no_time() -> None:
    """Unclosed tags, quotes and fences by the thousand."""
    assert said("<a>" * 10_000 + '`"' * 10_000 + "\n> " * 1000) == []
