"""A session as Markdown: whatever a log says, outside of the fences stand our words alone."""

import re

from builders import texts
from hypothesis import given
from hypothesis import strategies as st
from told import item, paid, told

from tasks.domain.kinds import ItemKind
from tasks.domain.visible import visible
from tasks.exports.markdown import CALL_LINES, RESULT_LINES, code, export

NASTY = st.one_of(
    texts(),
    st.sampled_from(("</details><b>x</b>", "# Turn 9", "```\n# Turn 9\n```", "~~~~\n`` ` ``", "`x`", "[a](b)\n\n---\n<i>")),
)
KINDS = st.sampled_from([kind.value for kind in ItemKind])


def outside(document: str) -> list[str]:
    """The lines that no fence encloses, without what stands as code."""
    found, fence = [], ""
    for line in document.split("\n"):
        if fence:
            fence = "" if line == fence else fence
        elif re.fullmatch(r"`{3,}text", line):
            fence = line.removesuffix("text")
        else:
            found.append(re.sub(r"(`+) ?.*?(?<!`) ?\1(?!`)", "", line))
    assert not fence
    return found


@given(kind=KINDS, text=NASTY, name=NASTY, path=NASTY, title=NASTY)
def test_nothing_that_a_log_says_acts(kind: str, text: str, name: str, path: str, title: str):
    session = told(item(kind, text, tool_name=name, path=path, log_path=path, line_no=1, turn=1), title=title, cwd=path)
    lines = outside(export(session))
    assert [line for line in lines if line.startswith("#")] == ["# Session ", "## Turn 1"]
    allowed = r"[A-Za-z0-9 ,:;()*#$.-]*"
    assert [line for line in lines if not re.fullmatch(allowed, line)] == []


@given(text=texts(least=1))
def test_what_a_person_typed_stands_whole(text: str):
    assert visible(text) in export(told(item("user_text", text)))


def test_calls_and_results_are_folded_and_say_where_the_rest_is():
    result = "\n".join(map(str, range(40)))
    session = told(
        item("tool_call", "\n".join("abcdefgh"), tool_name="spin", path="/srv/wheel"),
        item(
            "tool_result",
            result,
            tool_name="spin",
            flags=("error",),
            log_path="/logs/a.jsonl",
            line_no=7,
        ),
    )
    document = export(session)
    assert "**Call of `spin` on `/srv/wheel`**" in document
    assert f"({8 - CALL_LINES} more lines; the log has all of it)" in document
    assert "**Result of `spin`, failed**" in document
    assert f"({40 - RESULT_LINES} more lines; line 7 of `/logs/a.jsonl`)" in document
    assert "\n11\n```" in document
    assert "\n12\n" not in document


def test_marks_turns_and_sub_agents():
    agent = told(item("injected", "Count."), name="loom:1/a")
    session = told(
        item("injected", "Rules.", inherited=True),
        item("user_text", "Spin.", turn=1, on_path=False),
        item("notice", "Squeak.", turn=1, in_context=False),
        item("compaction_summary", "Wool.", item_id="s", turn=2),
        agents=[agent],
        calls=[paid("r1", 1, prompt_tokens=1000, output_tokens=7)],
        compactions={"s": {"tokens_before": 900, "tokens_after": 80}},
    )
    lines = export(session).split("\n")
    assert [line for line in lines if line.startswith("#")] == [
        "# Session `loom:1`", "## Before the first prompt", "## Turn 1", "## Turn 2", "## Sub-agent `loom:1/a`",
        "### Before the first prompt",
    ]  # fmt: skip
    assert "**Put in by the program** (inherited)" in lines
    assert "**Person** (left branch)" in lines
    assert "**Notice by the program** (not sent)" in lines
    assert "**Compacted: what came before is now this summary (900 to 80 tokens)**" in lines
    assert "- Paid for: 1 call, 1,000 prompt tokens, 7 output tokens" in lines


def test_code_is_longer_than_any_run_inside():
    assert [code("a"), code("a`b"), code("``"), code(""), code("a\nb")] == ["`a`", "``a`b``", "``` `` ```", "` `", "`a\\nb`"]
