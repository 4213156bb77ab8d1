"""Markdown is claimed by what a program leaves in it, never because it speaks of the program."""

import pytest

from tasks.readers import forms, registry

START = "# aider chat started at 2026-03-02 09:00:00"


@pytest.mark.parametrize(
    "text",
    [
        f"{START}\n",
        f"\n{START}\n\n> Aider v0.86.1  \n",
        f"> the rest of an older run  \n\n{START}\n\n#### wind the clock  \n",
        f"```\nclosed\n```\n\n{START}\n\n- [ ] Oil it <!-- id: 0 -->\n",
    ],
)
def test_a_start_that_stands_alone_is_aiders(text: str):
    reader = registry.find(forms.text_head(text.encode()))
    assert reader is not None
    assert reader.agent == "aider"


@pytest.mark.parametrize(
    "text",
    [
        f"How a history looks:\n\n```\n\n{START}\n\n```\n",
        f"A line like {START} begins a run.\n",
        f"before\n{START}\nafter\n",
        "# aider chat started at noon\n\n",
        "# Antigravity\n\nA theme for editors, light as a feather.\n",
        "# Shopping\n\n- [ ] Rope\n- [x] Wax\n",
        "",
    ],
)
def test_text_about_a_program_is_nobodys(text: str):
    assert registry.find(forms.text_head(text.encode())) is None


@pytest.mark.parametrize(
    "text",
    [
        "# Tasks\n\n- [x] Wind the clock <!-- id: 0 -->\n",
        "# Walk-through\n\nrender_diffs(file:///srv/clock/hands.txt)\n",
        "# Plan\n\nSee [hands](cci:1://file:///srv/clock/hands.txt:1:0-2:0).\n",
    ],
)
def test_marks_of_its_artifacts_are_antigravitys(text: str):
    reader = registry.find(forms.text_head(text.encode()))
    assert reader is not None
    assert reader.agent == "antigravity"
