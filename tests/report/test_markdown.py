"""Whatever a log holds, in Markdown it is a word between ticks in one cell of one row."""

from itertools import product
from typing import Any

import pytest
from pages import HOSTILE, parsed

from tasks.domain.visible import visible
from tasks.report.markdown import cell, environment

HARD = [
    "plain", "", " ", "a|b", r"a\|b", r"a\\|b", "|", "||", "\\", "a\\", "`", "``a`", "a`b|c", "line\nnext", "line\r\nnext\ttab",
    "[kiln](https://example.org/x)", "![i](//x.example/i)", "<img src=//x.example/i>", "https://example.org", "@weaver #12",
    "# heading", "|---|", "- [ ] task", "&amp;", "$x$", "\x1b[31mred", "\u202egnp.exe", "\u200b", HOSTILE,
]  # fmt: skip


@pytest.mark.parametrize("text", HARD)
def test_foreign_text_stays_in_its_cell_as_code(text: str) -> None:
    table = f"| a | b |\n|---|---|\n| {cell(text)} | end |\n"
    tokens = parsed(table)
    assert [token.type for token in tokens].count("td_open") == 2
    codes = [token.content for token in tokens if token.type == "code_inline"]
    assert len(codes) == 1
    assert not {token.type for token in tokens} & {"html_inline", "html_block", "link_open", "image", "em_open"}


@pytest.mark.parametrize("text", [text for text in HARD if text.strip() and "\\|" not in text])
def test_foreign_text_can_be_read_back(text: str) -> None:
    """Line breaks and what cannot be seen are written out, a tab is a space."""
    told = visible(text).replace("\n", "\\n").replace("\t", " ").strip()
    codes = [token.content for token in parsed(f"| a |\n|---|\n| {cell(text)} |\n") if token.type == "code_inline"]
    assert [code.strip() for code in codes] == [told]


def test_no_run_of_slashes_ticks_and_pipes_leaves_its_cell() -> None:
    texts = ["x" + "".join(runs) + "y" for runs in product(("", "\\", "\\\\", "`", "|"), repeat=4)]
    table = "| a | b |\n|---|---|\n" + "".join(f"| {cell(text)} | end |\n" for text in texts)
    cells = [token for token in parsed(table) if token.type == "inline"][2:]
    assert len(cells) == 2 * len(texts)
    assert {token.content for token in cells[1::2]} == {"end"}
    assert all([child.type for child in token.children or []] == ["code_inline"] for token in cells[::2])


@pytest.mark.parametrize(
    ("template", "given", "shown"),
    [
        ("{{ x }}", "<b>", "`<b>`"),
        ("{{ x|exact }}", 1234, "1,234"),
        ("{{ x|percent }}", 0.0001, "< 0.1 %"),
        ("{{ x|said({'a': 'words'}) }}", "a", "words"),
        ("{{ x|said({'a': 'words'}) }}", "<b>", "`<b>`"),
        ("{{ x|said({'a': 'words'}) }}", None, "–"),
    ],
)
def test_only_our_own_words_and_numbers_go_out_as_they_are(template: str, given: Any, shown: str) -> None:
    assert environment().from_string(template).render(x=given) == shown
